from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="ResponseRecord")



@_attrs_define
class ResponseRecord:
    """ A response of the receiver to the document.

     """

    type_: str
    """ INVOICE_RESPONSE or MLS """
    response_code: None | str
    """ AB, IP, UQ, CA, RE, AP or PD (UNCL4343) """
    created_at: datetime.datetime
    """ When it was received """
    artefact_id: str
    """ The complete response """
    reasons: list[str] | Unset = UNSET
    """ The reasons as text """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        response_code: None | str
        response_code = self.response_code

        created_at = self.created_at.isoformat()

        artefact_id = self.artefact_id

        reasons: list[str] | Unset = UNSET
        if not isinstance(self.reasons, Unset):
            reasons = self.reasons




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "type": type_,
            "responseCode": response_code,
            "createdAt": created_at,
            "artefactId": artefact_id,
        })
        if reasons is not UNSET:
            field_dict["reasons"] = reasons

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = d.pop("type")

        def _parse_response_code(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        response_code = _parse_response_code(d.pop("responseCode"))


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        artefact_id = d.pop("artefactId")

        reasons = cast(list[str], d.pop("reasons", UNSET))


        response_record = cls(
            type_=type_,
            response_code=response_code,
            created_at=created_at,
            artefact_id=artefact_id,
            reasons=reasons,
        )


        response_record.additional_properties = d
        return response_record

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
