from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.payment_of_invoice_request import PaymentOfInvoiceRequest





T = TypeVar("T", bound="PaymentsRequest")



@_attrs_define
class PaymentsRequest:
    """ Payments of several invoices, which are stored all or none.

     """

    payments: list[PaymentOfInvoiceRequest]
    """ The payments. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.payment_of_invoice_request import PaymentOfInvoiceRequest # noqa: PLC0415
        payments = []
        for payments_item_data in self.payments:
            payments_item = payments_item_data.to_dict()
            payments.append(payments_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "payments": payments,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.payment_of_invoice_request import PaymentOfInvoiceRequest # noqa: PLC0415
        d = dict(src_dict)
        payments = []
        _payments = d.pop("payments")
        for payments_item_data in (_payments):
            payments_item = PaymentOfInvoiceRequest.from_dict(payments_item_data)



            payments.append(payments_item)


        payments_request = cls(
            payments=payments,
        )


        payments_request.additional_properties = d
        return payments_request

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
