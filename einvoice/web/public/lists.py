"""GET /api/invoices: sent and received invoices, page by page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from flask import Response

from einvoice.domain.errors import AccessPointUnavailable, Conflict
from einvoice.domain.roles import Role
from einvoice.services.invoices import lists
from einvoice.services.invoices.lists import InvoiceListItem
from einvoice.services.principal import Reader
from einvoice.web import credentials, paging
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.paging import Page
from einvoice.web.public.list_schemas import InvoiceList, ListedInvoice
from einvoice.web.shared import archive, computations, searches
from einvoice.web.shared.attachments import documents_response
from einvoice.web.shared.invoice_list_schemas import (
    METADATA_PARAMETERS,
    DocumentsQuery,
    InvoiceQuery,
    cursor_of,
    filters_of,
    page_of,
)

family = Family(
    "lists", __name__, url_prefix="/api", credential=credentials.key_or_session, tag="Invoices"
)

T = TypeVar("T")
_QUERY, _DOCUMENTS = InvoiceQuery(), DocumentsQuery()
_BYTES = {"type": "string", "format": "binary"}


@family.route("/invoices", least=Role.VIEWER)
@family.doc(parameters=[{"in": "query", "schema": InvoiceQuery}, METADATA_PARAMETERS])
@family.response(200, InvoiceList())
def list_invoices() -> Page[ListedInvoice]:
    """List sent and received invoices, newest first, page by page.

    Filters are joined by "and". While hasMore is true, request the next page with nextCursor and
    the same filters; a page with few or no items may still have a next page.
    """
    credentials.require("invoices:read")
    return requested_page(credentials.reader(), _listed)


@family.route("/invoices/documents", least=Role.VIEWER)
@family.doc(
    parameters=[{"in": "query", "schema": DocumentsQuery}, METADATA_PARAMETERS],
    responses={200: {"content": {"application/zip": {"schema": _BYTES}}}},
)
@family.refuses(Conflict, AccessPointUnavailable, *computations.REFUSALS, *archive.REFUSALS)
@family.response(200, description="The ZIP.")
def download_documents() -> Response:
    """Download the documents of the invoices with these filters as a ZIP, for the books.

    It has the original and the PDF of each, and invoices.csv, which names the files, their digests
    and what is missing. At most 200 invoices and 64 MiB: more is 409 conflict, as are invoices
    that are not found within 20 seconds. PDFs are kept as they are made, for 45 seconds: after 503
    computing-unavailable, repeat the request.
    """
    credentials.require("artefacts:read")
    query, principal = paging.read_query(_DOCUMENTS), credentials.reader()
    return documents_response(
        principal, filters_of(query), page_of(query, principal), "invoices.zip"
    )


def requested_page(
    reader: Reader, rows_of: Callable[[Sequence[InvoiceListItem], Reader], list[T]]
) -> Page[T]:
    """The page that the query of the request asks for; `rows_of` completes its items."""
    query = paging.read_query(_QUERY)
    page = searches.page(query, reader)
    rows, total = rows_of(page.items, reader), None
    if query.get("include") == "total":
        with slots.released():
            total = lists.total(reader, filters_of(query))
    return Page(rows, cursor_of(page.end, query, reader), page.end is not None, total)


def _listed(items: Sequence[InvoiceListItem], reader: Reader) -> list[ListedInvoice]:
    bills, said = lists.bills(items), lists.responses(items, reader.tenant_id)
    return [ListedInvoice(item, bills.get(item.id), said.get(item.id)) for item in items]
