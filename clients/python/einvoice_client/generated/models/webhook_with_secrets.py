from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="WebhookWithSecrets")



@_attrs_define
class WebhookWithSecrets:
    """ A webhook with new secrets. Only this response contains them.

     """

    webhook_id: UUID
    """ The webhook's id """
    url: str
    """ URL to which events are posted """
    description: None | str
    """ Your description """
    event_types: list[str]
    """ Subscribed types; empty: the three transaction events; *: all """
    environment: str
    """ Environment of the events """
    status: str
    """ active or disabled """
    disabled_reason: None | str
    """ Why it was disabled """
    backoff_until: datetime.datetime | None
    """ No attempts before this time, because it did not respond in time """
    created_at: datetime.datetime
    """ When it was created """
    updated_at: datetime.datetime
    """ When it was last changed """
    secret: None | str
    """ Value of X-Webhook-Secret; null for a repetition """
    signing_secret: None | str
    """ Key of the signatures; null for a repetition """
    provider: str
    """ This service """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        webhook_id = str(self.webhook_id)

        url = self.url

        description: None | str
        description = self.description

        event_types = self.event_types



        environment = self.environment

        status = self.status

        disabled_reason: None | str
        disabled_reason = self.disabled_reason

        backoff_until: None | str
        if isinstance(self.backoff_until, datetime.datetime):
            backoff_until = self.backoff_until.isoformat()
        else:
            backoff_until = self.backoff_until

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        secret: None | str
        secret = self.secret

        signing_secret: None | str
        signing_secret = self.signing_secret

        provider = self.provider


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "webhookId": webhook_id,
            "url": url,
            "description": description,
            "eventTypes": event_types,
            "environment": environment,
            "status": status,
            "disabledReason": disabled_reason,
            "backoffUntil": backoff_until,
            "createdAt": created_at,
            "updatedAt": updated_at,
            "secret": secret,
            "signingSecret": signing_secret,
            "provider": provider,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        webhook_id = UUID(d.pop("webhookId"))




        url = d.pop("url")

        def _parse_description(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        description = _parse_description(d.pop("description"))


        event_types = cast(list[str], d.pop("eventTypes"))


        environment = d.pop("environment")

        status = d.pop("status")

        def _parse_disabled_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        disabled_reason = _parse_disabled_reason(d.pop("disabledReason"))


        def _parse_backoff_until(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                backoff_until_type_0 = datetime.datetime.fromisoformat(data)



                return backoff_until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        backoff_until = _parse_backoff_until(d.pop("backoffUntil"))


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))




        def _parse_secret(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        secret = _parse_secret(d.pop("secret"))


        def _parse_signing_secret(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        signing_secret = _parse_signing_secret(d.pop("signingSecret"))


        provider = d.pop("provider")

        webhook_with_secrets = cls(
            webhook_id=webhook_id,
            url=url,
            description=description,
            event_types=event_types,
            environment=environment,
            status=status,
            disabled_reason=disabled_reason,
            backoff_until=backoff_until,
            created_at=created_at,
            updated_at=updated_at,
            secret=secret,
            signing_secret=signing_secret,
            provider=provider,
        )


        webhook_with_secrets.additional_properties = d
        return webhook_with_secrets

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
