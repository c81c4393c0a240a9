from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="FileOfIdentification")



@_attrs_define
class FileOfIdentification:
    """ A file, without its content.

     """

    file_id: UUID
    """ The file """
    name: str
    """ Its name """
    content_type: str
    """ Its media type """
    size_bytes: int
    """ Its size """
    sha256: str
    """ SHA-256 of its content """
    keep_until: datetime.datetime
    """ When it is deleted """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        file_id = str(self.file_id)

        name = self.name

        content_type = self.content_type

        size_bytes = self.size_bytes

        sha256 = self.sha256

        keep_until = self.keep_until.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "fileId": file_id,
            "name": name,
            "contentType": content_type,
            "sizeBytes": size_bytes,
            "sha256": sha256,
            "keepUntil": keep_until,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        file_id = UUID(d.pop("fileId"))




        name = d.pop("name")

        content_type = d.pop("contentType")

        size_bytes = d.pop("sizeBytes")

        sha256 = d.pop("sha256")

        keep_until = datetime.datetime.fromisoformat(d.pop("keepUntil"))




        file_of_identification = cls(
            file_id=file_id,
            name=name,
            content_type=content_type,
            size_bytes=size_bytes,
            sha256=sha256,
            keep_until=keep_until,
        )


        file_of_identification.additional_properties = d
        return file_of_identification

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
