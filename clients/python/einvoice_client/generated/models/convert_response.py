from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.conversion_warning_record import ConversionWarningRecord
  from ..models.validation_record import ValidationRecord





T = TypeVar("T", bound="ConvertResponse")



@_attrs_define
class ConvertResponse:
    """ A document in another syntax.

     """

    format_: str
    """ Its syntax: ubl, cii or json """
    document_type: str
    """ invoice, creditNote, selfBilledInvoice or selfBilledCreditNote """
    document: str
    """ The XML document, or the body of a send as text """
    validation: ValidationRecord
    """ The traffic light: green is valid, amber valid with warnings, red is not sent. """
    warnings: list[ConversionWarningRecord]
    """ Assumptions, and what was lost or filled in """
    provider: str
    """ This service """
    truncated: bool | Unset = UNSET
    """ true if there are more than 1,000 warnings; absent otherwise """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.conversion_warning_record import ConversionWarningRecord # noqa: PLC0415
        from ..models.validation_record import ValidationRecord # noqa: PLC0415
        format_ = self.format_

        document_type = self.document_type

        document = self.document

        validation = self.validation.to_dict()

        warnings = []
        for warnings_item_data in self.warnings:
            warnings_item = warnings_item_data.to_dict()
            warnings.append(warnings_item)



        provider = self.provider

        truncated = self.truncated


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "format": format_,
            "documentType": document_type,
            "document": document,
            "validation": validation,
            "warnings": warnings,
            "provider": provider,
        })
        if truncated is not UNSET:
            field_dict["truncated"] = truncated

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.conversion_warning_record import ConversionWarningRecord # noqa: PLC0415
        from ..models.validation_record import ValidationRecord # noqa: PLC0415
        d = dict(src_dict)
        format_ = d.pop("format")

        document_type = d.pop("documentType")

        document = d.pop("document")

        validation = ValidationRecord.from_dict(d.pop("validation"))




        warnings = []
        _warnings = d.pop("warnings")
        for warnings_item_data in (_warnings):
            warnings_item = ConversionWarningRecord.from_dict(warnings_item_data)



            warnings.append(warnings_item)


        provider = d.pop("provider")

        truncated = d.pop("truncated", UNSET)

        convert_response = cls(
            format_=format_,
            document_type=document_type,
            document=document,
            validation=validation,
            warnings=warnings,
            provider=provider,
            truncated=truncated,
        )


        convert_response.additional_properties = d
        return convert_response

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
