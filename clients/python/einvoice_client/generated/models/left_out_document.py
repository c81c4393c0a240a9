from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="LeftOutDocument")



@_attrs_define
class LeftOutDocument:
    """ A document that belongs into a report and is not in it.

     """

    invoice_id: str
    """ The document; empty: the whole period """
    number: str
    """ Its number """
    reason: str
    """ Why, and what to do """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        invoice_id = self.invoice_id

        number = self.number

        reason = self.reason


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "invoiceId": invoice_id,
            "number": number,
            "reason": reason,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        invoice_id = d.pop("invoiceId")

        number = d.pop("number")

        reason = d.pop("reason")

        left_out_document = cls(
            invoice_id=invoice_id,
            number=number,
            reason=reason,
        )


        left_out_document.additional_properties = d
        return left_out_document

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
