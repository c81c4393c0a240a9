from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime

if TYPE_CHECKING:
  from ..models.tenant_plan import TenantPlan
  from ..models.tenant_rate_limits import TenantRateLimits





T = TypeVar("T", bound="PlatformTenant")



@_attrs_define
class PlatformTenant:
    """ A tenant of the platform.

     """

    tenant_id: UUID
    """ The tenant """
    external_id: str
    """ What you call it """
    name: str
    """ Its name """
    state: str
    """ active, suspended or closed """
    sandbox_only: bool
    """ Whether only test credentials have created it """
    limits: TenantRateLimits
    """ Requests a minute. """
    plan: None | TenantPlan
    """ What it may use; null: everything """
    created_at: datetime.datetime
    """ When it was created """
    suspended_at: datetime.datetime | None
    """ Since when it sends nothing """
    suspension_reason: None | str
    """ Why """
    closed_at: datetime.datetime | None
    """ When it was closed """
    purge_begun_at: datetime.datetime | None
    """ When the deletion of all that it has began """
    purged_at: datetime.datetime | None
    """ When it ended """
    verified_numbers: list[str]
    """ Its register and VAT numbers that are verified """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.tenant_plan import TenantPlan # noqa: PLC0415
        from ..models.tenant_rate_limits import TenantRateLimits # noqa: PLC0415
        tenant_id = str(self.tenant_id)

        external_id = self.external_id

        name = self.name

        state = self.state

        sandbox_only = self.sandbox_only

        limits = self.limits.to_dict()

        plan: dict[str, Any] | None
        if isinstance(self.plan, TenantPlan):
            plan = self.plan.to_dict()
        else:
            plan = self.plan

        created_at = self.created_at.isoformat()

        suspended_at: None | str
        if isinstance(self.suspended_at, datetime.datetime):
            suspended_at = self.suspended_at.isoformat()
        else:
            suspended_at = self.suspended_at

        suspension_reason: None | str
        suspension_reason = self.suspension_reason

        closed_at: None | str
        if isinstance(self.closed_at, datetime.datetime):
            closed_at = self.closed_at.isoformat()
        else:
            closed_at = self.closed_at

        purge_begun_at: None | str
        if isinstance(self.purge_begun_at, datetime.datetime):
            purge_begun_at = self.purge_begun_at.isoformat()
        else:
            purge_begun_at = self.purge_begun_at

        purged_at: None | str
        if isinstance(self.purged_at, datetime.datetime):
            purged_at = self.purged_at.isoformat()
        else:
            purged_at = self.purged_at

        verified_numbers = self.verified_numbers




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tenantId": tenant_id,
            "externalId": external_id,
            "name": name,
            "state": state,
            "sandboxOnly": sandbox_only,
            "limits": limits,
            "plan": plan,
            "createdAt": created_at,
            "suspendedAt": suspended_at,
            "suspensionReason": suspension_reason,
            "closedAt": closed_at,
            "purgeBegunAt": purge_begun_at,
            "purgedAt": purged_at,
            "verifiedNumbers": verified_numbers,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tenant_plan import TenantPlan # noqa: PLC0415
        from ..models.tenant_rate_limits import TenantRateLimits # noqa: PLC0415
        d = dict(src_dict)
        tenant_id = UUID(d.pop("tenantId"))




        external_id = d.pop("externalId")

        name = d.pop("name")

        state = d.pop("state")

        sandbox_only = d.pop("sandboxOnly")

        limits = TenantRateLimits.from_dict(d.pop("limits"))




        def _parse_plan(data: object) -> None | TenantPlan:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                plan_type_0 = TenantPlan.from_dict(data)



                return plan_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TenantPlan, data)

        plan = _parse_plan(d.pop("plan"))


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        def _parse_suspended_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                suspended_at_type_0 = datetime.datetime.fromisoformat(data)



                return suspended_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        suspended_at = _parse_suspended_at(d.pop("suspendedAt"))


        def _parse_suspension_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        suspension_reason = _parse_suspension_reason(d.pop("suspensionReason"))


        def _parse_closed_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                closed_at_type_0 = datetime.datetime.fromisoformat(data)



                return closed_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        closed_at = _parse_closed_at(d.pop("closedAt"))


        def _parse_purge_begun_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                purge_begun_at_type_0 = datetime.datetime.fromisoformat(data)



                return purge_begun_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        purge_begun_at = _parse_purge_begun_at(d.pop("purgeBegunAt"))


        def _parse_purged_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                purged_at_type_0 = datetime.datetime.fromisoformat(data)



                return purged_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        purged_at = _parse_purged_at(d.pop("purgedAt"))


        verified_numbers = cast(list[str], d.pop("verifiedNumbers"))


        platform_tenant = cls(
            tenant_id=tenant_id,
            external_id=external_id,
            name=name,
            state=state,
            sandbox_only=sandbox_only,
            limits=limits,
            plan=plan,
            created_at=created_at,
            suspended_at=suspended_at,
            suspension_reason=suspension_reason,
            closed_at=closed_at,
            purge_begun_at=purge_begun_at,
            purged_at=purged_at,
            verified_numbers=verified_numbers,
        )


        platform_tenant.additional_properties = d
        return platform_tenant

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
