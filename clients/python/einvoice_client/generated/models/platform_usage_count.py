from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="PlatformUsageCount")



@_attrs_define
class PlatformUsageCount:
    """ How many documents of one kind.

     """

    network: str
    """ The network """
    direction: str
    """ sent or received """
    outcome: str
    """ processing, delivered, failed or received """
    documents: int
    """ How many """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        network = self.network

        direction = self.direction

        outcome = self.outcome

        documents = self.documents


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "network": network,
            "direction": direction,
            "outcome": outcome,
            "documents": documents,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        network = d.pop("network")

        direction = d.pop("direction")

        outcome = d.pop("outcome")

        documents = d.pop("documents")

        platform_usage_count = cls(
            network=network,
            direction=direction,
            outcome=outcome,
            documents=documents,
        )


        platform_usage_count.additional_properties = d
        return platform_usage_count

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
