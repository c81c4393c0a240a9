from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.rate_limits import RateLimits





T = TypeVar("T", bound="OAuthClientResponse")



@_attrs_define
class OAuthClientResponse:


    client_id: str
    """ The client's id """
    name: str
    """ What it is for """
    environment: str
    """ test or live """
    last4: str
    """ Last four characters of its secret """
    scopes: list[str]
    """ Permissions that its tokens can have """
    allowed_ips: list[str]
    """ Allowed client addresses; empty: any """
    allowed_receivers: list[str]
    """ Allowed receivers; empty: any """
    rate_limits: RateLimits
    """ Requests a minute, as set by the operator. """
    created_by: None | str
    """ Who made it """
    created_at: datetime.datetime
    """ When it was created """
    revoked_at: datetime.datetime | None
    """ When it was revoked """
    old_secret_until: datetime.datetime | None
    """ Until when the previous secret stays valid """
    last_used_at: datetime.datetime | None
    """ When it last got a token """
    last_used_ip: None | str
    """ From where """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.rate_limits import RateLimits # noqa: PLC0415
        client_id = self.client_id

        name = self.name

        environment = self.environment

        last4 = self.last4

        scopes = self.scopes



        allowed_ips = self.allowed_ips



        allowed_receivers = self.allowed_receivers



        rate_limits = self.rate_limits.to_dict()

        created_by: None | str
        created_by = self.created_by

        created_at = self.created_at.isoformat()

        revoked_at: None | str
        if isinstance(self.revoked_at, datetime.datetime):
            revoked_at = self.revoked_at.isoformat()
        else:
            revoked_at = self.revoked_at

        old_secret_until: None | str
        if isinstance(self.old_secret_until, datetime.datetime):
            old_secret_until = self.old_secret_until.isoformat()
        else:
            old_secret_until = self.old_secret_until

        last_used_at: None | str
        if isinstance(self.last_used_at, datetime.datetime):
            last_used_at = self.last_used_at.isoformat()
        else:
            last_used_at = self.last_used_at

        last_used_ip: None | str
        last_used_ip = self.last_used_ip

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "clientId": client_id,
            "name": name,
            "environment": environment,
            "last4": last4,
            "scopes": scopes,
            "allowedIps": allowed_ips,
            "allowedReceivers": allowed_receivers,
            "rateLimits": rate_limits,
            "createdBy": created_by,
            "createdAt": created_at,
            "revokedAt": revoked_at,
            "oldSecretUntil": old_secret_until,
            "lastUsedAt": last_used_at,
            "lastUsedIp": last_used_ip,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.rate_limits import RateLimits # noqa: PLC0415
        d = dict(src_dict)
        client_id = d.pop("clientId")

        name = d.pop("name")

        environment = d.pop("environment")

        last4 = d.pop("last4")

        scopes = cast(list[str], d.pop("scopes"))


        allowed_ips = cast(list[str], d.pop("allowedIps"))


        allowed_receivers = cast(list[str], d.pop("allowedReceivers"))


        rate_limits = RateLimits.from_dict(d.pop("rateLimits"))




        def _parse_created_by(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        created_by = _parse_created_by(d.pop("createdBy"))


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




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


        def _parse_old_secret_until(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                old_secret_until_type_0 = datetime.datetime.fromisoformat(data)



                return old_secret_until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        old_secret_until = _parse_old_secret_until(d.pop("oldSecretUntil"))


        def _parse_last_used_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_used_at_type_0 = datetime.datetime.fromisoformat(data)



                return last_used_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        last_used_at = _parse_last_used_at(d.pop("lastUsedAt"))


        def _parse_last_used_ip(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        last_used_ip = _parse_last_used_ip(d.pop("lastUsedIp"))


        provider = d.pop("provider")

        o_auth_client_response = cls(
            client_id=client_id,
            name=name,
            environment=environment,
            last4=last4,
            scopes=scopes,
            allowed_ips=allowed_ips,
            allowed_receivers=allowed_receivers,
            rate_limits=rate_limits,
            created_by=created_by,
            created_at=created_at,
            revoked_at=revoked_at,
            old_secret_until=old_secret_until,
            last_used_at=last_used_at,
            last_used_ip=last_used_ip,
            provider=provider,
        )


        o_auth_client_response.additional_properties = d
        return o_auth_client_response

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
