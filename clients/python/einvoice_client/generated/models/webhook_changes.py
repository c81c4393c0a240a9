from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.webhook_changes_status_type_1 import WebhookChangesStatusType1
from ..models.webhook_changes_status_type_2_type_1 import WebhookChangesStatusType2Type1
from ..models.webhook_changes_status_type_3_type_1 import WebhookChangesStatusType3Type1
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="WebhookChanges")



@_attrs_define
class WebhookChanges:
    """ A merge patch: omitted members stay unchanged.

     """

    url: None | str | Unset = UNSET
    """ URL to post to; in live https, and not in a private network. """
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
    status: None | Unset | WebhookChangesStatusType1 | WebhookChangesStatusType2Type1 | WebhookChangesStatusType3Type1 = UNSET
    """ disabled stops deliveries; active starts them again. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        url: None | str | Unset
        if isinstance(self.url, Unset):
            url = UNSET
        else:
            url = self.url

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

        status: None | str | Unset
        if isinstance(self.status, Unset):
            status = UNSET
        elif isinstance(self.status, WebhookChangesStatusType1):
            status = self.status.value
        elif isinstance(self.status, WebhookChangesStatusType2Type1):
            status = self.status.value
        elif isinstance(self.status, WebhookChangesStatusType3Type1):
            status = self.status.value
        else:
            status = self.status


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if url is not UNSET:
            field_dict["url"] = url
        if description is not UNSET:
            field_dict["description"] = description
        if event_types is not UNSET:
            field_dict["eventTypes"] = event_types
        if status is not UNSET:
            field_dict["status"] = status

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        url = _parse_url(d.pop("url", UNSET))


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


        def _parse_status(data: object) -> None | Unset | WebhookChangesStatusType1 | WebhookChangesStatusType2Type1 | WebhookChangesStatusType3Type1:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                status_type_1 = WebhookChangesStatusType1(data)



                return status_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                status_type_2_type_1 = WebhookChangesStatusType2Type1(data)



                return status_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                status_type_3_type_1 = WebhookChangesStatusType3Type1(data)



                return status_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | WebhookChangesStatusType1 | WebhookChangesStatusType2Type1 | WebhookChangesStatusType3Type1, data)

        status = _parse_status(d.pop("status", UNSET))


        webhook_changes = cls(
            url=url,
            description=description,
            event_types=event_types,
            status=status,
        )


        webhook_changes.additional_properties = d
        return webhook_changes

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
