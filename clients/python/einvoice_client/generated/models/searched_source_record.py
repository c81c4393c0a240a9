from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="SearchedSourceRecord")



@_attrs_define
class SearchedSourceRecord:
    """ A source that was searched, or did not answer.

     """

    source: str
    """ customer, supplier or network """
    network: None | str
    """ The network; null for the directory """
    environment: None | str
    """ test or live, of the network """
    status: str
    """ searched or unavailable """
    detail: None | str
    """ Why it is unavailable """
    has_more: bool
    """ Whether there may be more hits than listed """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        source = self.source

        network: None | str
        network = self.network

        environment: None | str
        environment = self.environment

        status = self.status

        detail: None | str
        detail = self.detail

        has_more = self.has_more


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "source": source,
            "network": network,
            "environment": environment,
            "status": status,
            "detail": detail,
            "hasMore": has_more,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        source = d.pop("source")

        def _parse_network(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        network = _parse_network(d.pop("network"))


        def _parse_environment(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        environment = _parse_environment(d.pop("environment"))


        status = d.pop("status")

        def _parse_detail(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        detail = _parse_detail(d.pop("detail"))


        has_more = d.pop("hasMore")

        searched_source_record = cls(
            source=source,
            network=network,
            environment=environment,
            status=status,
            detail=detail,
            has_more=has_more,
        )


        searched_source_record.additional_properties = d
        return searched_source_record

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
