from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ValidationFinding")



@_attrs_define
class ValidationFinding:
    """ A finding about a document that is validated and not sent.

     """

    severity: str
    """ error, warning or information """
    source: str
    """ Origin: xsd, en16931, peppol, country, or network for findings about the request """
    rule_id: str
    """ Permanent id of the rule """
    message: str
    """ What the rule requires """
    explanation: None | str
    """ The reason, in plain language """
    suggestion: None | str
    """ What to change """
    location: None | str
    """ XPath of the place """
    field: None | str
    """ The same place in a send request """
    line: int | None | Unset = UNSET
    """ Line in the document """
    business_terms: list[str] | Unset = UNSET
    """ Terms of EN 16931 """
    language: str | Unset = UNSET
    """ Language of the texts, if it is not that of Accept-Language; absent otherwise """
    value: str | Unset = UNSET
    """ What the document has at the place of the finding """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        severity = self.severity

        source = self.source

        rule_id = self.rule_id

        message = self.message

        explanation: None | str
        explanation = self.explanation

        suggestion: None | str
        suggestion = self.suggestion

        location: None | str
        location = self.location

        field: None | str
        field = self.field

        line: int | None | Unset
        if isinstance(self.line, Unset):
            line = UNSET
        else:
            line = self.line

        business_terms: list[str] | Unset = UNSET
        if not isinstance(self.business_terms, Unset):
            business_terms = self.business_terms



        language = self.language

        value = self.value


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "severity": severity,
            "source": source,
            "ruleId": rule_id,
            "message": message,
            "explanation": explanation,
            "suggestion": suggestion,
            "location": location,
            "field": field,
        })
        if line is not UNSET:
            field_dict["line"] = line
        if business_terms is not UNSET:
            field_dict["businessTerms"] = business_terms
        if language is not UNSET:
            field_dict["language"] = language
        if value is not UNSET:
            field_dict["value"] = value

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        severity = d.pop("severity")

        source = d.pop("source")

        rule_id = d.pop("ruleId")

        message = d.pop("message")

        def _parse_explanation(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        explanation = _parse_explanation(d.pop("explanation"))


        def _parse_suggestion(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        suggestion = _parse_suggestion(d.pop("suggestion"))


        def _parse_location(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        location = _parse_location(d.pop("location"))


        def _parse_field(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        field = _parse_field(d.pop("field"))


        def _parse_line(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        line = _parse_line(d.pop("line", UNSET))


        business_terms = cast(list[str], d.pop("businessTerms", UNSET))


        language = d.pop("language", UNSET)

        value = d.pop("value", UNSET)

        validation_finding = cls(
            severity=severity,
            source=source,
            rule_id=rule_id,
            message=message,
            explanation=explanation,
            suggestion=suggestion,
            location=location,
            field=field,
            line=line,
            business_terms=business_terms,
            language=language,
            value=value,
        )


        validation_finding.additional_properties = d
        return validation_finding

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
