"""GET /api/invoices: sent and received invoices, page by page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flask import Response

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.errors import AccessPointUnavailable, Conflict
from einvoice.domain.roles import Role
from einvoice.services.invoices import lists
from einvoice.services.invoices.lists import BillRecord, InvoiceListItem, ReceiverResponseRecord
from einvoice.services.principal import Reader
from einvoice.web import credentials, paging
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.public.list_schemas import InvoiceList
from einvoice.web.responses import json_response, provider
from einvoice.web.shared import archive, computing, searches
from einvoice.web.shared.attachments import documents_response
from einvoice.web.shared.bill_members import bill_members
from einvoice.web.shared.invoice_list_schemas import (
    DocumentsQuery,
    InvoiceQuery,
    cursor_of,
    filters_of,
    page_of,
)

family = Family(
    "lists", __name__, url_prefix="/api", credential=credentials.key_or_session, tag="Invoices"
)

_QUERY, _DOCUMENTS = InvoiceQuery(), DocumentsQuery()
_BYTES = {"type": "string", "format": "binary"}


@family.route("/invoices", least=Role.VIEWER)
@family.doc(parameters=[{"in": "query", "schema": InvoiceQuery}])
@family.response(200, InvoiceList())
def list_invoices() -> Response:
    """List sent and received invoices, newest first, page by page.

    Filters are joined by "and". While hasMore is true, request the next page with nextCursor and
    the same filters; a page with few or no items may still have a next page.
    """
    credentials.require("invoices:read")
    return json_response(page_body(credentials.reader(), _items))


@family.route("/invoices/documents", least=Role.VIEWER)
@family.doc(
    parameters=[{"in": "query", "schema": DocumentsQuery}],
    responses={200: {"content": {"application/zip": {"schema": _BYTES}}}},
)
@family.refuses(Conflict, AccessPointUnavailable, *computing.REFUSALS, *archive.REFUSALS)
@family.response(200, description="The ZIP.")
def download_documents() -> Response:
    """Download the documents of the invoices with these filters as a ZIP, for the books.

    It has the original and the PDF of each, and invoices.csv, which names the files, their digests
    and what is missing. At most 200 invoices and 64 MiB: more is 409 conflict, as are invoices
    that are not found within 20 seconds. PDFs are kept as they are made, for 45 seconds: after 503
    computing-unavailable, repeat the request.
    """
    credentials.require("artefacts:read")
    query, who = paging.read_query(_DOCUMENTS), credentials.reader()
    return documents_response(who, filters_of(query), page_of(query, who), "invoices.zip")


def page_body(
    who: Reader, items_of: Callable[[Sequence[InvoiceListItem], Reader], list[dict[str, Any]]]
) -> dict[str, Any]:
    """The page that the query of the request asks for, with its items as `items_of` writes them."""
    query = paging.read_query(_QUERY)
    page = searches.page(query, who)
    body: dict[str, Any] = {
        "items": items_of(page.items, who),
        "nextCursor": cursor_of(page.end, query, who),
        "hasMore": page.end is not None,
        "provider": provider(),
    }
    if query.get("include") == "total":
        with slots.released():
            body["total"] = lists.total(who, filters_of(query))
    return body


def _items(items: Sequence[InvoiceListItem], who: Reader) -> list[dict[str, Any]]:
    bills, said = lists.bills(items), lists.responses(items, who.tenant_id)
    return [invoice_item(item, bills.get(item.id), said.get(item.id)) for item in items]


def invoice_item(
    item: InvoiceListItem, bill: BillRecord | None, said: ReceiverResponseRecord | None
) -> dict[str, Any]:
    """The JSON of one invoice of a list; `said`: what the receiver of a sent one has said."""
    return {
        "invoiceId": item.id,
        "environment": item.environment,
        "transactionId": item.transmission_id,
        "direction": item.direction,
        "type": item.kind,
        "number": item.number,
        "issueDate": item.issue_date,
        "dueDate": item.due_date,
        "currency": item.currency,
        "grandTotal": item.grand_total,
        "supplierName": item.supplier_name,
        "buyerName": item.buyer_name,
        "senderParticipantId": item.sender,
        "receiverParticipantId": item.receiver,
        "networkStatus": item.status,
        "failureReason": item.reason if item.status == NetworkStatus.FAILED else None,
        "shared": item.shared,
        **bill_members(bill, said),
        "metadata": item.metadata or {},
        "createdAt": clock.timestamp(item.created_at),
        "updatedAt": clock.timestamp(lists.updated_at(item)),
    }
