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





T = TypeVar("T", bound="PlatformTenantChanges")



@_attrs_define
class PlatformTenantChanges:
    """ Omitted fields stay unchanged; null restores the default.

     """

    external_id: None | str | Unset = UNSET
    """ What you call the tenant. """
    name: None | str | Unset = UNSET
    """ The tenant's name. """
    limits: None | TenantLimits | Unset = UNSET
    """ Its rate limits. """
    plan: None | PlanChanges | Unset = UNSET
    """ Its plan, as a whole; null: none. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.plan_changes import PlanChanges # noqa: PLC0415
        from ..models.tenant_limits import TenantLimits # noqa: PLC0415
        external_id: None | str | Unset
        if isinstance(self.external_id, Unset):
            external_id = UNSET
        else:
            external_id = self.external_id

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
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
        })
        if external_id is not UNSET:
            field_dict["externalId"] = external_id
        if name is not UNSET:
            field_dict["name"] = name
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
        def _parse_external_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        external_id = _parse_external_id(d.pop("externalId", UNSET))


        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))


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


        platform_tenant_changes = cls(
            external_id=external_id,
            name=name,
            limits=limits,
            plan=plan,
        )


        platform_tenant_changes.additional_properties = d
        return platform_tenant_changes

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
