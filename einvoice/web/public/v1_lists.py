"""GET /v1/invoices: the list of GET /api/invoices, with each invoice in the form of /v1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response

from einvoice.services.invoices import lists, status
from einvoice.services.invoices.lists import InvoiceListItem
from einvoice.services.invoices.status import ListedDocument
from einvoice.services.principal import Reader
from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.public.list_schemas import DocumentList
from einvoice.web.public.lists import invoice_item, page_body
from einvoice.web.responses import json_response
from einvoice.web.shared.invoice_list_schemas import InvoiceQuery

family = Family(
    "v1_lists", __name__, url_prefix="/v1", credential=credentials.bearer, tag="Documents"
)
family.after_request(credentials.challenge)

# Members of GET /api/invoices whose values have other names in /v1.
_RENAMED = frozenset({"invoiceId", "type", "senderParticipantId", "receiverParticipantId"})


@family.route("/invoices")
@family.doc(parameters=[{"in": "query", "schema": InvoiceQuery}])
@family.response(200, DocumentList())
def list_documents() -> Response:
    """List sent and received invoices in the form of /v1, newest first, page by page.

    Filters and pages are those of GET /api/invoices, as are the members, except that an invoice has
    `id`, `sender` and `receiver` as at GET /v1/invoices/{invoiceId}, and `status`, `format`,
    `network` and `documentType` in addition.
    """
    credentials.require("invoices:read")
    return json_response(page_body(credentials.reader(), _items))


def _items(items: Sequence[InvoiceListItem], who: Reader) -> list[dict[str, Any]]:
    bills, said = lists.bills(items), lists.responses(items, who.tenant_id)
    documents = status.listed(items, bills, who.tenant_id)
    return [
        _item(invoice_item(item, bills.get(item.id), said.get(item.id)), item, document)
        for item, document in zip(items, documents, strict=True)
    ]


def _item(
    listed: dict[str, Any], item: InvoiceListItem, document: ListedDocument
) -> dict[str, Any]:
    return {
        "id": item.id,
        "status": document.status,
        "format": document.form,
        "network": document.network,
        "documentType": document.kind,
        "sender": {"peppolId": item.sender, "country": document.sender_country},
        "receiver": {"peppolId": item.receiver, "country": document.receiver_country},
        **{name: value for name, value in listed.items() if name not in _RENAMED},
    }
