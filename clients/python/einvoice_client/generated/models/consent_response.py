from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime






T = TypeVar("T", bound="ConsentResponse")



@_attrs_define
class ConsentResponse:
    """ A consent that has begun. Open the URL in the same browser.

     """

    authorise_url: str
    """ Open it in the browser """
    expires_at: datetime.datetime
    """ Until when it can be completed """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        authorise_url = self.authorise_url

        expires_at = self.expires_at.isoformat()

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "authoriseUrl": authorise_url,
            "expiresAt": expires_at,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        authorise_url = d.pop("authoriseUrl")

        expires_at = datetime.datetime.fromisoformat(d.pop("expiresAt"))




        provider = d.pop("provider")

        consent_response = cls(
            authorise_url=authorise_url,
            expires_at=expires_at,
            provider=provider,
        )


        consent_response.additional_properties = d
        return consent_response

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
