from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime






T = TypeVar("T", bound="UsageDay")



@_attrs_define
class UsageDay:


    date: datetime.date
    """ The day, in UTC """
    environment: str
    """ test or live """
    sent: int
    """ Accepted for sending: the sum of the next three """
    processing: int
    """ Processing """
    delivered: int
    """ Delivered """
    failed: int
    """ Failed """
    received: int
    """ Received documents """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        date = self.date.isoformat()

        environment = self.environment

        sent = self.sent

        processing = self.processing

        delivered = self.delivered

        failed = self.failed

        received = self.received


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "date": date,
            "environment": environment,
            "sent": sent,
            "processing": processing,
            "delivered": delivered,
            "failed": failed,
            "received": received,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        date = datetime.date.fromisoformat(d.pop("date"))




        environment = d.pop("environment")

        sent = d.pop("sent")

        processing = d.pop("processing")

        delivered = d.pop("delivered")

        failed = d.pop("failed")

        received = d.pop("received")

        usage_day = cls(
            date=date,
            environment=environment,
            sent=sent,
            processing=processing,
            delivered=delivered,
            failed=failed,
            received=received,
        )


        usage_day.additional_properties = d
        return usage_day

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
