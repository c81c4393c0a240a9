"""Legal holds: requests and responses."""

from __future__ import annotations

from einvoice.services.account.audit import OPERATOR
from einvoice.services.archive.holds import HoldRecord
from einvoice.web.contract import Contract
from einvoice.web.fields import Code, Id, Text
from einvoice.web.paging import Page, PartQuery
from einvoice.web.response_schema import ResponseSchema
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


def _released_by(hold: HoldRecord) -> str | None:
    return (hold.released_by or OPERATOR) if hold.released_at else None


class Hold(ResponseSchema[HoldRecord]):
    holdId = a.text("The hold", a.SOME_ID, source="id")
    invoiceId = a.text("The invoice; null: everything of the account", a.SOME_ID, or_null=True)
    reason = a.text("Why", "Lawsuit 4711")
    placedAt = a.moment("When it was placed")
    placedBy = a.text(
        "Who placed it: the person's subject, or operator",
        "auth0|5f7c8e",
        source=lambda hold: hold.placed_by or OPERATOR,
    )
    releasedAt = a.moment("When it was released; null while it lasts", or_null=True)
    releasedBy = a.text(
        "Who released it; null while it lasts",
        "auth0|5f7c8e",
        or_null=True,
        source=_released_by,
    )


class HoldResponse(Hold):
    provider = a.provider()


class HoldList(ResponseSchema[Page[HoldRecord]]):
    items = a.things(Hold(), "The holds, newest first")
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
