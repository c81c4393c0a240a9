from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime

if TYPE_CHECKING:
  from ..models.rate_limits import RateLimits





T = TypeVar("T", bound="ApiKeyWithSecret")



@_attrs_define
class ApiKeyWithSecret:
    """ A new key. Only this response contains it.

     """

    key_id: UUID
    """ The key's id """
    name: str
    """ What it is for """
    environment: str
    """ test or live """
    prefix: str
    """ Its first characters """
    last4: str
    """ How it ends """
    scopes: list[str]
    """ Its permissions """
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
    expires_at: datetime.datetime | None
    """ When it expires; null: never """
    revoked_at: datetime.datetime | None
    """ When it was revoked """
    last_used_at: datetime.datetime | None
    """ When it was last used, to the minute """
    last_used_ip: None | str
    """ From where """
    key: None | str
    """ The key; null for a repetition """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.rate_limits import RateLimits # noqa: PLC0415
        key_id = str(self.key_id)

        name = self.name

        environment = self.environment

        prefix = self.prefix

        last4 = self.last4

        scopes = self.scopes



        allowed_ips = self.allowed_ips



        allowed_receivers = self.allowed_receivers



        rate_limits = self.rate_limits.to_dict()

        created_by: None | str
        created_by = self.created_by

        created_at = self.created_at.isoformat()

        expires_at: None | str
        if isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        revoked_at: None | str
        if isinstance(self.revoked_at, datetime.datetime):
            revoked_at = self.revoked_at.isoformat()
        else:
            revoked_at = self.revoked_at

        last_used_at: None | str
        if isinstance(self.last_used_at, datetime.datetime):
            last_used_at = self.last_used_at.isoformat()
        else:
            last_used_at = self.last_used_at

        last_used_ip: None | str
        last_used_ip = self.last_used_ip

        key: None | str
        key = self.key

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "keyId": key_id,
            "name": name,
            "environment": environment,
            "prefix": prefix,
            "last4": last4,
            "scopes": scopes,
            "allowedIps": allowed_ips,
            "allowedReceivers": allowed_receivers,
            "rateLimits": rate_limits,
            "createdBy": created_by,
            "createdAt": created_at,
            "expiresAt": expires_at,
            "revokedAt": revoked_at,
            "lastUsedAt": last_used_at,
            "lastUsedIp": last_used_ip,
            "key": key,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.rate_limits import RateLimits # noqa: PLC0415
        d = dict(src_dict)
        key_id = UUID(d.pop("keyId"))




        name = d.pop("name")

        environment = d.pop("environment")

        prefix = d.pop("prefix")

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




        def _parse_expires_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)



                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        expires_at = _parse_expires_at(d.pop("expiresAt"))


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


        def _parse_key(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        key = _parse_key(d.pop("key"))


        provider = d.pop("provider")

        api_key_with_secret = cls(
            key_id=key_id,
            name=name,
            environment=environment,
            prefix=prefix,
            last4=last4,
            scopes=scopes,
            allowed_ips=allowed_ips,
            allowed_receivers=allowed_receivers,
            rate_limits=rate_limits,
            created_by=created_by,
            created_at=created_at,
            expires_at=expires_at,
            revoked_at=revoked_at,
            last_used_at=last_used_at,
            last_used_ip=last_used_ip,
            key=key,
            provider=provider,
        )


        api_key_with_secret.additional_properties = d
        return api_key_with_secret

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
