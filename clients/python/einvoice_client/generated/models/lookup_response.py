from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from uuid import UUID






T = TypeVar("T", bound="LookupResponse")



@_attrs_define
class LookupResponse:


    participant_id: str
    """ The participant that was looked up """
    is_registered: bool
    """ Whether it is in the directory of the network """
    supported_doc_types: list[str]
    """ Document type identifiers with their scheme """
    provider: str
    """ This service """
    access_point_ref: UUID | Unset = UNSET
    """ Pass it to a send; present if registered """
    reachable_by: list[str] | Unset = UNSET
    """ The networks without a directory that reach a participant which is not registered: name one as
    `routing.network` of a send, without accessPointRef; absent if there is none """
    registered_as: str | Unset = UNSET
    """ Another id of the same company that is registered, where this one is not; else absent """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        participant_id = self.participant_id

        is_registered = self.is_registered

        supported_doc_types = self.supported_doc_types



        provider = self.provider

        access_point_ref: str | Unset = UNSET
        if not isinstance(self.access_point_ref, Unset):
            access_point_ref = str(self.access_point_ref)

        reachable_by: list[str] | Unset = UNSET
        if not isinstance(self.reachable_by, Unset):
            reachable_by = self.reachable_by



        registered_as = self.registered_as


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "participantId": participant_id,
            "isRegistered": is_registered,
            "supportedDocTypes": supported_doc_types,
            "provider": provider,
        })
        if access_point_ref is not UNSET:
            field_dict["accessPointRef"] = access_point_ref
        if reachable_by is not UNSET:
            field_dict["reachableBy"] = reachable_by
        if registered_as is not UNSET:
            field_dict["registeredAs"] = registered_as

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        participant_id = d.pop("participantId")

        is_registered = d.pop("isRegistered")

        supported_doc_types = cast(list[str], d.pop("supportedDocTypes"))


        provider = d.pop("provider")

        _access_point_ref = d.pop("accessPointRef", UNSET)
        access_point_ref: UUID | Unset
        if isinstance(_access_point_ref,  Unset):
            access_point_ref = UNSET
        else:
            access_point_ref = UUID(_access_point_ref)




        reachable_by = cast(list[str], d.pop("reachableBy", UNSET))


        registered_as = d.pop("registeredAs", UNSET)

        lookup_response = cls(
            participant_id=participant_id,
            is_registered=is_registered,
            supported_doc_types=supported_doc_types,
            provider=provider,
            access_point_ref=access_point_ref,
            reachable_by=reachable_by,
            registered_as=registered_as,
        )


        lookup_response.additional_properties = d
        return lookup_response

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
