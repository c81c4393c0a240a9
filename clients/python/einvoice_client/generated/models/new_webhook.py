from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.new_webhook_environment_type_1 import NewWebhookEnvironmentType1
from ..models.new_webhook_environment_type_2_type_1 import NewWebhookEnvironmentType2Type1
from ..models.new_webhook_environment_type_3_type_1 import NewWebhookEnvironmentType3Type1
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="NewWebhook")



@_attrs_define
class NewWebhook:
    """ A URL to which events are posted.

     """

    url: str
    """ URL to post to; in live https, and not in a private network. """
    environment: NewWebhookEnvironmentType1 | NewWebhookEnvironmentType2Type1 | NewWebhookEnvironmentType3Type1 | None | Unset = UNSET
    """ Environment of the events. Required for people; a key has one. """
    description: None | str | Unset = UNSET
    """ Your description. """
    event_types: list[str] | None | Unset = UNSET
    """ Of apiKey.expiring, batch.finished, connection.needsPerson, connection.opened, connection.renewalDue,
    connection.restored, export.finished, identification.decided, invoice.acknowledged, invoice.delivered,
    invoice.paid, invoice.rejected, invoice.reported, invoice.responded, invoice.validated, mail.domainLost,
    mail.domainRestored, mail.withoutInvoice, participant.moved, participant.published, participant.refused,
    participant.rejected, participant.restored, participant.verified, periodReport.refused, plan.usage,
    response.failed, response.sent, transaction.delayed, transaction.failed, transaction.received, transaction.sent,
    webhook.disabled, webhook.test; or *: all types, also those that will be added. Default: the three transaction
    events. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        url = self.url

        environment: None | str | Unset
        if isinstance(self.environment, Unset):
            environment = UNSET
        elif isinstance(self.environment, NewWebhookEnvironmentType1):
            environment = self.environment.value
        elif isinstance(self.environment, NewWebhookEnvironmentType2Type1):
            environment = self.environment.value
        elif isinstance(self.environment, NewWebhookEnvironmentType3Type1):
            environment = self.environment.value
        else:
            environment = self.environment

        description: None | str | Unset
        if isinstance(self.description, Unset):
            description = UNSET
        else:
            description = self.description

        event_types: list[str] | None | Unset
        if isinstance(self.event_types, Unset):
            event_types = UNSET
        elif isinstance(self.event_types, list):
            event_types = self.event_types


        else:
            event_types = self.event_types


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "url": url,
        })
        if environment is not UNSET:
            field_dict["environment"] = environment
        if description is not UNSET:
            field_dict["description"] = description
        if event_types is not UNSET:
            field_dict["eventTypes"] = event_types

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        url = d.pop("url")

        def _parse_environment(data: object) -> NewWebhookEnvironmentType1 | NewWebhookEnvironmentType2Type1 | NewWebhookEnvironmentType3Type1 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                environment_type_1 = NewWebhookEnvironmentType1(data)



                return environment_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                environment_type_2_type_1 = NewWebhookEnvironmentType2Type1(data)



                return environment_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                environment_type_3_type_1 = NewWebhookEnvironmentType3Type1(data)



                return environment_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(NewWebhookEnvironmentType1 | NewWebhookEnvironmentType2Type1 | NewWebhookEnvironmentType3Type1 | None | Unset, data)

        environment = _parse_environment(d.pop("environment", UNSET))


        def _parse_description(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        description = _parse_description(d.pop("description", UNSET))


        def _parse_event_types(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                event_types_type_0 = cast(list[str], data)

                return event_types_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        event_types = _parse_event_types(d.pop("eventTypes", UNSET))


        new_webhook = cls(
            url=url,
            environment=environment,
            description=description,
            event_types=event_types,
        )


        new_webhook.additional_properties = d
        return new_webhook

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
