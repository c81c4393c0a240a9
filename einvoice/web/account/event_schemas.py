"""The event feed: query and response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import INCLUDE, Schema, fields

from einvoice.domain.events import EVENT_TYPES
from einvoice.web.fields import Code, Id, environment_code
from einvoice.web.paging import Moment, Page, PartQuery
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.metadata import returned_metadata


class EventQuery(PartQuery):
    environment = environment_code(
        "Only those of this environment. A key sees its own environment only."
    )
    eventType = Code(
        "Only those of this type.",
        sorted(EVENT_TYPES),
        name="a type of events, such as transaction.sent",
        example="transaction.sent",
    )
    invoiceId = Id("Only those of this invoice.", max_length=64, example=a.SOME_ID)
    since = Moment("Only events at this time or later.", example="2026-11-21T10:00:00Z")


class Event(Schema):
    """The body that webhooks are posted; further members depend on the type."""

    class Meta:
        unknown = INCLUDE

    eventType = a.text("The type of the event", "transaction.sent")
    eventId = a.text("Id of the event, as in webhook-id", a.SOME_EVENT)
    createdAt = a.moment("When")
    environment = a.text("test or live", "test")
    invoiceId = fields.UUID(
        metadata={"description": "The invoice, if the event has one", "example": a.SOME_ID}
    )
    requestId = fields.String(
        metadata={
            "description": "X-Request-Id of the request that caused it, if there was one",
            "example": "order-17",
        }
    )
    tenantId = fields.UUID(
        metadata={"description": "At platforms: the tenant it is about", "example": a.SOME_ID}
    )
    externalId = fields.String(
        metadata={"description": "At platforms: what they call it", "example": "customer-17"}
    )
    metadata = returned_metadata("Metadata of the invoice, if it has any", required=False)


class EventResponse(Event):
    provider = a.provider()


class EventList(ResponseSchema[Page[Mapping[str, Any]]]):
    items = a.things(Event(), "The events, oldest first")
    nextCursor = a.text("Pass it as cursor to continue, at any time", "q83v…")
    hasMore = a.flag("Whether there are more events now", example=False)
    provider = a.provider()
