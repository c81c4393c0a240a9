from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="VatRow")



@_attrs_define
class VatRow:
    """ A row of the VAT breakdown (BG-23), as the document states it.

     """

    category: str
    """ VAT category (BT-118) """
    rate: float | None
    """ VAT rate in percent (BT-119); null without one """
    taxable_amount: float | None
    """ Taxable amount (BT-116) """
    tax_amount: float | None
    """ VAT (BT-117) """
    exemption_reason: None | str
    """ Why it is exempt (BT-120); null if it is not """
    exemption_code: None | str
    """ The same as a VATEX code (BT-121); null without one """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        category = self.category

        rate: float | None
        rate = self.rate

        taxable_amount: float | None
        taxable_amount = self.taxable_amount

        tax_amount: float | None
        tax_amount = self.tax_amount

        exemption_reason: None | str
        exemption_reason = self.exemption_reason

        exemption_code: None | str
        exemption_code = self.exemption_code


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "category": category,
            "rate": rate,
            "taxableAmount": taxable_amount,
            "taxAmount": tax_amount,
            "exemptionReason": exemption_reason,
            "exemptionCode": exemption_code,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        category = d.pop("category")

        def _parse_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        rate = _parse_rate(d.pop("rate"))


        def _parse_taxable_amount(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        taxable_amount = _parse_taxable_amount(d.pop("taxableAmount"))


        def _parse_tax_amount(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        tax_amount = _parse_tax_amount(d.pop("taxAmount"))


        def _parse_exemption_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        exemption_reason = _parse_exemption_reason(d.pop("exemptionReason"))


        def _parse_exemption_code(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        exemption_code = _parse_exemption_code(d.pop("exemptionCode"))


        vat_row = cls(
            category=category,
            rate=rate,
            taxable_amount=taxable_amount,
            tax_amount=tax_amount,
            exemption_reason=exemption_reason,
            exemption_code=exemption_code,
        )


        vat_row.additional_properties = d
        return vat_row

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
