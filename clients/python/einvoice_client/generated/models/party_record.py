from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="PartyRecord")



@_attrs_define
class PartyRecord:
    """ A party of the delivery.

     """

    peppol_id: None | str
    """ ISO 6523 id; null for a receiver without one """
    country: None | str
    """ ISO 3166-1 alpha-2, from the document """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        peppol_id: None | str
        peppol_id = self.peppol_id

        country: None | str
        country = self.country


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "peppolId": peppol_id,
            "country": country,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_peppol_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        peppol_id = _parse_peppol_id(d.pop("peppolId"))


        def _parse_country(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        country = _parse_country(d.pop("country"))


        party_record = cls(
            peppol_id=peppol_id,
            country=country,
        )


        party_record.additional_properties = d
        return party_record

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
