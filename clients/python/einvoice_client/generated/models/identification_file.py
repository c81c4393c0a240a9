from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="IdentificationFile")



@_attrs_define
class IdentificationFile:
    """ A file that proves it.

     """

    name: str
    """ Its name. """
    content_type: str
    """ Its media type. """
    content: str
    """ At most 2 MiB, in base64. """
    keep_until: None | str | Unset = UNSET
    """ When it is deleted; default: in five years. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        name = self.name

        content_type = self.content_type

        content = self.content

        keep_until: None | str | Unset
        if isinstance(self.keep_until, Unset):
            keep_until = UNSET
        else:
            keep_until = self.keep_until


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
            "contentType": content_type,
            "content": content,
        })
        if keep_until is not UNSET:
            field_dict["keepUntil"] = keep_until

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        content_type = d.pop("contentType")

        content = d.pop("content")

        def _parse_keep_until(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        keep_until = _parse_keep_until(d.pop("keepUntil", UNSET))


        identification_file = cls(
            name=name,
            content_type=content_type,
            content=content,
            keep_until=keep_until,
        )


        identification_file.additional_properties = d
        return identification_file

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
