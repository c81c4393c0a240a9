"""GET /v1/invoices: the list of GET /api/invoices, with each invoice in the form of /v1."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.services.invoices import lists, status
from einvoice.services.invoices.lists import InvoiceListItem
from einvoice.services.principal import Reader
from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.paging import Page
from einvoice.web.public.list_schemas import DocumentList, ListedDocumentInvoice
from einvoice.web.public.lists import requested_page
from einvoice.web.shared.invoice_list_schemas import METADATA_PARAMETERS, InvoiceQuery

family = Family(
    "v1_lists", __name__, url_prefix="/v1", credential=credentials.bearer, tag="Documents"
)
family.after_request(credentials.challenge)


@family.route("/invoices")
@family.doc(parameters=[{"in": "query", "schema": InvoiceQuery}, METADATA_PARAMETERS])
@family.response(200, DocumentList())
def list_documents() -> Page[ListedDocumentInvoice]:
    """List sent and received invoices in the form of /v1, newest first, page by page.

    Filters and pages are those of GET /api/invoices, as are the members, except that an invoice has
    `id`, `sender` and `receiver` as at GET /v1/invoices/{invoiceId}, and `status`, `format`,
    `network` and `documentType` in addition.
    """
    credentials.require("invoices:read")
    return requested_page(credentials.reader(), _rows)


def _rows(items: Sequence[InvoiceListItem], reader: Reader) -> list[ListedDocumentInvoice]:
    bills, said = lists.bills(items), lists.responses(items, reader.tenant_id)
    documents = status.listed(items, bills, reader.tenant_id)
    return [
        ListedDocumentInvoice(item, bills.get(item.id), said.get(item.id), document)
        for item, document in zip(items, documents, strict=True)
    ]
