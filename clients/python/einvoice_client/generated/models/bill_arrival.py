from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="BillArrival")



@_attrs_define
class BillArrival:
    """ A further arrival of a bill: one bill, two networks.

     """

    access_point: str
    """ By which it came """
    message_id: str
    """ The id of its message """
    received_at: datetime.datetime
    """ When it came """
    replaced_invoice_id: None | UUID
    """ The bill that it was before """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        access_point = self.access_point

        message_id = self.message_id

        received_at = self.received_at.isoformat()

        replaced_invoice_id: None | str
        if isinstance(self.replaced_invoice_id, UUID):
            replaced_invoice_id = str(self.replaced_invoice_id)
        else:
            replaced_invoice_id = self.replaced_invoice_id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "accessPoint": access_point,
            "messageId": message_id,
            "receivedAt": received_at,
            "replacedInvoiceId": replaced_invoice_id,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        access_point = d.pop("accessPoint")

        message_id = d.pop("messageId")

        received_at = datetime.datetime.fromisoformat(d.pop("receivedAt"))




        def _parse_replaced_invoice_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                replaced_invoice_id_type_0 = UUID(data)



                return replaced_invoice_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        replaced_invoice_id = _parse_replaced_invoice_id(d.pop("replacedInvoiceId"))


        bill_arrival = cls(
            access_point=access_point,
            message_id=message_id,
            received_at=received_at,
            replaced_invoice_id=replaced_invoice_id,
        )


        bill_arrival.additional_properties = d
        return bill_arrival

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
