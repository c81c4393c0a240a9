"""The query of a list of invoices, the filters and the page that it means, and its cursors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from marshmallow import fields

from einvoice import clock
from einvoice.domain.codes import CURRENCIES
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.responses import ResponseStatus
from einvoice.services.invoices import lists
from einvoice.services.invoices.lists import InvoiceFilters, InvoicePageRequest, Place, Position
from einvoice.services.principal import Reader
from einvoice.web import paging
from einvoice.web.contract import Described
from einvoice.web.fields import Code, Day, Id, ParticipantText, Text, environment_code, exact
from einvoice.web.paging import Moment, PageQuery
from einvoice.web.refusal_messages import refusal

_SORTS = tuple(f"{sign}{order}" for order in lists.ORDERS for sign in ("-", ""))
_AMOUNT = re.compile(r"-?[0-9]{1,16}(\.[0-9]{1,9})?", re.ASCII)

_ID = "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"


class QueryAmount(Described, fields.String):
    """An amount in a query: digits with a point, and a sign."""

    def __init__(self, description: str, **options: Any) -> None:
        super().__init__(description, openapi={"pattern": f"^{_AMOUNT.pattern}$"}, **options)

    def read(self, value: Any) -> Decimal:
        if not _AMOUNT.fullmatch(value):
            raise refusal("amount")
        return exact(Decimal(value))


class InvoiceQuery(PageQuery):
    """Filters are joined by "and"."""

    dotted = "metadata"

    sort = Code(
        "Order, with - from the largest on; -createdAt (default) is newest first. Of people, all "
        "but createdAt need environment. party is the name of the other side, and sorts at most "
        "5,000 invoices. Those without the value are last.",
        _SORTS,
        name=" or ".join((", ".join(lists.ORDERS[:-1]), f"{lists.ORDERS[-1]}, or - before it")),
        example="-createdAt",
    )
    environment = environment_code(
        "Only those of this environment. A key sees its own environment only.", example="live"
    )
    direction = Code(
        "Only sent, or only received ones.",
        ("sent", "received"),
        name="sent or received",
        example="sent",
    )
    networkStatus = Code(
        "Only those of this status.",
        tuple(status.value for status in NetworkStatus),
        name="Processing, Delivered, Failed or Received",
        example="Failed",
    )
    number = Text("Only those of this invoice number, exactly.", max_length=100, example="2026-001")
    receiverParticipantId = ParticipantText(
        "Only those to this participant.",
        max_length=140,
        example="0088:9520000000004",
    )
    senderParticipantId = ParticipantText(
        "Only those from this participant.",
        max_length=140,
        example="0208:0123456749",
    )
    participantId = ParticipantText(
        "Only those whose other side is this participant: the receiver of what was sent, the "
        "sender of what was received.",
        max_length=140,
        example="0088:9520000000004",
    )
    transactionId = Text(
        "Only the invoice of this transmission: its newest one, or one before.",
        max_length=40,
        example="txn_5f0c…",
    )
    supplierId = Id(
        "Only received ones that are assigned to this supplier of the directory.",
        max_length=40,
        example=_ID,
    )
    customerId = Id(
        "Only those sent to this customer of the directory: by its participant id or tax id, or "
        "by its name if it has neither.",
        max_length=40,
        example=_ID,
    )
    issueDateFrom = Day("Only those issued on this day or later.", example="2026-11-01")
    issueDateTo = Day("Only those issued on this day or earlier.", example="2026-11-30")
    createdFrom = Moment(
        "Only those accepted at this time or later; a day means its beginning, UTC.",
        example="2026-11-21T00:00:00Z",
    )
    createdTo = Moment(
        "Only those accepted at this time or earlier; a day means its end, UTC.",
        end=True,
        example="2026-11-21",
    )
    currency = Code(
        "Only those in this currency (ISO 4217).",
        CURRENCIES,
        name="an ISO 4217 currency code",
        codes_of="iso4217_peppol",
        example="EUR",
    )
    grandTotalFrom = QueryAmount(
        "Only those with this total or more, whatever the currency (name it with currency).",
        example="1000.00",
    )
    grandTotalTo = QueryAmount(
        "Only those with this total or less, whatever the currency (name it with currency).",
        example="1210.50",
    )
    party = Text(
        "Only those whose other side has this text in its name, in any case, or this participant "
        "id: the buyer of what was sold, else the seller.",
        max_length=140,
        example="acme",
    )
    processed = Code(
        "Only received ones that are processed, or (false) open.",
        ("true", "false"),
        name="true or false",
        example="false",
    )
    response = Code(
        "Only sent ones of which the receiver has said this last.",
        tuple(status.value for status in ResponseStatus),
        name=" or ".join((", ".join(list(ResponseStatus)[:-1]), list(ResponseStatus)[-1])),
        example="rejected",
    )
    attention = Code(
        "Only those that need a person: refused by the receiver after delivery until that is done, "
        "and those whose outcome is unknown.",
        ("true",),
        name="true",
        example="true",
    )
    failureDone = Code(
        "Only failed ones of which a person has said that nothing is left to do; false: only those "
        "of which nobody has.",
        ("true", "false"),
        name="true or false",
        example="false",
    )
    paid = Code(
        "Only those that you have sold and of which you have said that the amount due is paid; "
        "false: only your other sales.",
        ("true", "false"),
        name="true or false",
        example="false",
    )
    q = Text(
        "Only those with this text in their number, supplier name or buyer name, in any case.",
        max_length=100,
        example="acme",
    )


class DocumentsQuery(InvoiceQuery):
    """The filters of a list that is not paged."""

    class Meta(InvoiceQuery.Meta):
        exclude = ("limit", "cursor", "include")


# The parameters of `dotted`: an object of which each member is a parameter.
METADATA_PARAMETERS: dict[str, Any] = {
    "in": "query",
    "name": "metadata",
    "required": False,
    "style": "form",
    "explode": True,
    "description": "Only those that were sent with this text in their metadata, exactly: "
    "metadata.erpId=4711. The names are those of searchableMetadata of the account.",
    "schema": {
        "type": "object",
        "additionalProperties": {"type": "string", "minLength": 1, "maxLength": 500},
    },
    "example": {"metadata.erpId": "4711"},
}


def filters_of(query: Mapping[str, Any]) -> InvoiceFilters:
    """The filters of a query as the contract read it."""
    return InvoiceFilters(
        environment=Environment(query["environment"]) if "environment" in query else None,
        direction=query.get("direction"),
        status=NetworkStatus(query["networkStatus"]) if "networkStatus" in query else None,
        number=query.get("number"),
        receiver=_participant(query.get("receiverParticipantId")),
        sender=_participant(query.get("senderParticipantId")),
        participant=_participant(query.get("participantId")),
        transaction_id=query.get("transactionId"),
        metadata=query.get("metadata"),
        supplier_id=query.get("supplierId"),
        customer_id=query.get("customerId"),
        issued_from=query.get("issueDateFrom"),
        issued_to=query.get("issueDateTo"),
        created_from=query.get("createdFrom"),
        created_to=query.get("createdTo"),
        currency=query.get("currency"),
        total_from=query.get("grandTotalFrom"),
        total_to=query.get("grandTotalTo"),
        party=query.get("party"),
        text=query.get("q"),
        processed=query["processed"] == "true" if "processed" in query else None,
        response=ResponseStatus(query["response"]) if "response" in query else None,
        attention=True if "attention" in query else None,
        failure_done=query["failureDone"] == "true" if "failureDone" in query else None,
        paid=query["paid"] == "true" if "paid" in query else None,
    )


def _participant(text: str | None) -> ParticipantId | None:
    return None if text is None else ParticipantId.parse(text)


def page_of(query: Mapping[str, Any], reader: Reader) -> InvoicePageRequest:
    """The page that a query means. Raises InvalidField for a cursor of another query."""
    sort = query.get("sort", f"-{lists.CREATED}")
    order = sort.removeprefix("-")
    limit = query.get("limit", paging.DEFAULT_PAGE_SIZE)
    after = (
        paging.position(query, reader) if order == lists.CREATED else _place(order, query, reader)
    )
    return InvoicePageRequest(limit, after, order, descending=sort.startswith("-"))


def cursor_of(end: Position | Place | None, query: Mapping[str, Any], reader: Reader) -> str | None:
    """The cursor of the next page; None after the last one."""
    if end is None:
        return None
    if isinstance(end, Position):
        return paging.cursor(end, query, reader)
    return paging.mark([end.part, *map(_written, end.values)], query, reader)


def _place(order: str, query: Mapping[str, Any], reader: Reader) -> Place | None:
    found = paging.marked(query, reader)
    if found is None:
        return None
    types = lists.values_of(order, found[0])
    return Place(found[0], tuple(map(_read, found[1:], types)))


def _written(value: object) -> object:
    if isinstance(value, datetime):
        return clock.timestamp(value)
    return str(value) if isinstance(value, (date, Decimal)) else value


def _read(value: str, kind: type) -> object:
    if kind in (date, datetime):
        return kind.fromisoformat(value)
    return Decimal(value) if kind is Decimal else value
