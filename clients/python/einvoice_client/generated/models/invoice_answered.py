from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="InvoiceAnswered")



@_attrs_define
class InvoiceAnswered:
    """ Of a sent invoice: what its receiver has said of it after delivery. Of a bill: your newest response.

     """

    status: str
    """ Of a sent invoice: received, inProcess, accepted, conditionallyAccepted, rejected, paid, undeliverable,
    cancelled. Of a bill: Processing, Delivered or Failed """
    at: datetime.datetime | Unset = UNSET
    """ Of a sent invoice: when the receiver said it """
    by: None | str | Unset = UNSET
    """ Of a sent invoice: who said it, as far as the network tells """
    reasons: list[str] | Unset = UNSET
    """ Of a sent invoice: why """
    text: None | str | Unset = UNSET
    """ Of a sent invoice: words about the whole response """
    response_id: UUID | Unset = UNSET
    """ Of a bill: the response """
    response_code: str | Unset = UNSET
    """ Of a bill: AB, IP, UQ, CA, RE, AP or PD (UNCL4343) """
    reason: None | str | Unset = UNSET
    """ Of a bill: why it failed """
    created_at: datetime.datetime | Unset = UNSET
    """ Of a bill: when it was accepted """
    settled_at: datetime.datetime | None | Unset = UNSET
    """ Of a bill: when it was delivered or failed """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        status = self.status

        at: str | Unset = UNSET
        if not isinstance(self.at, Unset):
            at = self.at.isoformat()

        by: None | str | Unset
        if isinstance(self.by, Unset):
            by = UNSET
        else:
            by = self.by

        reasons: list[str] | Unset = UNSET
        if not isinstance(self.reasons, Unset):
            reasons = self.reasons



        text: None | str | Unset
        if isinstance(self.text, Unset):
            text = UNSET
        else:
            text = self.text

        response_id: str | Unset = UNSET
        if not isinstance(self.response_id, Unset):
            response_id = str(self.response_id)

        response_code = self.response_code

        reason: None | str | Unset
        if isinstance(self.reason, Unset):
            reason = UNSET
        else:
            reason = self.reason

        created_at: str | Unset = UNSET
        if not isinstance(self.created_at, Unset):
            created_at = self.created_at.isoformat()

        settled_at: None | str | Unset
        if isinstance(self.settled_at, Unset):
            settled_at = UNSET
        elif isinstance(self.settled_at, datetime.datetime):
            settled_at = self.settled_at.isoformat()
        else:
            settled_at = self.settled_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "status": status,
        })
        if at is not UNSET:
            field_dict["at"] = at
        if by is not UNSET:
            field_dict["by"] = by
        if reasons is not UNSET:
            field_dict["reasons"] = reasons
        if text is not UNSET:
            field_dict["text"] = text
        if response_id is not UNSET:
            field_dict["responseId"] = response_id
        if response_code is not UNSET:
            field_dict["responseCode"] = response_code
        if reason is not UNSET:
            field_dict["reason"] = reason
        if created_at is not UNSET:
            field_dict["createdAt"] = created_at
        if settled_at is not UNSET:
            field_dict["settledAt"] = settled_at

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = d.pop("status")

        _at = d.pop("at", UNSET)
        at: datetime.datetime | Unset
        if isinstance(_at,  Unset):
            at = UNSET
        else:
            at = datetime.datetime.fromisoformat(_at)




        def _parse_by(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        by = _parse_by(d.pop("by", UNSET))


        reasons = cast(list[str], d.pop("reasons", UNSET))


        def _parse_text(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        text = _parse_text(d.pop("text", UNSET))


        _response_id = d.pop("responseId", UNSET)
        response_id: UUID | Unset
        if isinstance(_response_id,  Unset):
            response_id = UNSET
        else:
            response_id = UUID(_response_id)




        response_code = d.pop("responseCode", UNSET)

        def _parse_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reason = _parse_reason(d.pop("reason", UNSET))


        _created_at = d.pop("createdAt", UNSET)
        created_at: datetime.datetime | Unset
        if isinstance(_created_at,  Unset):
            created_at = UNSET
        else:
            created_at = datetime.datetime.fromisoformat(_created_at)




        def _parse_settled_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                settled_at_type_0 = datetime.datetime.fromisoformat(data)



                return settled_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        settled_at = _parse_settled_at(d.pop("settledAt", UNSET))


        invoice_answered = cls(
            status=status,
            at=at,
            by=by,
            reasons=reasons,
            text=text,
            response_id=response_id,
            response_code=response_code,
            reason=reason,
            created_at=created_at,
            settled_at=settled_at,
        )


        invoice_answered.additional_properties = d
        return invoice_answered

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
