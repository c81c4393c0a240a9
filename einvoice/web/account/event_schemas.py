"""The event feed: its query, and what it answers."""

from __future__ import annotations

from marshmallow import INCLUDE, Schema, fields

from einvoice.domain.events import EVENT_TYPES
from einvoice.web.fields import Code, Id
from einvoice.web.paging import Moment, PartQuery
from einvoice.web.shared import response_fields as a


class EventQuery(PartQuery):
    environment = Code(
        "Only those of this environment. A key has one and sees no other.",
        ("test", "live"),
        name="test or live",
        example="test",
    )
    eventType = Code(
        "Only those of this type.",
        sorted(EVENT_TYPES),
        name=f"one of {', '.join(sorted(EVENT_TYPES))}",
        example="transaction.sent",
    )
    invoiceId = Id("Only those of this invoice.", max_length=64, example=a.SOME_ID)
    since = Moment("Only what happened at this moment or later.", example="2026-11-21T10:00:00Z")


class Event(Schema):
    """The very body a webhook is posted: more members depend on the type."""

    class Meta:
        unknown = INCLUDE

    eventType = a.text("What happened", "transaction.sent")
    eventId = a.text("The event, as in webhook-id", "evt_5f0c")
    createdAt = a.moment("When")
    environment = a.text("test or live", "test")
    invoiceId = fields.UUID(
        metadata={"description": "The invoice, where there is one", "example": a.SOME_ID}
    )


class EventList(Schema):
    items = a.things(Event(), "The events, oldest first")
    nextCursor = a.text("Where to go on, now or any time later", "q83v…")
    hasMore = a.flag("Whether there is more at once", example=False)
    provider = a.provider()
