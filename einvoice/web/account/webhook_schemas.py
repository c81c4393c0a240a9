"""Webhooks: bodies of the requests that create and change them, and of responses (decisions 4)."""

from __future__ import annotations

from marshmallow import Schema

from einvoice.domain.events import EVENT_TYPES
from einvoice.services.webhooks.redelivery import STATUSES
from einvoice.web.contract import Contract, Items
from einvoice.web.fields import Code, Text
from einvoice.web.paging import Moment, PartQuery
from einvoice.web.shared import response_fields as a

REMOVABLE = frozenset({"description"})


def _environment(words: str) -> Code:
    return Code(words, ("test", "live"), name="test or live", example="test")


def _url(*, required: bool = False) -> Text:
    words = "Where to post; https in live, and never an address inside a network."
    return Text(words, max_length=2000, required=required, example="https://erp.example.com/hook")


def _types() -> Items:
    one = Text("", max_length=40, required=True, example="transaction.sent")
    words = f"Of {', '.join(sorted(EVENT_TYPES))}; empty: the three transaction events."
    return Items(one, words, max_items=len(EVENT_TYPES))


def _description() -> Text:
    return Text("For yourself.", max_length=500, example="ERP of the head office")


class NewWebhook(Contract):
    """An address to be told of events."""

    url = _url(required=True)
    environment = _environment("Whose events. A key has one and need not say; people must.")
    description = _description()
    eventTypes = _types()


class WebhookChanges(Contract):
    """A merge patch: what is left out stays."""

    url = _url()
    description = _description()
    eventTypes = _types()
    status = Code(
        "disabled stops it; active starts it again.",
        ("active", "disabled"),
        name="active or disabled",
        example="active",
    )


class Recovery(Contract):
    """Send what happened in this time and never arrived."""

    since = Moment("From this moment on.", required=True, example="2026-11-21T10:00:00Z")
    until = Moment("Before this moment; without it, now.", example="2026-11-21T12:00:00Z")


class WebhookQuery(Contract):
    environment = _environment("Only those of this environment.")


class DeliveryQuery(PartQuery):
    status = Code(
        "Only those of this status.", STATUSES, name="pending, delivered or failed",
        example="failed",
    )  # fmt: skip


class Webhook(Schema):
    webhookId = a.an_id("The webhook's id")
    url = a.text("Where events are posted", "https://erp.example.com/hook")
    description = a.text("For yourself", "ERP of the head office", or_null=True)
    eventTypes = a.texts("Which events; empty: the three transaction events", "transaction.sent")
    environment = a.text("Whose events", "test")
    status = a.text("active or disabled", "active")
    disabledReason = a.text("Why it was disabled", "by its owner", or_null=True)
    backoffUntil = a.moment("No requests before, as it did not answer in time", or_null=True)
    createdAt = a.moment("When it was made")
    updatedAt = a.moment("When it was last changed")


class OneWebhook(Webhook):
    provider = a.provider()


class WebhookWithSecrets(OneWebhook):
    """The only answers that show the secrets: when they are made."""

    secret = a.text("What X-Webhook-Secret will be, shown this once", "f3c9…")
    signingSecret = a.text("What signatures are made with, shown this once", "whsec_…")


class WebhookList(Schema):
    items = a.things(Webhook(), "The webhooks, oldest first")
    provider = a.provider()


class Delivery(Schema):
    """One event on its way to one webhook."""

    deliveryId = a.an_id("The delivery's id")
    eventId = a.text("The event, as in webhook-id", "evt_5f0c")
    eventType = a.text("What happened", "transaction.sent")
    status = a.text("pending, delivered or failed", "delivered")
    statusCode = a.number("What the receiver answered last", 200, or_null=True)
    attempts = a.number("How often it was tried", 1)
    lastError = a.text("Why there was no answer", "no answer within 15 s", or_null=True)
    durationMs = a.number("How long the last attempt took", 120, or_null=True)
    responseExcerpt = a.text("How the last answer began", "ok", or_null=True)
    nextRetryAt = a.moment("When it is tried again", or_null=True)
    deliveredAt = a.moment("When it was taken", or_null=True)
    createdAt = a.moment("When it was owed")
    trigger = a.text("schedule, manual or test", "schedule")


class OneDelivery(Delivery):
    provider = a.provider()


class DeliveryList(Schema):
    items = a.things(Delivery(), "The deliveries of 30 days, newest first")
    nextCursor = a.text("Pass it as cursor for the next page", "q83v…", or_null=True)
    hasMore = a.flag("Whether there is another page", example=False)
    provider = a.provider()


class Recovered(Schema):
    recovered = a.number("How many events are sent again", 3)
    provider = a.provider()
