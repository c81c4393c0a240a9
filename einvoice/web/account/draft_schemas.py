"""Drafts of invoices: requests and responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import fields

from einvoice.services.invoices.drafts import (
    KEPT_DAYS,
    MAX_CONTENT_BYTES,
    DraftRecord,
    kept_until,
)
from einvoice.web.contract import Contract, Described
from einvoice.web.fields import environment_code
from einvoice.web.paging import Page, PartQuery
from einvoice.web.refusal_messages import refusal
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a

_INVOICE = {"number": "INV-2026-002", "buyer": {"name": "Buyer BV"}}
_ROUTING = {"receiverParticipantId": "0088:9520000000004"}
_KEPT = "of the body of POST /api/invoices/send, as far as they are known"


class AnyObject(Described, fields.Dict):
    """An object of any members, which are stored as they are."""

    def __init__(self, description: str, **options: Any) -> None:
        super().__init__(description, openapi={"additionalProperties": True}, **options)

    def read(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise refusal("object")
        return dict(value)


class DraftChanges(Contract):
    """The content of a draft. It replaces all that the draft held before, its attachments too."""

    invoice = AnyObject(
        f"The members of `invoice` {_KEPT}. They are not judged before the invoice is checked or "
        f"sent, except for attachments; at most {MAX_CONTENT_BYTES:,} bytes without those.",
        example=_INVOICE,
    )
    routing = AnyObject(f"The members of `routing` {_KEPT}.", example=_ROUTING)


class NewDraft(DraftChanges):
    """A new draft."""

    environment = environment_code("Environment to send it in. Required for people; a key has one.")


class DraftQuery(PartQuery):
    environment = environment_code("Only those of this environment.")


class Draft(ResponseSchema[DraftRecord]):
    """A draft without what it holds."""

    draftId = a.an_id("The draft", source="id")
    environment = a.text("Environment to send it in", "test")
    number = a.text("Number of the invoice, as far as it is known", "INV-2026-002", or_null=True)
    buyerName = a.text("Name of the buyer", "Buyer BV", or_null=True)
    attachmentCount = a.number("How many attachments it has", 1, source="file_count")
    size = a.number("Bytes of what it holds and of its attachments", 48213)
    createdBy = a.text(
        "Who began it: e-mail address or subject of the person, or id of the API key",
        "ann@example.com",
        or_null=True,
    )
    createdAt = a.moment("When it was begun")
    updatedAt = a.moment("When it was last changed")
    keptUntil = a.moment(
        f"When it is deleted unless it is changed before: {KEPT_DAYS} days after the last change",
        source=kept_until,
    )


class DraftResponse(Draft):
    provider = a.provider()


@dataclass(frozen=True, slots=True)
class DraftWithContent:
    """A draft with the members of a send that it holds."""

    record: DraftRecord
    content: Mapping[str, Any]


class WholeDraft(Draft):
    """A draft with what it holds."""

    inside = "record"

    keptUntil = a.moment(
        f"When it is deleted unless it is changed before: {KEPT_DAYS} days after the last change",
        source=lambda draft: kept_until(draft.record),
    )
    provider = a.provider()
    invoice = a.members(
        "The members of `invoice` as they were stored, attachments with their content",
        _INVOICE,
        source=lambda draft: draft.content["invoice"],
    )
    routing = a.members(
        "The members of `routing` as they were stored",
        _ROUTING,
        source=lambda draft: draft.content["routing"],
    )


class DraftList(ResponseSchema[Page[DraftRecord]]):
    items = a.things(Draft(), "The drafts, newest first")
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
