from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="WebhookDelivery")



@_attrs_define
class WebhookDelivery:
    """ The delivery of one event to one webhook.

     """

    delivery_id: UUID
    """ The delivery's id """
    event_id: str
    """ Id of the event, as in webhook-id """
    event_type: str
    """ The type of the event """
    status: str
    """ pending, delivered or failed """
    status_code: int | None
    """ Status of the receiver's last response """
    attempts: int
    """ Number of attempts """
    last_error: None | str
    """ Why there was no response """
    duration_ms: int | None
    """ Duration of the last attempt """
    response_excerpt: None | str
    """ Beginning of the last response """
    next_retry_at: datetime.datetime | None
    """ Time of the next attempt """
    delivered_at: datetime.datetime | None
    """ When it was delivered """
    created_at: datetime.datetime
    """ When it was created """
    trigger: str
    """ schedule, manual or test """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        delivery_id = str(self.delivery_id)

        event_id = self.event_id

        event_type = self.event_type

        status = self.status

        status_code: int | None
        status_code = self.status_code

        attempts = self.attempts

        last_error: None | str
        last_error = self.last_error

        duration_ms: int | None
        duration_ms = self.duration_ms

        response_excerpt: None | str
        response_excerpt = self.response_excerpt

        next_retry_at: None | str
        if isinstance(self.next_retry_at, datetime.datetime):
            next_retry_at = self.next_retry_at.isoformat()
        else:
            next_retry_at = self.next_retry_at

        delivered_at: None | str
        if isinstance(self.delivered_at, datetime.datetime):
            delivered_at = self.delivered_at.isoformat()
        else:
            delivered_at = self.delivered_at

        created_at = self.created_at.isoformat()

        trigger = self.trigger


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "deliveryId": delivery_id,
            "eventId": event_id,
            "eventType": event_type,
            "status": status,
            "statusCode": status_code,
            "attempts": attempts,
            "lastError": last_error,
            "durationMs": duration_ms,
            "responseExcerpt": response_excerpt,
            "nextRetryAt": next_retry_at,
            "deliveredAt": delivered_at,
            "createdAt": created_at,
            "trigger": trigger,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        delivery_id = UUID(d.pop("deliveryId"))




        event_id = d.pop("eventId")

        event_type = d.pop("eventType")

        status = d.pop("status")

        def _parse_status_code(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        status_code = _parse_status_code(d.pop("statusCode"))


        attempts = d.pop("attempts")

        def _parse_last_error(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        last_error = _parse_last_error(d.pop("lastError"))


        def _parse_duration_ms(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        duration_ms = _parse_duration_ms(d.pop("durationMs"))


        def _parse_response_excerpt(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        response_excerpt = _parse_response_excerpt(d.pop("responseExcerpt"))


        def _parse_next_retry_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_retry_at_type_0 = datetime.datetime.fromisoformat(data)



                return next_retry_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        next_retry_at = _parse_next_retry_at(d.pop("nextRetryAt"))


        def _parse_delivered_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                delivered_at_type_0 = datetime.datetime.fromisoformat(data)



                return delivered_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        delivered_at = _parse_delivered_at(d.pop("deliveredAt"))


        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        trigger = d.pop("trigger")

        webhook_delivery = cls(
            delivery_id=delivery_id,
            event_id=event_id,
            event_type=event_type,
            status=status,
            status_code=status_code,
            attempts=attempts,
            last_error=last_error,
            duration_ms=duration_ms,
            response_excerpt=response_excerpt,
            next_retry_at=next_retry_at,
            delivered_at=delivered_at,
            created_at=created_at,
            trigger=trigger,
        )


        webhook_delivery.additional_properties = d
        return webhook_delivery

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
