from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.finding import Finding





T = TypeVar("T", bound="ValidationRecord")



@_attrs_define
class ValidationRecord:
    """ The traffic light: green is valid, amber valid with warnings, red is not sent.

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
    findings: list[Finding]
    """ Errors first """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.finding import Finding # noqa: PLC0415
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
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.finding import Finding # noqa: PLC0415
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
            findings_item = Finding.from_dict(findings_item_data)



            findings.append(findings_item)


        validation_record = cls(
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
        )


        validation_record.additional_properties = d
        return validation_record

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
