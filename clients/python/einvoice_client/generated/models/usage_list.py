from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.delivery_times import DeliveryTimes
  from ..models.usage_day import UsageDay





T = TypeVar("T", bound="UsageList")



@_attrs_define
class UsageList:


    items: list[UsageDay]
    """ All days, newest first """
    delivery_times: list[DeliveryTimes]
    """ Times from acceptance to Delivered, of each environment in which documents were delivered """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.delivery_times import DeliveryTimes # noqa: PLC0415
        from ..models.usage_day import UsageDay # noqa: PLC0415
        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)



        delivery_times = []
        for delivery_times_item_data in self.delivery_times:
            delivery_times_item = delivery_times_item_data.to_dict()
            delivery_times.append(delivery_times_item)



        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "items": items,
            "deliveryTimes": delivery_times,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.delivery_times import DeliveryTimes # noqa: PLC0415
        from ..models.usage_day import UsageDay # noqa: PLC0415
        d = dict(src_dict)
        items = []
        _items = d.pop("items")
        for items_item_data in (_items):
            items_item = UsageDay.from_dict(items_item_data)



            items.append(items_item)


        delivery_times = []
        _delivery_times = d.pop("deliveryTimes")
        for delivery_times_item_data in (_delivery_times):
            delivery_times_item = DeliveryTimes.from_dict(delivery_times_item_data)



            delivery_times.append(delivery_times_item)


        provider = d.pop("provider")

        usage_list = cls(
            items=items,
            delivery_times=delivery_times,
            provider=provider,
        )


        usage_list.additional_properties = d
        return usage_list

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
