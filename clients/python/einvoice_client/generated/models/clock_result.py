from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="ClockResult")



@_attrs_define
class ClockResult:
    """ Waiting work of the sandbox that is due earlier now.

     """

    advanced_seconds: int
    """ How much time has passed """
    documents: int
    """ Documents and messages on their way """
    webhooks: int
    """ Posts of webhooks that are still to be made """
    others: int
    """ Further moments: of keys, secrets, connections, endpoints and checks by networks """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        advanced_seconds = self.advanced_seconds

        documents = self.documents

        webhooks = self.webhooks

        others = self.others

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "advancedSeconds": advanced_seconds,
            "documents": documents,
            "webhooks": webhooks,
            "others": others,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        advanced_seconds = d.pop("advancedSeconds")

        documents = d.pop("documents")

        webhooks = d.pop("webhooks")

        others = d.pop("others")

        provider = d.pop("provider")

        clock_result = cls(
            advanced_seconds=advanced_seconds,
            documents=documents,
            webhooks=webhooks,
            others=others,
            provider=provider,
        )


        clock_result.additional_properties = d
        return clock_result

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
