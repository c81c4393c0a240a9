from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from uuid import UUID
import datetime

if TYPE_CHECKING:
  from ..models.event_response_metadata import EventResponseMetadata





T = TypeVar("T", bound="EventResponse")



@_attrs_define
class EventResponse:


    event_type: str
    """ The type of the event """
    event_id: str
    """ Id of the event, as in webhook-id """
    created_at: datetime.datetime
    """ When """
    environment: str
    """ test or live """
    provider: str
    """ This service """
    invoice_id: UUID | Unset = UNSET
    """ The invoice, if the event has one """
    request_id: str | Unset = UNSET
    """ X-Request-Id of the request that caused it, if there was one """
    tenant_id: UUID | Unset = UNSET
    """ At platforms: the tenant it is about """
    external_id: str | Unset = UNSET
    """ At platforms: what they call it """
    metadata: EventResponseMetadata | Unset = UNSET
    """ Metadata of the invoice, if it has any """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.event_response_metadata import EventResponseMetadata # noqa: PLC0415
        event_type = self.event_type

        event_id = self.event_id

        created_at = self.created_at.isoformat()

        environment = self.environment

        provider = self.provider

        invoice_id: str | Unset = UNSET
        if not isinstance(self.invoice_id, Unset):
            invoice_id = str(self.invoice_id)

        request_id = self.request_id

        tenant_id: str | Unset = UNSET
        if not isinstance(self.tenant_id, Unset):
            tenant_id = str(self.tenant_id)

        external_id = self.external_id

        metadata: dict[str, Any] | Unset = UNSET
        if not isinstance(self.metadata, Unset):
            metadata = self.metadata.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "eventType": event_type,
            "eventId": event_id,
            "createdAt": created_at,
            "environment": environment,
            "provider": provider,
        })
        if invoice_id is not UNSET:
            field_dict["invoiceId"] = invoice_id
        if request_id is not UNSET:
            field_dict["requestId"] = request_id
        if tenant_id is not UNSET:
            field_dict["tenantId"] = tenant_id
        if external_id is not UNSET:
            field_dict["externalId"] = external_id
        if metadata is not UNSET:
            field_dict["metadata"] = metadata

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.event_response_metadata import EventResponseMetadata # noqa: PLC0415
        d = dict(src_dict)
        event_type = d.pop("eventType")

        event_id = d.pop("eventId")

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        environment = d.pop("environment")

        provider = d.pop("provider")

        _invoice_id = d.pop("invoiceId", UNSET)
        invoice_id: UUID | Unset
        if isinstance(_invoice_id,  Unset):
            invoice_id = UNSET
        else:
            invoice_id = UUID(_invoice_id)




        request_id = d.pop("requestId", UNSET)

        _tenant_id = d.pop("tenantId", UNSET)
        tenant_id: UUID | Unset
        if isinstance(_tenant_id,  Unset):
            tenant_id = UNSET
        else:
            tenant_id = UUID(_tenant_id)




        external_id = d.pop("externalId", UNSET)

        _metadata = d.pop("metadata", UNSET)
        metadata: EventResponseMetadata | Unset
        if isinstance(_metadata,  Unset):
            metadata = UNSET
        else:
            metadata = EventResponseMetadata.from_dict(_metadata)




        event_response = cls(
            event_type=event_type,
            event_id=event_id,
            created_at=created_at,
            environment=environment,
            provider=provider,
            invoice_id=invoice_id,
            request_id=request_id,
            tenant_id=tenant_id,
            external_id=external_id,
            metadata=metadata,
        )


        event_response.additional_properties = d
        return event_response

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
