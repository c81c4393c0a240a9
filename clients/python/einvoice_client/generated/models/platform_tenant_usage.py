from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID

if TYPE_CHECKING:
  from ..models.platform_usage_count import PlatformUsageCount





T = TypeVar("T", bound="PlatformTenantUsage")



@_attrs_define
class PlatformTenantUsage:
    """ The documents of a tenant in the month.

     """

    tenant_id: UUID
    """ The tenant """
    external_id: str
    """ What you call it """
    name: str
    """ Its name """
    month: str
    """ The month (UTC) """
    environment: str
    """ test or live """
    counts: list[PlatformUsageCount]
    """ Its documents; empty: none """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.platform_usage_count import PlatformUsageCount # noqa: PLC0415
        tenant_id = str(self.tenant_id)

        external_id = self.external_id

        name = self.name

        month = self.month

        environment = self.environment

        counts = []
        for counts_item_data in self.counts:
            counts_item = counts_item_data.to_dict()
            counts.append(counts_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tenantId": tenant_id,
            "externalId": external_id,
            "name": name,
            "month": month,
            "environment": environment,
            "counts": counts,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.platform_usage_count import PlatformUsageCount # noqa: PLC0415
        d = dict(src_dict)
        tenant_id = UUID(d.pop("tenantId"))




        external_id = d.pop("externalId")

        name = d.pop("name")

        month = d.pop("month")

        environment = d.pop("environment")

        counts = []
        _counts = d.pop("counts")
        for counts_item_data in (_counts):
            counts_item = PlatformUsageCount.from_dict(counts_item_data)



            counts.append(counts_item)


        platform_tenant_usage = cls(
            tenant_id=tenant_id,
            external_id=external_id,
            name=name,
            month=month,
            environment=environment,
            counts=counts,
        )


        platform_tenant_usage.additional_properties = d
        return platform_tenant_usage

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
