from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.found_participant import FoundParticipant
  from ..models.searched_source_record import SearchedSourceRecord





T = TypeVar("T", bound="ParticipantSearchResponse")



@_attrs_define
class ParticipantSearchResponse:


    items: list[FoundParticipant]
    """ The hits, in the order of the sources; at most limit of each """
    sources: list[SearchedSourceRecord]
    """ What was searched: customers, suppliers, then networks """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.found_participant import FoundParticipant # noqa: PLC0415
        from ..models.searched_source_record import SearchedSourceRecord # noqa: PLC0415
        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)



        sources = []
        for sources_item_data in self.sources:
            sources_item = sources_item_data.to_dict()
            sources.append(sources_item)



        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "items": items,
            "sources": sources,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.found_participant import FoundParticipant # noqa: PLC0415
        from ..models.searched_source_record import SearchedSourceRecord # noqa: PLC0415
        d = dict(src_dict)
        items = []
        _items = d.pop("items")
        for items_item_data in (_items):
            items_item = FoundParticipant.from_dict(items_item_data)



            items.append(items_item)


        sources = []
        _sources = d.pop("sources")
        for sources_item_data in (_sources):
            sources_item = SearchedSourceRecord.from_dict(sources_item_data)



            sources.append(sources_item)


        provider = d.pop("provider")

        participant_search_response = cls(
            items=items,
            sources=sources,
            provider=provider,
        )


        participant_search_response.additional_properties = d
        return participant_search_response

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
