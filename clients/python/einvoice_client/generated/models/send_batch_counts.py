from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="SendBatchCounts")



@_attrs_define
class SendBatchCounts:
    """ The number of sends by state.

     """

    processing: int
    """ Processing """
    delivered: int
    """ Delivered """
    failed: int
    """ Failed """
    rejected: int
    """ Refused by the service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        processing = self.processing

        delivered = self.delivered

        failed = self.failed

        rejected = self.rejected


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "processing": processing,
            "delivered": delivered,
            "failed": failed,
            "rejected": rejected,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        processing = d.pop("processing")

        delivered = d.pop("delivered")

        failed = d.pop("failed")

        rejected = d.pop("rejected")

        send_batch_counts = cls(
            processing=processing,
            delivered=delivered,
            failed=failed,
            rejected=rejected,
        )


        send_batch_counts.additional_properties = d
        return send_batch_counts

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
