from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.prepayment_tax_category_type_1 import PrepaymentTaxCategoryType1
from ..models.prepayment_tax_category_type_2_type_1 import PrepaymentTaxCategoryType2Type1
from ..models.prepayment_tax_category_type_3_type_1 import PrepaymentTaxCategoryType3Type1
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.tax_exemption import TaxExemption





T = TypeVar("T", bound="Prepayment")



@_attrs_define
class Prepayment:


    number: str
    """ Its number. """
    issue_date: datetime.date
    """ Its issue date. """
    taxable_amount: float
    """ The part without VAT at one rate. """
    tax_amount: float
    """ The VAT of this part. """
    tax_rate: float
    """ VAT rate in percent. """
    issue_time: None | str | Unset = UNSET
    """ Its time of issue. """
    tax_category: None | PrepaymentTaxCategoryType1 | PrepaymentTaxCategoryType2Type1 | PrepaymentTaxCategoryType3Type1 | Unset = UNSET
    """ VAT category (UNTDID 5305); absent: S above 0 %, Z at 0 %. """
    tax_exemption: None | TaxExemption | Unset = UNSET
    """ Reason why this part has no VAT. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.tax_exemption import TaxExemption # noqa: PLC0415
        number = self.number

        issue_date = self.issue_date.isoformat()

        taxable_amount = self.taxable_amount

        tax_amount = self.tax_amount

        tax_rate = self.tax_rate

        issue_time: None | str | Unset
        if isinstance(self.issue_time, Unset):
            issue_time = UNSET
        else:
            issue_time = self.issue_time

        tax_category: None | str | Unset
        if isinstance(self.tax_category, Unset):
            tax_category = UNSET
        elif isinstance(self.tax_category, PrepaymentTaxCategoryType1):
            tax_category = self.tax_category.value
        elif isinstance(self.tax_category, PrepaymentTaxCategoryType2Type1):
            tax_category = self.tax_category.value
        elif isinstance(self.tax_category, PrepaymentTaxCategoryType3Type1):
            tax_category = self.tax_category.value
        else:
            tax_category = self.tax_category

        tax_exemption: dict[str, Any] | None | Unset
        if isinstance(self.tax_exemption, Unset):
            tax_exemption = UNSET
        elif isinstance(self.tax_exemption, TaxExemption):
            tax_exemption = self.tax_exemption.to_dict()
        else:
            tax_exemption = self.tax_exemption


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "number": number,
            "issueDate": issue_date,
            "taxableAmount": taxable_amount,
            "taxAmount": tax_amount,
            "taxRate": tax_rate,
        })
        if issue_time is not UNSET:
            field_dict["issueTime"] = issue_time
        if tax_category is not UNSET:
            field_dict["taxCategory"] = tax_category
        if tax_exemption is not UNSET:
            field_dict["taxExemption"] = tax_exemption

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tax_exemption import TaxExemption # noqa: PLC0415
        d = dict(src_dict)
        number = d.pop("number")

        issue_date = datetime.date.fromisoformat(d.pop("issueDate"))




        taxable_amount = d.pop("taxableAmount")

        tax_amount = d.pop("taxAmount")

        tax_rate = d.pop("taxRate")

        def _parse_issue_time(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        issue_time = _parse_issue_time(d.pop("issueTime", UNSET))


        def _parse_tax_category(data: object) -> None | PrepaymentTaxCategoryType1 | PrepaymentTaxCategoryType2Type1 | PrepaymentTaxCategoryType3Type1 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_category_type_1 = PrepaymentTaxCategoryType1(data)



                return tax_category_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_category_type_2_type_1 = PrepaymentTaxCategoryType2Type1(data)



                return tax_category_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                tax_category_type_3_type_1 = PrepaymentTaxCategoryType3Type1(data)



                return tax_category_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PrepaymentTaxCategoryType1 | PrepaymentTaxCategoryType2Type1 | PrepaymentTaxCategoryType3Type1 | Unset, data)

        tax_category = _parse_tax_category(d.pop("taxCategory", UNSET))


        def _parse_tax_exemption(data: object) -> None | TaxExemption | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                tax_exemption_type_0 = TaxExemption.from_dict(data)



                return tax_exemption_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TaxExemption | Unset, data)

        tax_exemption = _parse_tax_exemption(d.pop("taxExemption", UNSET))


        prepayment = cls(
            number=number,
            issue_date=issue_date,
            taxable_amount=taxable_amount,
            tax_amount=tax_amount,
            tax_rate=tax_rate,
            issue_time=issue_time,
            tax_category=tax_category,
            tax_exemption=tax_exemption,
        )


        prepayment.additional_properties = d
        return prepayment

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
