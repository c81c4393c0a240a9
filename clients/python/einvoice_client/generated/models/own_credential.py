from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="OwnCredential")



@_attrs_define
class OwnCredential:
    """ Environment and rights of a credential, for the program that has it.

     """

    environment: str
    """ test or live """
    scopes: list[str]
    """ Its permissions, sorted """
    allowed_receivers: list[str]
    """ Allowed receivers, sorted; empty: any """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        environment = self.environment

        scopes = self.scopes



        allowed_receivers = self.allowed_receivers



        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "environment": environment,
            "scopes": scopes,
            "allowedReceivers": allowed_receivers,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        environment = d.pop("environment")

        scopes = cast(list[str], d.pop("scopes"))


        allowed_receivers = cast(list[str], d.pop("allowedReceivers"))


        provider = d.pop("provider")

        own_credential = cls(
            environment=environment,
            scopes=scopes,
            allowed_receivers=allowed_receivers,
            provider=provider,
        )


        own_credential.additional_properties = d
        return own_credential

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
