from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="MailAddressResponse")



@_attrs_define
class MailAddressResponse:


    mail_address_id: UUID
    """ The id of the address, and of its connection """
    address: str
    """ The address """
    name: str
    """ Your name of it """
    environment: str
    """ The environment of its bills """
    state: str
    """ active: it takes mail; else as of a connection """
    reason: None | str
    """ Why it takes none """
    gl_account_code: None | str
    """ The account of its bills whose supplier has none """
    created_at: datetime.datetime
    """ When it was made """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        mail_address_id = str(self.mail_address_id)

        address = self.address

        name = self.name

        environment = self.environment

        state = self.state

        reason: None | str
        reason = self.reason

        gl_account_code: None | str
        gl_account_code = self.gl_account_code

        created_at = self.created_at.isoformat()

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "mailAddressId": mail_address_id,
            "address": address,
            "name": name,
            "environment": environment,
            "state": state,
            "reason": reason,
            "glAccountCode": gl_account_code,
            "createdAt": created_at,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        mail_address_id = UUID(d.pop("mailAddressId"))




        address = d.pop("address")

        name = d.pop("name")

        environment = d.pop("environment")

        state = d.pop("state")

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))


        def _parse_gl_account_code(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        gl_account_code = _parse_gl_account_code(d.pop("glAccountCode"))


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        provider = d.pop("provider")

        mail_address_response = cls(
            mail_address_id=mail_address_id,
            address=address,
            name=name,
            environment=environment,
            state=state,
            reason=reason,
            gl_account_code=gl_account_code,
            created_at=created_at,
            provider=provider,
        )


        mail_address_response.additional_properties = d
        return mail_address_response

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
