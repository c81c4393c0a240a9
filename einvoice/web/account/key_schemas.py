"""API keys: bodies of the requests that create and change them, and of responses (decisions 9)."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.security.api_keys import DEFAULT_SCOPES, SCOPES
from einvoice.services.account.credential_terms import DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS
from einvoice.web.contract import Contract, Items
from einvoice.web.fields import PARTICIPANT_ID, Code, Count, Text
from einvoice.web.paging import Moment
from einvoice.web.shared import response_fields as a

ENVIRONMENT = {"name": "test or live", "example": "test"}


def name_field(*, required: bool = False) -> Text:
    words = "What the key is for, in your own words."
    return Text(words, max_length=100, required=required, example="ERP of the head office")


def scopes_field() -> Items:
    one = Code("", SCOPES, name=f"one of {', '.join(SCOPES)}", required=True)
    words = f"What the key may do; without it {', '.join(DEFAULT_SCOPES)}."
    return Items(one, words, min_items=1, max_items=len(SCOPES))


def ips_field() -> Items:
    one = Text("", max_length=43, required=True, example="192.0.2.0/24")
    return Items(one, "Addresses or networks it may be used from; empty: any.", max_items=100)


def receivers_field() -> Items:
    one = Text("", max_length=140, form=PARTICIPANT_ID, required=True, example="0088:9520000000004")
    return Items(one, "Participants it may send to; empty: any.", max_items=1000)


class NewKey(Contract):
    """A key to make."""

    name = name_field(required=True)
    environment = Code("Where it works.", ("test", "live"), required=True, **ENVIRONMENT)
    scopes = scopes_field()
    expiresAt = Moment(
        "When it ends, or its last day (of UTC); without it, never.", end=True,
        example="2027-11-21T00:00:00Z",
    )  # fmt: skip
    allowedIps = ips_field()
    allowedReceivers = receivers_field()


class KeyChanges(Contract):
    """What is left out stays as it is."""

    name = name_field()
    scopes = scopes_field()
    allowedIps = ips_field()
    allowedReceivers = receivers_field()


class Rotation(Contract):
    gracePeriodSeconds = Count(
        f"How long the old key still works; without it {DEFAULT_GRACE_SECONDS}.",
        minimum=0,
        maximum=MAX_GRACE_SECONDS,
        example=3600,
    )


class KeyQuery(Contract):
    environment = Code("Only keys of this environment.", ("test", "live"), **ENVIRONMENT)


class RateLimits(Schema):
    """Requests a minute; the operator's to set."""

    get = a.number("GET and HEAD requests", 60)
    post = a.number("All other requests", 20)


class Key(Schema):
    """A key without the key itself, which is nowhere."""

    keyId = a.an_id("The key's id")
    name = a.text("What it is for", "ERP of the head office")
    environment = a.text("test or live", "test")
    prefix = a.text("How it begins", "sk_test_Xk2vQ8aB")
    last4 = a.text("How it ends", "0aZ9")
    scopes = a.texts("What it may do", "invoices:send")
    allowedIps = a.texts("Where it may be used from; empty: anywhere", "192.0.2.0/24")
    allowedReceivers = a.texts("Whom it may send to; empty: anybody", "0088:9520000000004")
    rateLimits = fields.Nested(RateLimits(), metadata={"description": "Its budget"}, required=True)
    createdBy = a.text("Who made it", "ann@example.com", or_null=True)
    createdAt = a.moment("When it was made")
    expiresAt = a.moment("When it ends; null: never", or_null=True)
    revokedAt = a.moment("When it was revoked", or_null=True)
    lastUsedAt = a.moment("When it was last used, to the minute", or_null=True)
    lastUsedIp = a.text("From where", "192.0.2.7", or_null=True)


class OneKey(Key):
    provider = a.provider()


class MadeKey(OneKey):
    """A new key: the only answer that shows it."""

    key = a.text("The key, shown this once", "sk_test_Xk2vQ8aB…")


class KeyList(Schema):
    items = a.things(Key(), "All keys there were, oldest first")
    provider = a.provider()
