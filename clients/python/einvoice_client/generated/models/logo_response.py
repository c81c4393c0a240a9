from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="LogoResponse")



@_attrs_define
class LogoResponse:


    content_type: str
    """ image/png or image/jpeg """
    size_bytes: int
    """ Its size in bytes """
    sha256: str
    """ SHA-256 of the image, hex """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        content_type = self.content_type

        size_bytes = self.size_bytes

        sha256 = self.sha256

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "contentType": content_type,
            "sizeBytes": size_bytes,
            "sha256": sha256,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        content_type = d.pop("contentType")

        size_bytes = d.pop("sizeBytes")

        sha256 = d.pop("sha256")

        provider = d.pop("provider")

        logo_response = cls(
            content_type=content_type,
            size_bytes=size_bytes,
            sha256=sha256,
            provider=provider,
        )


        logo_response.additional_properties = d
        return logo_response

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
