from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="CashDiscount")



@_attrs_define
class CashDiscount:


    days: int
    """ Days from the issue date within which it is granted. """
    percent: float
    """ Percentage; written with two decimals. """
    base_amount: float | None | Unset = UNSET
    """ The amount that it is a percentage of, if that is not the amount due. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        days = self.days

        percent = self.percent

        base_amount: float | None | Unset
        if isinstance(self.base_amount, Unset):
            base_amount = UNSET
        else:
            base_amount = self.base_amount


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "days": days,
            "percent": percent,
        })
        if base_amount is not UNSET:
            field_dict["baseAmount"] = base_amount

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        days = d.pop("days")

        percent = d.pop("percent")

        def _parse_base_amount(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        base_amount = _parse_base_amount(d.pop("baseAmount", UNSET))


        cash_discount = cls(
            days=days,
            percent=percent,
            base_amount=base_amount,
        )


        cash_discount.additional_properties = d
        return cash_discount

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
