from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.plan_changes import PlanChanges
  from ..models.tenant_limits import TenantLimits





T = TypeVar("T", bound="NewPlatformTenant")



@_attrs_define
class NewPlatformTenant:
    """ A tenant to create. The same request later returns the same tenant.

     """

    external_id: str
    """ What you call the tenant, once in your platform. """
    name: str
    """ The tenant's name. """
    limits: None | TenantLimits | Unset = UNSET
    """ Its rate limits; default: those of the service. """
    plan: None | PlanChanges | Unset = UNSET
    """ Its plan; default: none, without limits. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.plan_changes import PlanChanges # noqa: PLC0415
        from ..models.tenant_limits import TenantLimits # noqa: PLC0415
        external_id = self.external_id

        name = self.name

        limits: dict[str, Any] | None | Unset
        if isinstance(self.limits, Unset):
            limits = UNSET
        elif isinstance(self.limits, TenantLimits):
            limits = self.limits.to_dict()
        else:
            limits = self.limits

        plan: dict[str, Any] | None | Unset
        if isinstance(self.plan, Unset):
            plan = UNSET
        elif isinstance(self.plan, PlanChanges):
            plan = self.plan.to_dict()
        else:
            plan = self.plan


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "externalId": external_id,
            "name": name,
        })
        if limits is not UNSET:
            field_dict["limits"] = limits
        if plan is not UNSET:
            field_dict["plan"] = plan

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.plan_changes import PlanChanges # noqa: PLC0415
        from ..models.tenant_limits import TenantLimits # noqa: PLC0415
        d = dict(src_dict)
        external_id = d.pop("externalId")

        name = d.pop("name")

        def _parse_limits(data: object) -> None | TenantLimits | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                limits_type_0 = TenantLimits.from_dict(data)



                return limits_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TenantLimits | Unset, data)

        limits = _parse_limits(d.pop("limits", UNSET))


        def _parse_plan(data: object) -> None | PlanChanges | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                plan_type_0 = PlanChanges.from_dict(data)



                return plan_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PlanChanges | Unset, data)

        plan = _parse_plan(d.pop("plan", UNSET))


        new_platform_tenant = cls(
            external_id=external_id,
            name=name,
            limits=limits,
            plan=plan,
        )


        new_platform_tenant.additional_properties = d
        return new_platform_tenant

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
