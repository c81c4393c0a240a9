from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime






T = TypeVar("T", bound="ArtefactRecord")



@_attrs_define
class ArtefactRecord:
    """ An artefact that can be downloaded.

     """

    artefact_id: str
    """ Id of the artefact """
    type_: str
    """ RECEIPT, UBL, VALIDATION_REPORT, FAILURE_REPORT, ORIGINAL … """
    name: str
    """ File name """
    content_type: str
    """ MIME type """
    size_bytes: int
    """ Size of the content in bytes """
    sha256: str
    """ SHA-256 of the content, hex """
    created_at: datetime.datetime
    """ When it was stored """
    authority_reference: None | str
    """ The number an authority gave it """
    legal_original: bool
    """ Whether it is legally the invoice """
    retention_years: int | None
    """ Years that its network asks to keep it """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        artefact_id = self.artefact_id

        type_ = self.type_

        name = self.name

        content_type = self.content_type

        size_bytes = self.size_bytes

        sha256 = self.sha256

        created_at = self.created_at.isoformat()

        authority_reference: None | str
        authority_reference = self.authority_reference

        legal_original = self.legal_original

        retention_years: int | None
        retention_years = self.retention_years


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "artefactId": artefact_id,
            "type": type_,
            "name": name,
            "contentType": content_type,
            "sizeBytes": size_bytes,
            "sha256": sha256,
            "createdAt": created_at,
            "authorityReference": authority_reference,
            "legalOriginal": legal_original,
            "retentionYears": retention_years,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        artefact_id = d.pop("artefactId")

        type_ = d.pop("type")

        name = d.pop("name")

        content_type = d.pop("contentType")

        size_bytes = d.pop("sizeBytes")

        sha256 = d.pop("sha256")

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        def _parse_authority_reference(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        authority_reference = _parse_authority_reference(d.pop("authorityReference"))


        legal_original = d.pop("legalOriginal")

        def _parse_retention_years(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        retention_years = _parse_retention_years(d.pop("retentionYears"))


        artefact_record = cls(
            artefact_id=artefact_id,
            type_=type_,
            name=name,
            content_type=content_type,
            size_bytes=size_bytes,
            sha256=sha256,
            created_at=created_at,
            authority_reference=authority_reference,
            legal_original=legal_original,
            retention_years=retention_years,
        )


        artefact_record.additional_properties = d
        return artefact_record

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
