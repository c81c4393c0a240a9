from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime






T = TypeVar("T", bound="HeldAddressRecord")



@_attrs_define
class HeldAddressRecord:


    held_address_id: str
    """ The id of the entry """
    address: str
    """ The address of a buyer """
    reason: str
    """ The words of its mail server """
    since: datetime.datetime
    """ Since when it gets no mail """
    until: datetime.datetime
    """ When it gets mail again by itself """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        held_address_id = self.held_address_id

        address = self.address

        reason = self.reason

        since = self.since.isoformat()

        until = self.until.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "heldAddressId": held_address_id,
            "address": address,
            "reason": reason,
            "since": since,
            "until": until,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        held_address_id = d.pop("heldAddressId")

        address = d.pop("address")

        reason = d.pop("reason")

        since = datetime.datetime.fromisoformat(d.pop("since"))




        until = datetime.datetime.fromisoformat(d.pop("until"))




        held_address_record = cls(
            held_address_id=held_address_id,
            address=address,
            reason=reason,
            since=since,
            until=until,
        )


        held_address_record.additional_properties = d
        return held_address_record

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
