from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="BatchCounts")



@_attrs_define
class BatchCounts:
    """ The number of documents by status.

     """

    queued: int
    """ Accepted, not yet submitted to the network """
    processing: int
    """ Submitted to the network """
    delivered: int
    """ Delivered """
    acknowledged: int
    """ Filed by an authority """
    failed: int
    """ Could not be delivered """
    rejected: int
    """ Refused by an authority """
    blocked: int
    """ Refused by the service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        queued = self.queued

        processing = self.processing

        delivered = self.delivered

        acknowledged = self.acknowledged

        failed = self.failed

        rejected = self.rejected

        blocked = self.blocked


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "queued": queued,
            "processing": processing,
            "delivered": delivered,
            "acknowledged": acknowledged,
            "failed": failed,
            "rejected": rejected,
            "blocked": blocked,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        queued = d.pop("queued")

        processing = d.pop("processing")

        delivered = d.pop("delivered")

        acknowledged = d.pop("acknowledged")

        failed = d.pop("failed")

        rejected = d.pop("rejected")

        blocked = d.pop("blocked")

        batch_counts = cls(
            queued=queued,
            processing=processing,
            delivered=delivered,
            acknowledged=acknowledged,
            failed=failed,
            rejected=rejected,
            blocked=blocked,
        )


        batch_counts.additional_properties = d
        return batch_counts

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
