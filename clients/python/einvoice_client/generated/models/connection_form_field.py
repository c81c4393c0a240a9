from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="ConnectionFormField")



@_attrs_define
class ConnectionFormField:


    name: str
    """ Name in credentials """
    label: str
    """ What to show """
    kind: str
    """ text, secret or file """
    required: bool
    """ Whether it has to be given """
    max_size: int
    """ Characters, or bytes of a file, at most """
    hint: str
    """ Where to find it """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        name = self.name

        label = self.label

        kind = self.kind

        required = self.required

        max_size = self.max_size

        hint = self.hint


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
            "label": label,
            "kind": kind,
            "required": required,
            "maxSize": max_size,
            "hint": hint,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        label = d.pop("label")

        kind = d.pop("kind")

        required = d.pop("required")

        max_size = d.pop("maxSize")

        hint = d.pop("hint")

        connection_form_field = cls(
            name=name,
            label=label,
            kind=kind,
            required=required,
            max_size=max_size,
            hint=hint,
        )


        connection_form_field.additional_properties = d
        return connection_form_field

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
