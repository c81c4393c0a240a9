from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.new_connection_link_environment_type_1 import NewConnectionLinkEnvironmentType1
from ..models.new_connection_link_environment_type_2_type_1 import NewConnectionLinkEnvironmentType2Type1
from ..models.new_connection_link_environment_type_3_type_1 import NewConnectionLinkEnvironmentType3Type1
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="NewConnectionLink")



@_attrs_define
class NewConnectionLink:
    """ The network or the connection that a person is asked to open.

     """

    environment: NewConnectionLinkEnvironmentType1 | NewConnectionLinkEnvironmentType2Type1 | NewConnectionLinkEnvironmentType3Type1 | None | Unset = UNSET
    """ The environment; default: the one of the key. People have to name it. """
    network: None | str | Unset = UNSET
    """ The network; the name of an access point where several are of one network. """
    account: None | str | Unset = UNSET
    """ The tax number that it is for; default: the person states it. """
    name: None | str | Unset = UNSET
    """ Your name of the connection. """
    connection_id: None | str | Unset = UNSET
    """ In place of network and account: a connection that needs consent or credentials again. """
    expires_at: None | str | Unset = UNSET
    """ Its end, or its last day (UTC), within 30 days; default: after 14 days. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        environment: None | str | Unset
        if isinstance(self.environment, Unset):
            environment = UNSET
        elif isinstance(self.environment, NewConnectionLinkEnvironmentType1):
            environment = self.environment.value
        elif isinstance(self.environment, NewConnectionLinkEnvironmentType2Type1):
            environment = self.environment.value
        elif isinstance(self.environment, NewConnectionLinkEnvironmentType3Type1):
            environment = self.environment.value
        else:
            environment = self.environment

        network: None | str | Unset
        if isinstance(self.network, Unset):
            network = UNSET
        else:
            network = self.network

        account: None | str | Unset
        if isinstance(self.account, Unset):
            account = UNSET
        else:
            account = self.account

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        connection_id: None | str | Unset
        if isinstance(self.connection_id, Unset):
            connection_id = UNSET
        else:
            connection_id = self.connection_id

        expires_at: None | str | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        else:
            expires_at = self.expires_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if environment is not UNSET:
            field_dict["environment"] = environment
        if network is not UNSET:
            field_dict["network"] = network
        if account is not UNSET:
            field_dict["account"] = account
        if name is not UNSET:
            field_dict["name"] = name
        if connection_id is not UNSET:
            field_dict["connectionId"] = connection_id
        if expires_at is not UNSET:
            field_dict["expiresAt"] = expires_at

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_environment(data: object) -> NewConnectionLinkEnvironmentType1 | NewConnectionLinkEnvironmentType2Type1 | NewConnectionLinkEnvironmentType3Type1 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                environment_type_1 = NewConnectionLinkEnvironmentType1(data)



                return environment_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                environment_type_2_type_1 = NewConnectionLinkEnvironmentType2Type1(data)



                return environment_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                environment_type_3_type_1 = NewConnectionLinkEnvironmentType3Type1(data)



                return environment_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(NewConnectionLinkEnvironmentType1 | NewConnectionLinkEnvironmentType2Type1 | NewConnectionLinkEnvironmentType3Type1 | None | Unset, data)

        environment = _parse_environment(d.pop("environment", UNSET))


        def _parse_network(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        network = _parse_network(d.pop("network", UNSET))


        def _parse_account(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        account = _parse_account(d.pop("account", UNSET))


        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))


        def _parse_connection_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        connection_id = _parse_connection_id(d.pop("connectionId", UNSET))


        def _parse_expires_at(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        expires_at = _parse_expires_at(d.pop("expiresAt", UNSET))


        new_connection_link = cls(
            environment=environment,
            network=network,
            account=account,
            name=name,
            connection_id=connection_id,
            expires_at=expires_at,
        )


        new_connection_link.additional_properties = d
        return new_connection_link

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
