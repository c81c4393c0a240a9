from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime

if TYPE_CHECKING:
  from ..models.file_of_identification import FileOfIdentification





T = TypeVar("T", bound="TenantIdentification")



@_attrs_define
class TenantIdentification:
    """ An identification of a tenant.

     """

    identification_id: UUID
    """ The identification """
    status: str
    """ pending, verified or rejected """
    method: str
    """ The method """
    document_kind: None | str
    """ The kind of document """
    numbers: list[str]
    """ The numbers in their normal form """
    identified_at: datetime.datetime
    """ When it was identified """
    identified_by: str
    """ By whom """
    decided_at: datetime.datetime | None
    """ When it was verified or rejected """
    decided_by: None | str
    """ platform (its word verifies) or operator """
    reason: None | str
    """ The reason of the operator """
    created_at: datetime.datetime
    """ When it was stored """
    files: list[FileOfIdentification]
    """ Files that prove it """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.file_of_identification import FileOfIdentification # noqa: PLC0415
        identification_id = str(self.identification_id)

        status = self.status

        method = self.method

        document_kind: None | str
        document_kind = self.document_kind

        numbers = self.numbers



        identified_at = self.identified_at.isoformat()

        identified_by = self.identified_by

        decided_at: None | str
        if isinstance(self.decided_at, datetime.datetime):
            decided_at = self.decided_at.isoformat()
        else:
            decided_at = self.decided_at

        decided_by: None | str
        decided_by = self.decided_by

        reason: None | str
        reason = self.reason

        created_at = self.created_at.isoformat()

        files = []
        for files_item_data in self.files:
            files_item = files_item_data.to_dict()
            files.append(files_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "identificationId": identification_id,
            "status": status,
            "method": method,
            "documentKind": document_kind,
            "numbers": numbers,
            "identifiedAt": identified_at,
            "identifiedBy": identified_by,
            "decidedAt": decided_at,
            "decidedBy": decided_by,
            "reason": reason,
            "createdAt": created_at,
            "files": files,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.file_of_identification import FileOfIdentification # noqa: PLC0415
        d = dict(src_dict)
        identification_id = UUID(d.pop("identificationId"))




        status = d.pop("status")

        method = d.pop("method")

        def _parse_document_kind(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        document_kind = _parse_document_kind(d.pop("documentKind"))


        numbers = cast(list[str], d.pop("numbers"))


        identified_at = datetime.datetime.fromisoformat(d.pop("identifiedAt"))




        identified_by = d.pop("identifiedBy")

        def _parse_decided_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                decided_at_type_0 = datetime.datetime.fromisoformat(data)



                return decided_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        decided_at = _parse_decided_at(d.pop("decidedAt"))


        def _parse_decided_by(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        decided_by = _parse_decided_by(d.pop("decidedBy"))


        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        files = []
        _files = d.pop("files")
        for files_item_data in (_files):
            files_item = FileOfIdentification.from_dict(files_item_data)



            files.append(files_item)


        tenant_identification = cls(
            identification_id=identification_id,
            status=status,
            method=method,
            document_kind=document_kind,
            numbers=numbers,
            identified_at=identified_at,
            identified_by=identified_by,
            decided_at=decided_at,
            decided_by=decided_by,
            reason=reason,
            created_at=created_at,
            files=files,
        )


        tenant_identification.additional_properties = d
        return tenant_identification

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
