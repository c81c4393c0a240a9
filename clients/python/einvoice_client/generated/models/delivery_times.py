from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="DeliveryTimes")



@_attrs_define
class DeliveryTimes:


    environment: str
    """ test or live """
    documents: int
    """ The documents that were counted: the newest 1,000 delivered of the last 30 days at most """
    median_seconds: float
    """ Half of them were delivered within this time """
    p_95_seconds: float
    """ 95 of 100 were delivered within this time """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        environment = self.environment

        documents = self.documents

        median_seconds = self.median_seconds

        p_95_seconds = self.p_95_seconds


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "environment": environment,
            "documents": documents,
            "medianSeconds": median_seconds,
            "p95Seconds": p_95_seconds,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        environment = d.pop("environment")

        documents = d.pop("documents")

        median_seconds = d.pop("medianSeconds")

        p_95_seconds = d.pop("p95Seconds")

        delivery_times = cls(
            environment=environment,
            documents=documents,
            median_seconds=median_seconds,
            p_95_seconds=p_95_seconds,
        )


        delivery_times.additional_properties = d
        return delivery_times

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
