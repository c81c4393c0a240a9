from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="InvoiceTotals")



@_attrs_define
class InvoiceTotals:


    subtotal: float | None
    """ Without VAT, in the invoice's currency """
    tax_amount: float | None
    """ VAT """
    grand_total: float | None
    """ With VAT """
    amount_due: float | None
    """ With VAT, less prepayments """
    tax_amount_in_tax_currency: float | None
    """ VAT in taxCurrency; null without one """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        subtotal: float | None
        subtotal = self.subtotal

        tax_amount: float | None
        tax_amount = self.tax_amount

        grand_total: float | None
        grand_total = self.grand_total

        amount_due: float | None
        amount_due = self.amount_due

        tax_amount_in_tax_currency: float | None
        tax_amount_in_tax_currency = self.tax_amount_in_tax_currency


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "subtotal": subtotal,
            "taxAmount": tax_amount,
            "grandTotal": grand_total,
            "amountDue": amount_due,
            "taxAmountInTaxCurrency": tax_amount_in_tax_currency,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_subtotal(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        subtotal = _parse_subtotal(d.pop("subtotal"))


        def _parse_tax_amount(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        tax_amount = _parse_tax_amount(d.pop("taxAmount"))


        def _parse_grand_total(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        grand_total = _parse_grand_total(d.pop("grandTotal"))


        def _parse_amount_due(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        amount_due = _parse_amount_due(d.pop("amountDue"))


        def _parse_tax_amount_in_tax_currency(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        tax_amount_in_tax_currency = _parse_tax_amount_in_tax_currency(d.pop("taxAmountInTaxCurrency"))


        invoice_totals = cls(
            subtotal=subtotal,
            tax_amount=tax_amount,
            grand_total=grand_total,
            amount_due=amount_due,
            tax_amount_in_tax_currency=tax_amount_in_tax_currency,
        )


        invoice_totals.additional_properties = d
        return invoice_totals

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
