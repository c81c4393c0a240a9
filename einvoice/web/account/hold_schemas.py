"""Legal holds: requests and responses."""

from __future__ import annotations

from marshmallow import Schema

from einvoice.web.contract import Contract
from einvoice.web.fields import Code, Id, Text
from einvoice.web.paging import PartQuery
from einvoice.web.shared import response_fields as a

MAX_REASON = 500


class NewHold(Contract):
    """A legal hold to place."""

    invoiceId = Id(
        "The invoice that is kept; without it everything of the account.",
        max_length=40,
        example=a.SOME_ID,
    )
    reason = Text(
        "Why, such as the file number of a court.",
        max_length=MAX_REASON,
        required=True,
        example="Lawsuit 4711",
    )


class HoldQuery(PartQuery):
    invoiceId = Id(
        "Only holds that keep this invoice: its own, and those of the whole account.",
        max_length=40,
        example=a.SOME_ID,
    )
    state = Code(
        "Only holds that last (active), or that have ended (released).",
        ("active", "released"),
        name="active or released",
        example="active",
    )


class Hold(Schema):
    holdId = a.text("The hold", a.SOME_ID)
    invoiceId = a.text("The invoice; null: everything of the account", a.SOME_ID, or_null=True)
    reason = a.text("Why", "Lawsuit 4711")
    placedAt = a.moment("When it was placed")
    placedBy = a.text("Who placed it: the person's subject, or operator", "auth0|5f7c8e")
    releasedAt = a.moment("When it was released; null while it lasts", or_null=True)
    releasedBy = a.text("Who released it; null while it lasts", "auth0|5f7c8e", or_null=True)


class HoldResponse(Hold):
    provider = a.provider()


class HoldList(Schema):
    items = a.things(Hold(), "The holds, newest first")
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
