from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.identification_file import IdentificationFile





T = TypeVar("T", bound="NewIdentification")



@_attrs_define
class NewIdentification:
    """ How you have identified the tenant.

     """

    method: str
    """ The method, in your words. """
    numbers: list[str]
    """ Numbers that are the tenant's: VAT numbers with their country (BE0123456749), register numbers with their
    scheme (0208:0123456749). """
    identified_at: str
    """ When it was identified. """
    identified_by: str
    """ By whom. """
    document_kind: None | str | Unset = UNSET
    """ The kind of document. """
    files: list[IdentificationFile] | None | Unset = UNSET
    """ Files that prove it. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.identification_file import IdentificationFile # noqa: PLC0415
        method = self.method

        numbers = self.numbers



        identified_at = self.identified_at

        identified_by = self.identified_by

        document_kind: None | str | Unset
        if isinstance(self.document_kind, Unset):
            document_kind = UNSET
        else:
            document_kind = self.document_kind

        files: list[dict[str, Any]] | None | Unset
        if isinstance(self.files, Unset):
            files = UNSET
        elif isinstance(self.files, list):
            files = []
            for files_type_0_item_data in self.files:
                files_type_0_item = files_type_0_item_data.to_dict()
                files.append(files_type_0_item)


        else:
            files = self.files


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "method": method,
            "numbers": numbers,
            "identifiedAt": identified_at,
            "identifiedBy": identified_by,
        })
        if document_kind is not UNSET:
            field_dict["documentKind"] = document_kind
        if files is not UNSET:
            field_dict["files"] = files

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.identification_file import IdentificationFile # noqa: PLC0415
        d = dict(src_dict)
        method = d.pop("method")

        numbers = cast(list[str], d.pop("numbers"))


        identified_at = d.pop("identifiedAt")

        identified_by = d.pop("identifiedBy")

        def _parse_document_kind(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        document_kind = _parse_document_kind(d.pop("documentKind", UNSET))


        def _parse_files(data: object) -> list[IdentificationFile] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                files_type_0 = []
                _files_type_0 = data
                for files_type_0_item_data in (_files_type_0):
                    files_type_0_item = IdentificationFile.from_dict(files_type_0_item_data)



                    files_type_0.append(files_type_0_item)

                return files_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[IdentificationFile] | None | Unset, data)

        files = _parse_files(d.pop("files", UNSET))


        new_identification = cls(
            method=method,
            numbers=numbers,
            identified_at=identified_at,
            identified_by=identified_by,
            document_kind=document_kind,
            files=files,
        )


        new_identification.additional_properties = d
        return new_identification

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
