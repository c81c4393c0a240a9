from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="NetworkFinding")



@_attrs_define
class NetworkFinding:
    """ An error or a warning that the network named.

     """

    rule_id: None | str
    """ The rule, if the network names one """
    message: str
    """ What is wrong; the network's own text where its rule is not known here """
    suggestion: None | str
    """ What to do """
    field: None | str
    """ Field of a send """
    location: None | str
    """ Path of the element in the document that was sent """
    network_text: str
    """ The network's own text """
    language: str | Unset = UNSET
    """ Language of the texts, if it is not that of Accept-Language; absent otherwise """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        rule_id: None | str
        rule_id = self.rule_id

        message = self.message

        suggestion: None | str
        suggestion = self.suggestion

        field: None | str
        field = self.field

        location: None | str
        location = self.location

        network_text = self.network_text

        language = self.language


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "ruleId": rule_id,
            "message": message,
            "suggestion": suggestion,
            "field": field,
            "location": location,
            "networkText": network_text,
        })
        if language is not UNSET:
            field_dict["language"] = language

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_rule_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        rule_id = _parse_rule_id(d.pop("ruleId"))


        message = d.pop("message")

        def _parse_suggestion(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        suggestion = _parse_suggestion(d.pop("suggestion"))


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


        network_text = d.pop("networkText")

        language = d.pop("language", UNSET)

        network_finding = cls(
            rule_id=rule_id,
            message=message,
            suggestion=suggestion,
            field=field,
            location=location,
            network_text=network_text,
            language=language,
        )


        network_finding.additional_properties = d
        return network_finding

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
