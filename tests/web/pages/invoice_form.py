"""The form of a new invoice, filled in, and what its page shows."""

from __future__ import annotations

import html
import re

from tests.builders import RECEIVER, SENDER

FORM = "/dashboard/invoices/new"
UNREGISTERED = "0088:9520000000080"
SCRIPT = "<script>alert(1)</script>"
LINE = "invoice.lineItems.0."
FILLED = {
    "routing.senderParticipantId": SENDER,
    "routing.receiverParticipantId": RECEIVER,
    "invoice.supplier.name": "Acme NV",
    "invoice.supplier.taxId": "BE0123456749",
    "invoice.supplier.companyId": "0123456749",
    "invoice.supplier.address.line1": "Street 1",
    "invoice.supplier.address.city": "Gent",
    "invoice.supplier.address.countryCode": "BE",
    "invoice.buyer.name": "Buyer BV",
    "invoice.buyer.address.line1": "Road 2",
    "invoice.buyer.address.city": "Gent",
    "invoice.buyer.address.countryCode": "BE",
    "invoice.type": "invoice",
    "invoice.number": "P-1",
    "invoice.issueDate": "2026-11-21",
    "invoice.dueDate": "2026-12-21",
    "invoice.currency": "EUR",
    "invoice.buyerReference": "PO-1",
    f"{LINE}description": "Consulting",
    f"{LINE}quantity": "2",
    f"{LINE}unitCode": "HUR",
    f"{LINE}unitPrice": "50,50",
    f"{LINE}taxCategory": "S",
    f"{LINE}taxRate": "21",
}


def filled(visitor, **changes: str) -> dict[str, str]:
    """The form of a page, filled in; the key is that of the page."""
    key = re.search(r'name="key" value="([^"]+)"', visitor.get(FORM).text)[1]
    return {**FILLED, "key": key, **changes}


def error_at(answer, name: str) -> str | None:
    """The words at a field."""
    match = re.search(rf'id="{re.escape(name)}-error">([^<]*)<', answer.text)
    return html.unescape(match[1]) if match else None


def value_of(answer, name: str) -> str:
    return html.unescape(
        re.search(rf'name="{re.escape(name)}" [^>]*value="([^"]*)"', answer.text)[1]
    )
