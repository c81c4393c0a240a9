from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.new_connection_environment import NewConnectionEnvironment
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.new_connection_credentials_type_0 import NewConnectionCredentialsType0





T = TypeVar("T", bound="NewConnection")



@_attrs_define
class NewConnection:
    """ An account at a network.

     """

    environment: NewConnectionEnvironment
    """ The environment. """
    network: str
    """ The network; the name of an access point where several are of one network. """
    account: str
    """ The tax number that it is for. """
    name: None | str | Unset = UNSET
    """ Your name of the connection. """
    credentials: NewConnectionCredentialsType0 | None | Unset = UNSET
    """ By the names of the network's form. They are stored encrypted and never returned. A file is in base64. """
    consent_of: None | str | Unset = UNSET
    """ The id of a connection to the same network whose consent it uses: no person consents again. For networks
    whose form has sharesConsent. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.new_connection_credentials_type_0 import NewConnectionCredentialsType0 # noqa: PLC0415
        environment = self.environment.value

        network = self.network

        account = self.account

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        credentials: dict[str, Any] | None | Unset
        if isinstance(self.credentials, Unset):
            credentials = UNSET
        elif isinstance(self.credentials, NewConnectionCredentialsType0):
            credentials = self.credentials.to_dict()
        else:
            credentials = self.credentials

        consent_of: None | str | Unset
        if isinstance(self.consent_of, Unset):
            consent_of = UNSET
        else:
            consent_of = self.consent_of


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "environment": environment,
            "network": network,
            "account": account,
        })
        if name is not UNSET:
            field_dict["name"] = name
        if credentials is not UNSET:
            field_dict["credentials"] = credentials
        if consent_of is not UNSET:
            field_dict["consentOf"] = consent_of

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.new_connection_credentials_type_0 import NewConnectionCredentialsType0 # noqa: PLC0415
        d = dict(src_dict)
        environment = NewConnectionEnvironment(d.pop("environment"))




        network = d.pop("network")

        account = d.pop("account")

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))


        def _parse_credentials(data: object) -> NewConnectionCredentialsType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                credentials_type_0 = NewConnectionCredentialsType0.from_dict(data)



                return credentials_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(NewConnectionCredentialsType0 | None | Unset, data)

        credentials = _parse_credentials(d.pop("credentials", UNSET))


        def _parse_consent_of(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        consent_of = _parse_consent_of(d.pop("consentOf", UNSET))


        new_connection = cls(
            environment=environment,
            network=network,
            account=account,
            name=name,
            credentials=credentials,
            consent_of=consent_of,
        )


        new_connection.additional_properties = d
        return new_connection

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
