from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.sent_documents import SentDocuments
  from ..models.tenant_plan import TenantPlan





T = TypeVar("T", bound="TenantPlanState")



@_attrs_define
class TenantPlanState:
    """ The plan of a tenant, and what it has used.

     """

    plan: TenantPlan
    """ What the tenant may use. """
    month: str
    """ The month (UTC) """
    sent: SentDocuments
    """ Documents of this month, counted while a plan limits them. """
    users: int
    """ People who use it, counted while a plan limits them """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.sent_documents import SentDocuments # noqa: PLC0415
        from ..models.tenant_plan import TenantPlan # noqa: PLC0415
        plan = self.plan.to_dict()

        month = self.month

        sent = self.sent.to_dict()

        users = self.users

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "plan": plan,
            "month": month,
            "sent": sent,
            "users": users,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.sent_documents import SentDocuments # noqa: PLC0415
        from ..models.tenant_plan import TenantPlan # noqa: PLC0415
        d = dict(src_dict)
        plan = TenantPlan.from_dict(d.pop("plan"))




        month = d.pop("month")

        sent = SentDocuments.from_dict(d.pop("sent"))




        users = d.pop("users")

        provider = d.pop("provider")

        tenant_plan_state = cls(
            plan=plan,
            month=month,
            sent=sent,
            users=users,
            provider=provider,
        )


        tenant_plan_state.additional_properties = d
        return tenant_plan_state

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
