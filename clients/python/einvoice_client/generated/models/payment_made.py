from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="PaymentMade")



@_attrs_define
class PaymentMade:
    """ A payment, and how much of its invoice is paid with it.

     """

    payment_id: UUID
    """ The payment """
    invoice_id: UUID
    """ The invoice """
    amount: float
    """ In the currency of the invoice """
    date: datetime.date
    """ When it was paid """
    reference: None | str
    """ Your own """
    created_at: datetime.datetime
    """ When you stated it """
    amount_paid: float
    """ What is paid of the invoice then """
    paid: bool
    """ Whether that reaches its amount due """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        payment_id = str(self.payment_id)

        invoice_id = str(self.invoice_id)

        amount = self.amount

        date = self.date.isoformat()

        reference: None | str
        reference = self.reference

        created_at = self.created_at.isoformat()

        amount_paid = self.amount_paid

        paid = self.paid


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "paymentId": payment_id,
            "invoiceId": invoice_id,
            "amount": amount,
            "date": date,
            "reference": reference,
            "createdAt": created_at,
            "amountPaid": amount_paid,
            "paid": paid,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        payment_id = UUID(d.pop("paymentId"))




        invoice_id = UUID(d.pop("invoiceId"))




        amount = d.pop("amount")

        date = datetime.date.fromisoformat(d.pop("date"))




        def _parse_reference(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reference = _parse_reference(d.pop("reference"))


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        amount_paid = d.pop("amountPaid")

        paid = d.pop("paid")

        payment_made = cls(
            payment_id=payment_id,
            invoice_id=invoice_id,
            amount=amount,
            date=date,
            reference=reference,
            created_at=created_at,
            amount_paid=amount_paid,
            paid=paid,
        )


        payment_made.additional_properties = d
        return payment_made

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
