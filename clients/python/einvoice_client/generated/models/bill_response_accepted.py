from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="BillResponseAccepted")



@_attrs_define
class BillResponseAccepted:
    """ The response that was accepted; its status changes later.

     """

    response_id: UUID
    """ The response """
    response_code: str
    """ AB, IP, UQ, CA, RE, AP or PD (UNCL4343) """
    status: str
    """ Processing, Delivered or Failed """
    reason: None | str
    """ Why it failed """
    created_at: datetime.datetime
    """ When it was accepted """
    settled_at: datetime.datetime | None
    """ When it was delivered or failed """
    invoice_id: UUID
    """ The bill """
    idempotency_key_echo: None | str
    """ The given Idempotency-Key, or null """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        response_id = str(self.response_id)

        response_code = self.response_code

        status = self.status

        reason: None | str
        reason = self.reason

        created_at = self.created_at.isoformat()

        settled_at: None | str
        if isinstance(self.settled_at, datetime.datetime):
            settled_at = self.settled_at.isoformat()
        else:
            settled_at = self.settled_at

        invoice_id = str(self.invoice_id)

        idempotency_key_echo: None | str
        idempotency_key_echo = self.idempotency_key_echo

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "responseId": response_id,
            "responseCode": response_code,
            "status": status,
            "reason": reason,
            "createdAt": created_at,
            "settledAt": settled_at,
            "invoiceId": invoice_id,
            "idempotencyKeyEcho": idempotency_key_echo,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        response_id = UUID(d.pop("responseId"))




        response_code = d.pop("responseCode")

        status = d.pop("status")

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        def _parse_settled_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                settled_at_type_0 = datetime.datetime.fromisoformat(data)



                return settled_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        settled_at = _parse_settled_at(d.pop("settledAt"))


        invoice_id = UUID(d.pop("invoiceId"))




        def _parse_idempotency_key_echo(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        idempotency_key_echo = _parse_idempotency_key_echo(d.pop("idempotencyKeyEcho"))


        provider = d.pop("provider")

        bill_response_accepted = cls(
            response_id=response_id,
            response_code=response_code,
            status=status,
            reason=reason,
            created_at=created_at,
            settled_at=settled_at,
            invoice_id=invoice_id,
            idempotency_key_echo=idempotency_key_echo,
            provider=provider,
        )


        bill_response_accepted.additional_properties = d
        return bill_response_accepted

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
