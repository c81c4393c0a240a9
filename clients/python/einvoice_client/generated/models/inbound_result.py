from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from uuid import UUID






T = TypeVar("T", bound="InboundResult")



@_attrs_define
class InboundResult:
    """ The bill that has arrived.

     """

    invoice_id: UUID
    """ The bill """
    transaction_id: str
    """ Its transmission """
    network_status: str
    """ Always Received """
    message_id: str
    """ The id of the message """
    duplicate: bool
    """ Whether the message had arrived before: nothing was stored, and there is no event """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        invoice_id = str(self.invoice_id)

        transaction_id = self.transaction_id

        network_status = self.network_status

        message_id = self.message_id

        duplicate = self.duplicate

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "invoiceId": invoice_id,
            "transactionId": transaction_id,
            "networkStatus": network_status,
            "messageId": message_id,
            "duplicate": duplicate,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        invoice_id = UUID(d.pop("invoiceId"))




        transaction_id = d.pop("transactionId")

        network_status = d.pop("networkStatus")

        message_id = d.pop("messageId")

        duplicate = d.pop("duplicate")

        provider = d.pop("provider")

        inbound_result = cls(
            invoice_id=invoice_id,
            transaction_id=transaction_id,
            network_status=network_status,
            message_id=message_id,
            duplicate=duplicate,
            provider=provider,
        )


        inbound_result.additional_properties = d
        return inbound_result

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
