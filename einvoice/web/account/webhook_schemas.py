"""Webhooks: bodies of the requests that create and change them, and of responses (decisions 4)."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.domain.events import ALL_TYPES, EVENT_TYPES
from einvoice.services.webhooks.endpoints import EndpointRecord
from einvoice.services.webhooks.redelivery import STATUSES, DeliveryRecord
from einvoice.web.contract import Contract, Items
from einvoice.web.fields import Code, Id, Text, environment_code
from einvoice.web.paging import Moment, Page, PartQuery
from einvoice.web.response_schema import ITSELF, ResponseSchema
from einvoice.web.shared import response_fields as a

REMOVABLE = frozenset({"description"})
# What the service calls the members of WebhookChanges.
COLUMNS = {
    "url": "url",
    "description": "description",
    "eventTypes": "event_types",
    "status": "status",
}


def _url(*, required: bool = False) -> Text:
    message = "URL to post to; in live https, and not in a private network."
    return Text(message, max_length=2000, required=required, example="https://erp.example.com/hook")


def _types() -> Items:
    one = Text("", max_length=40, required=True, example="transaction.sent")
    message = (
        f"Of {', '.join(sorted(EVENT_TYPES))}; or {ALL_TYPES}: all types, also those that will be "
        "added. Default: the three transaction events."
    )
    return Items(one, message, max_items=len(EVENT_TYPES) + 1)


def _description() -> Text:
    return Text("Your description.", max_length=500, example="ERP of the head office")


class NewWebhook(Contract):
    """A URL to which events are posted."""

    url = _url(required=True)
    environment = environment_code("Environment of the events. Required for people; a key has one.")
    description = _description()
    eventTypes = _types()


class WebhookChanges(Contract):
    """A merge patch: omitted members stay unchanged."""

    url = _url()
    description = _description()
    eventTypes = _types()
    status = Code(
        "disabled stops deliveries; active starts them again.",
        ("active", "disabled"),
        name="active or disabled",
        example="active",
    )


class RecoveryRequest(Contract):
    """The period whose undelivered events are sent."""

    since = Moment("Start of the period.", required=True, example="2026-11-21T10:00:00Z")
    until = Moment("End of the period (exclusive); default: now.", example="2026-11-21T12:00:00Z")


class WebhookQuery(PartQuery):
    environment = environment_code("Only those of this environment.")


class DeliveryQuery(PartQuery):
    status = Code(
        "Only those of this status.", STATUSES, name="pending, delivered or failed",
        example="failed",
    )  # fmt: skip
    eventId = Text("Only those of this event.", max_length=64, example=a.SOME_EVENT)
    invoiceId = Id("Only those of events of this invoice.", max_length=64, example=a.SOME_ID)


class Webhook(ResponseSchema[EndpointRecord]):
    webhookId = a.an_id("The webhook's id", source="id")
    url = a.text("URL to which events are posted", "https://erp.example.com/hook")
    description = a.text("Your description", "ERP of the head office", or_null=True)
    eventTypes = a.texts(
        "Subscribed types; empty: the three transaction events; *: all", "transaction.sent"
    )
    environment = a.text("Environment of the events", "test")
    status = a.text("active or disabled", "active")
    disabledReason = a.text("Why it was disabled", "by its owner", or_null=True)
    backoffUntil = a.moment(
        "No attempts before this time, because it did not respond in time", or_null=True
    )
    createdAt = a.moment("When it was created")
    updatedAt = a.moment("When it was last changed")


class WebhookResponse(Webhook):
    provider = a.provider()


class WebhookWithSecrets(Webhook):
    """A webhook with new secrets. Only this response contains them."""

    inside = "endpoint"

    secret = a.text(
        "Value of X-Webhook-Secret; null for a repetition", "f3c9…", or_null=True, source=".secret"
    )
    signingSecret = a.text(
        "Key of the signatures; null for a repetition",
        "whsec_…",
        or_null=True,
        source=".signing_secret",
    )
    provider = a.provider()


class WebhookList(ResponseSchema[Page[EndpointRecord]]):
    items = a.things(Webhook(), "The webhooks, oldest first")
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()


class EventAddresses(ResponseSchema[Sequence[str]]):
    """Where events come from."""

    addresses = a.texts("Addresses and networks; empty: not stated", "192.0.2.0/28", source=ITSELF)
    provider = a.provider()


class WebhookDelivery(ResponseSchema[DeliveryRecord]):
    """The delivery of one event to one webhook."""

    deliveryId = a.an_id("The delivery's id", source="id")
    eventId = a.text("Id of the event, as in webhook-id", a.SOME_EVENT)
    eventType = a.text("The type of the event", "transaction.sent")
    status = a.text("pending, delivered or failed", "delivered")
    statusCode = a.number("Status of the receiver's last response", 200, or_null=True)
    attempts = a.number("Number of attempts", 1)
    lastError = a.text("Why there was no response", "no answer within 15 s", or_null=True)
    durationMs = a.number("Duration of the last attempt", 120, or_null=True)
    responseExcerpt = a.text("Beginning of the last response", "ok", or_null=True)
    nextRetryAt = a.moment("Time of the next attempt", or_null=True)
    deliveredAt = a.moment("When it was delivered", or_null=True)
    createdAt = a.moment("When it was created")
    trigger = a.text("schedule, manual or test", "schedule")


class WebhookDeliveryResponse(WebhookDelivery):
    provider = a.provider()


class WebhookDeliveryList(ResponseSchema[Page[DeliveryRecord]]):
    items = a.things(WebhookDelivery(), "The deliveries of 30 days, newest first")
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()


class RecoveryResult(ResponseSchema[int]):
    recovered = a.number("Number of events that are sent again", 3, source=ITSELF)
    provider = a.provider()
