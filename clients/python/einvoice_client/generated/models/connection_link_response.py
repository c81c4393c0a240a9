from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="ConnectionLinkResponse")



@_attrs_define
class ConnectionLinkResponse:


    link_id: UUID
    """ The link's id """
    environment: str
    """ The environment """
    network: str
    """ The network """
    access_point: str
    """ The access point """
    account: None | str
    """ The tax number that it is for """
    name: str
    """ Your name of the connection """
    connection_id: None | UUID
    """ The connection, as soon as there is one """
    state: str
    """ One of open, used, expired, revoked """
    attempts: int
    """ How often its form was sent; at most 20 times """
    created_at: datetime.datetime
    """ When it was created """
    expires_at: datetime.datetime
    """ Until when it can be opened """
    used_at: datetime.datetime | None
    """ When the connection worked, which ends the link """
    revoked_at: datetime.datetime | None
    """ When it was revoked """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        link_id = str(self.link_id)

        environment = self.environment

        network = self.network

        access_point = self.access_point

        account: None | str
        account = self.account

        name = self.name

        connection_id: None | str
        if isinstance(self.connection_id, UUID):
            connection_id = str(self.connection_id)
        else:
            connection_id = self.connection_id

        state = self.state

        attempts = self.attempts

        created_at = self.created_at.isoformat()

        expires_at = self.expires_at.isoformat()

        used_at: None | str
        if isinstance(self.used_at, datetime.datetime):
            used_at = self.used_at.isoformat()
        else:
            used_at = self.used_at

        revoked_at: None | str
        if isinstance(self.revoked_at, datetime.datetime):
            revoked_at = self.revoked_at.isoformat()
        else:
            revoked_at = self.revoked_at

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "linkId": link_id,
            "environment": environment,
            "network": network,
            "accessPoint": access_point,
            "account": account,
            "name": name,
            "connectionId": connection_id,
            "state": state,
            "attempts": attempts,
            "createdAt": created_at,
            "expiresAt": expires_at,
            "usedAt": used_at,
            "revokedAt": revoked_at,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        link_id = UUID(d.pop("linkId"))




        environment = d.pop("environment")

        network = d.pop("network")

        access_point = d.pop("accessPoint")

        def _parse_account(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        account = _parse_account(d.pop("account"))


        name = d.pop("name")

        def _parse_connection_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                connection_id_type_0 = UUID(data)



                return connection_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        connection_id = _parse_connection_id(d.pop("connectionId"))


        state = d.pop("state")

        attempts = d.pop("attempts")

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        expires_at = datetime.datetime.fromisoformat(d.pop("expiresAt"))




        def _parse_used_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                used_at_type_0 = datetime.datetime.fromisoformat(data)



                return used_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        used_at = _parse_used_at(d.pop("usedAt"))


        def _parse_revoked_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                revoked_at_type_0 = datetime.datetime.fromisoformat(data)



                return revoked_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        revoked_at = _parse_revoked_at(d.pop("revokedAt"))


        provider = d.pop("provider")

        connection_link_response = cls(
            link_id=link_id,
            environment=environment,
            network=network,
            access_point=access_point,
            account=account,
            name=name,
            connection_id=connection_id,
            state=state,
            attempts=attempts,
            created_at=created_at,
            expires_at=expires_at,
            used_at=used_at,
            revoked_at=revoked_at,
            provider=provider,
        )


        connection_link_response.additional_properties = d
        return connection_link_response

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
