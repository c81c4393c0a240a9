from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.adjustment_tax_category_type_1 import AdjustmentTaxCategoryType1
from ..models.adjustment_tax_category_type_2_type_1 import AdjustmentTaxCategoryType2Type1
from ..models.adjustment_tax_category_type_3_type_1 import AdjustmentTaxCategoryType3Type1
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Adjustment")



@_attrs_define
class Adjustment:


    amount: float
    """ Amount without VAT, in the invoice's currency. """
    percent: float | None | Unset = UNSET
    """ The percentage that amount is of baseAmount, in percent; written as sent. """
    base_amount: float | None | Unset = UNSET
    """ What percent is a percentage of; written as sent. """
    reason: None | str | Unset = UNSET
    """ The reason as text. """
    reason_code: None | str | Unset = UNSET
    """ UNTDID 5189 (allowance) or 7161 (charge). """
    tax_rate: float | None | Unset = UNSET
    """ VAT rate in percent; absent: that of the lines, if they all have the same. """
    tax_category: AdjustmentTaxCategoryType1 | AdjustmentTaxCategoryType2Type1 | AdjustmentTaxCategoryType3Type1 | None | Unset = UNSET
    """ VAT category (UNTDID 5305); absent: S above 0 %, Z at 0 %. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        amount = self.amount

        percent: float | None | Unset
        if isinstance(self.percent, Unset):
            percent = UNSET
        else:
            percent = self.percent

        base_amount: float | None | Unset
        if isinstance(self.base_amount, Unset):
            base_amount = UNSET
        else:
            base_amount = self.base_amount

        reason: None | str | Unset
        if isinstance(self.reason, Unset):
            reason = UNSET
        else:
            reason = self.reason

        reason_code: None | str | Unset
        if isinstance(self.reason_code, Unset):
            reason_code = UNSET
        else:
            reason_code = self.reason_code

        tax_rate: float | None | Unset
        if isinstance(self.tax_rate, Unset):
            tax_rate = UNSET
        else:
            tax_rate = self.tax_rate

        tax_category: None | str | Unset
        if isinstance(self.tax_category, Unset):
            tax_category = UNSET
        elif isinstance(self.tax_category, AdjustmentTaxCategoryType1):
            tax_category = self.tax_category.value
        elif isinstance(self.tax_category, AdjustmentTaxCategoryType2Type1):
            tax_category = self.tax_category.value
        elif isinstance(self.tax_category, AdjustmentTaxCategoryType3Type1):
            tax_category = self.tax_category.value
        else:
            tax_category = self.tax_category


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "amount": amount,
        })
        if percent is not UNSET:
            field_dict["percent"] = percent
        if base_amount is not UNSET:
            field_dict["baseAmount"] = base_amount
        if reason is not UNSET:
            field_dict["reason"] = reason
        if reason_code is not UNSET:
            field_dict["reasonCode"] = reason_code
        if tax_rate is not UNSET:
            field_dict["taxRate"] = tax_rate
        if tax_category is not UNSET:
            field_dict["taxCategory"] = tax_category

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        amount = d.pop("amount")

        def _parse_percent(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        percent = _parse_percent(d.pop("percent", UNSET))


        def _parse_base_amount(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        base_amount = _parse_base_amount(d.pop("baseAmount", UNSET))


        def _parse_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reason = _parse_reason(d.pop("reason", UNSET))


        def _parse_reason_code(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reason_code = _parse_reason_code(d.pop("reasonCode", UNSET))


        def _parse_tax_rate(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        tax_rate = _parse_tax_rate(d.pop("taxRate", UNSET))


        def _parse_tax_category(data: object) -> AdjustmentTaxCategoryType1 | AdjustmentTaxCategoryType2Type1 | AdjustmentTaxCategoryType3Type1 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_category_type_1 = AdjustmentTaxCategoryType1(data)



                return tax_category_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_category_type_2_type_1 = AdjustmentTaxCategoryType2Type1(data)



                return tax_category_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_category_type_3_type_1 = AdjustmentTaxCategoryType3Type1(data)



                return tax_category_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AdjustmentTaxCategoryType1 | AdjustmentTaxCategoryType2Type1 | AdjustmentTaxCategoryType3Type1 | None | Unset, data)

        tax_category = _parse_tax_category(d.pop("taxCategory", UNSET))


        adjustment = cls(
            amount=amount,
            percent=percent,
            base_amount=base_amount,
            reason=reason,
            reason_code=reason_code,
            tax_rate=tax_rate,
            tax_category=tax_category,
        )


        adjustment.additional_properties = d
        return adjustment

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
