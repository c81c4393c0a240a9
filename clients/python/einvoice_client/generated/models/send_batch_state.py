from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from uuid import UUID

if TYPE_CHECKING:
  from ..models.problem import Problem





T = TypeVar("T", bound="SendBatchState")



@_attrs_define
class SendBatchState:
    """ The current state of one send.

     """

    index: int
    """ Zero-based index in the request """
    invoice_id: None | UUID
    """ The invoice; null if it was refused """
    number: None | str
    """ Its number """
    network_status: None | str
    """ Processing, Delivered or Failed; null if it was refused """
    error: Problem | Unset = UNSET
    """ A refusal (RFC 7807). `type` says which one it is. Other types may be added: handle an unknown one by its
    status. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.problem import Problem # noqa: PLC0415
        index = self.index

        invoice_id: None | str
        if isinstance(self.invoice_id, UUID):
            invoice_id = str(self.invoice_id)
        else:
            invoice_id = self.invoice_id

        number: None | str
        number = self.number

        network_status: None | str
        network_status = self.network_status

        error: dict[str, Any] | Unset = UNSET
        if not isinstance(self.error, Unset):
            error = self.error.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "index": index,
            "invoiceId": invoice_id,
            "number": number,
            "networkStatus": network_status,
        })
        if error is not UNSET:
            field_dict["error"] = error

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.problem import Problem # noqa: PLC0415
        d = dict(src_dict)
        index = d.pop("index")

        def _parse_invoice_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                invoice_id_type_0 = UUID(data)



                return invoice_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        invoice_id = _parse_invoice_id(d.pop("invoiceId"))


        def _parse_number(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        number = _parse_number(d.pop("number"))


        def _parse_network_status(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        network_status = _parse_network_status(d.pop("networkStatus"))


        _error = d.pop("error", UNSET)
        error: Problem | Unset
        if isinstance(_error,  Unset):
            error = UNSET
        else:
            error = Problem.from_dict(_error)




        send_batch_state = cls(
            index=index,
            invoice_id=invoice_id,
            number=number,
            network_status=network_status,
            error=error,
        )


        send_batch_state.additional_properties = d
        return send_batch_state

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
