from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Totals")



@_attrs_define
class Totals:


    subtotal: float
    """ Sum of the line extensions, less allowances, plus charges; exact, or of extensions that are rounded to cents
    (options.totals). """
    tax_amount: float
    """ Sum of the VAT of each line, rounded to cents line by line; exact. With options.totals rounded also the VAT
    of each rate, rounded once. """
    grand_total: float
    """ subtotal + taxAmount; exact. """
    tax_amount_in_tax_currency: float | None | Unset = UNSET
    """ taxAmount in invoice.taxCurrency (BT-111), as you book it; written as sent, with at most two decimals.
    Required with taxCurrency, and only allowed with it. """
    prepaid_amount: float | None | Unset = UNSET
    """ The amount paid in advance. """
    payable_rounding: float | None | Unset = UNSET
    """ What the amount due is rounded by, up or (negative) down: to whole kronor, to 0.05 francs (BT-114). """
    payable_amount: float | None | Unset = UNSET
    """ grandTotal - prepaidAmount + payableRounding; exact. """
    grand_total_in_tax_currency: float | None | Unset = UNSET
    """ Of PINT AE: grandTotal in dirhams, as you book it, of an invoice in another currency. """
    margin_total: float | None | Unset = UNSET
    """ Of PINT OM: the total of a supply under the margin scheme, in rials. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        subtotal = self.subtotal

        tax_amount = self.tax_amount

        grand_total = self.grand_total

        tax_amount_in_tax_currency: float | None | Unset
        if isinstance(self.tax_amount_in_tax_currency, Unset):
            tax_amount_in_tax_currency = UNSET
        else:
            tax_amount_in_tax_currency = self.tax_amount_in_tax_currency

        prepaid_amount: float | None | Unset
        if isinstance(self.prepaid_amount, Unset):
            prepaid_amount = UNSET
        else:
            prepaid_amount = self.prepaid_amount

        payable_rounding: float | None | Unset
        if isinstance(self.payable_rounding, Unset):
            payable_rounding = UNSET
        else:
            payable_rounding = self.payable_rounding

        payable_amount: float | None | Unset
        if isinstance(self.payable_amount, Unset):
            payable_amount = UNSET
        else:
            payable_amount = self.payable_amount

        grand_total_in_tax_currency: float | None | Unset
        if isinstance(self.grand_total_in_tax_currency, Unset):
            grand_total_in_tax_currency = UNSET
        else:
            grand_total_in_tax_currency = self.grand_total_in_tax_currency

        margin_total: float | None | Unset
        if isinstance(self.margin_total, Unset):
            margin_total = UNSET
        else:
            margin_total = self.margin_total


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "subtotal": subtotal,
            "taxAmount": tax_amount,
            "grandTotal": grand_total,
        })
        if tax_amount_in_tax_currency is not UNSET:
            field_dict["taxAmountInTaxCurrency"] = tax_amount_in_tax_currency
        if prepaid_amount is not UNSET:
            field_dict["prepaidAmount"] = prepaid_amount
        if payable_rounding is not UNSET:
            field_dict["payableRounding"] = payable_rounding
        if payable_amount is not UNSET:
            field_dict["payableAmount"] = payable_amount
        if grand_total_in_tax_currency is not UNSET:
            field_dict["grandTotalInTaxCurrency"] = grand_total_in_tax_currency
        if margin_total is not UNSET:
            field_dict["marginTotal"] = margin_total

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        subtotal = d.pop("subtotal")

        tax_amount = d.pop("taxAmount")

        grand_total = d.pop("grandTotal")

        def _parse_tax_amount_in_tax_currency(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        tax_amount_in_tax_currency = _parse_tax_amount_in_tax_currency(d.pop("taxAmountInTaxCurrency", UNSET))


        def _parse_prepaid_amount(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        prepaid_amount = _parse_prepaid_amount(d.pop("prepaidAmount", UNSET))


        def _parse_payable_rounding(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        payable_rounding = _parse_payable_rounding(d.pop("payableRounding", UNSET))


        def _parse_payable_amount(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        payable_amount = _parse_payable_amount(d.pop("payableAmount", UNSET))


        def _parse_grand_total_in_tax_currency(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        grand_total_in_tax_currency = _parse_grand_total_in_tax_currency(d.pop("grandTotalInTaxCurrency", UNSET))


        def _parse_margin_total(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        margin_total = _parse_margin_total(d.pop("marginTotal", UNSET))


        totals = cls(
            subtotal=subtotal,
            tax_amount=tax_amount,
            grand_total=grand_total,
            tax_amount_in_tax_currency=tax_amount_in_tax_currency,
            prepaid_amount=prepaid_amount,
            payable_rounding=payable_rounding,
            payable_amount=payable_amount,
            grand_total_in_tax_currency=grand_total_in_tax_currency,
            margin_total=margin_total,
        )


        totals.additional_properties = d
        return totals

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
