from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.validation_finding import ValidationFinding
  from ..models.warning_record import WarningRecord





T = TypeVar("T", bound="ValidateResponse")



@_attrs_define
class ValidateResponse:
    """ The report on a document; with `Accept: text/html` it is a page.

     """

    traffic_light: str
    """ green, amber or red """
    outcome: str
    """ Pass, Warn or Block """
    syntax_errors: int
    """ Errors of XML or its schema """
    semantic_errors: int
    """ Violated rules that prevent sending """
    semantic_warnings: int
    """ Violated rules that do not """
    processing_time_ms: int | None
    """ Duration of the check; null if it was not measured """
    rule_set: str
    """ The rule set """
    rule_set_chosen_by: None | str
    """ Why this rule set: `document` (the document says that it is of this kind), `network` (it is the set of the
    network), or `request` (it was asked for); null for a report stored before this was recorded """
    format_: None | str
    """ ubl or cii; null for anything else """
    document_type: None | str
    """ invoice, creditNote, selfBilledInvoice or selfBilledCreditNote """
    findings: list[ValidationFinding]
    """ Errors first """
    rule_set_release: str
    """ The published name of the release of the rule set """
    rule_set_sha_256: str
    """ SHA-256 of its rules: the same digest means the same rules """
    document_sha_256: None | str
    """ SHA-256 of the document as given (of a PDF as a whole), or of the body of a send; null for an empty one """
    warnings: list[WarningRecord]
    """ What the service assumed or finds improbable; they change no light """
    provider: str
    """ This service """
    truncated: bool | Unset = UNSET
    """ true if there are more than 1,000 warnings; absent otherwise """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.validation_finding import ValidationFinding # noqa: PLC0415
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        traffic_light = self.traffic_light

        outcome = self.outcome

        syntax_errors = self.syntax_errors

        semantic_errors = self.semantic_errors

        semantic_warnings = self.semantic_warnings

        processing_time_ms: int | None
        processing_time_ms = self.processing_time_ms

        rule_set = self.rule_set

        rule_set_chosen_by: None | str
        rule_set_chosen_by = self.rule_set_chosen_by

        format_: None | str
        format_ = self.format_

        document_type: None | str
        document_type = self.document_type

        findings = []
        for findings_item_data in self.findings:
            findings_item = findings_item_data.to_dict()
            findings.append(findings_item)



        rule_set_release = self.rule_set_release

        rule_set_sha_256 = self.rule_set_sha_256

        document_sha_256: None | str
        document_sha_256 = self.document_sha_256

        warnings = []
        for warnings_item_data in self.warnings:
            warnings_item = warnings_item_data.to_dict()
            warnings.append(warnings_item)



        provider = self.provider

        truncated = self.truncated


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "trafficLight": traffic_light,
            "outcome": outcome,
            "syntaxErrors": syntax_errors,
            "semanticErrors": semantic_errors,
            "semanticWarnings": semantic_warnings,
            "processingTimeMs": processing_time_ms,
            "ruleSet": rule_set,
            "ruleSetChosenBy": rule_set_chosen_by,
            "format": format_,
            "documentType": document_type,
            "findings": findings,
            "ruleSetRelease": rule_set_release,
            "ruleSetSha256": rule_set_sha_256,
            "documentSha256": document_sha_256,
            "warnings": warnings,
            "provider": provider,
        })
        if truncated is not UNSET:
            field_dict["truncated"] = truncated

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.validation_finding import ValidationFinding # noqa: PLC0415
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        d = dict(src_dict)
        traffic_light = d.pop("trafficLight")

        outcome = d.pop("outcome")

        syntax_errors = d.pop("syntaxErrors")

        semantic_errors = d.pop("semanticErrors")

        semantic_warnings = d.pop("semanticWarnings")

        def _parse_processing_time_ms(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        processing_time_ms = _parse_processing_time_ms(d.pop("processingTimeMs"))


        rule_set = d.pop("ruleSet")

        def _parse_rule_set_chosen_by(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        rule_set_chosen_by = _parse_rule_set_chosen_by(d.pop("ruleSetChosenBy"))


        def _parse_format_(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        format_ = _parse_format_(d.pop("format"))


        def _parse_document_type(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        document_type = _parse_document_type(d.pop("documentType"))


        findings = []
        _findings = d.pop("findings")
        for findings_item_data in (_findings):
            findings_item = ValidationFinding.from_dict(findings_item_data)



            findings.append(findings_item)


        rule_set_release = d.pop("ruleSetRelease")

        rule_set_sha_256 = d.pop("ruleSetSha256")

        def _parse_document_sha_256(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        document_sha_256 = _parse_document_sha_256(d.pop("documentSha256"))


        warnings = []
        _warnings = d.pop("warnings")
        for warnings_item_data in (_warnings):
            warnings_item = WarningRecord.from_dict(warnings_item_data)



            warnings.append(warnings_item)


        provider = d.pop("provider")

        truncated = d.pop("truncated", UNSET)

        validate_response = cls(
            traffic_light=traffic_light,
            outcome=outcome,
            syntax_errors=syntax_errors,
            semantic_errors=semantic_errors,
            semantic_warnings=semantic_warnings,
            processing_time_ms=processing_time_ms,
            rule_set=rule_set,
            rule_set_chosen_by=rule_set_chosen_by,
            format_=format_,
            document_type=document_type,
            findings=findings,
            rule_set_release=rule_set_release,
            rule_set_sha_256=rule_set_sha_256,
            document_sha_256=document_sha_256,
            warnings=warnings,
            provider=provider,
            truncated=truncated,
        )


        validate_response.additional_properties = d
        return validate_response

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
