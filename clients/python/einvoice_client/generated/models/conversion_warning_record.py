from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ConversionWarningRecord")



@_attrs_define
class ConversionWarningRecord:
    """ An assumption of the service, or a term that was lost or filled in.

     """

    code: str
    """ not-carried-over, filled-in, or the code of an assumption """
    message: str
    """ The assumption or warning as text """
    field: None | str
    """ The field it is about """
    location: None | str
    """ XPath of the place in the source """
    line: int | None
    """ Line in the source """
    language: str | Unset = UNSET
    """ Language of the texts, if it is not that of Accept-Language; absent otherwise """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        code = self.code

        message = self.message

        field: None | str
        field = self.field

        location: None | str
        location = self.location

        line: int | None
        line = self.line

        language = self.language


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "code": code,
            "message": message,
            "field": field,
            "location": location,
            "line": line,
        })
        if language is not UNSET:
            field_dict["language"] = language

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        message = d.pop("message")

        def _parse_field(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        field = _parse_field(d.pop("field"))


        def _parse_location(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        location = _parse_location(d.pop("location"))


        def _parse_line(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        line = _parse_line(d.pop("line"))


        language = d.pop("language", UNSET)

        conversion_warning_record = cls(
            code=code,
            message=message,
            field=field,
            location=location,
            line=line,
            language=language,
        )


        conversion_warning_record.additional_properties = d
        return conversion_warning_record

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
