"""Correct things, of which a test changes one."""

from __future__ import annotations

import copy
import hashlib
import itertools
import uuid
from dataclasses import fields
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from einvoice import clock
from einvoice.domain.identifiers import BIS_BILLING_PROCESS, BIS_INVOICE
from einvoice.domain.invoice_head import InvoiceHead
from einvoice.store.account.idempotency import KeyScope
from einvoice.store.invoices.artefacts import NewArtefact
from einvoice.store.sending import acceptance
from einvoice.store.sending.new_documents import Addressing, DocumentContent
from einvoice.store.sending.new_sends import Accepted, NewSend

SENDER = "0208:0123456749"
RECEIVER = "0088:9520000000004"
CII = (Path(__file__).parent / "samples" / "good_cii.xml").read_bytes()
_numbers = itertools.count(1)

SEND: dict[str, Any] = {
    "invoice": {
        "number": "2026-001",
        "issueDate": "2026-11-21",
        "dueDate": "2026-12-21",
        "currency": "EUR",
        "buyerReference": "PO-1",
        "supplier": {
            "name": "Acme NV",
            "taxId": "BE0123456749",
            "companyId": "0123456749",
            "address": {
                "line1": "Street 1",
                "city": "Gent",
                "postalCode": "9000",
                "countryCode": "BE",
            },
        },
        "buyer": {
            "name": "Buyer BV",
            "address": {"line1": "Road 2", "city": "Gent", "countryCode": "BE"},
        },
        "lineItems": [
            {"description": "Consulting", "quantity": 2, "unitPrice": 50.0, "taxRate": 21.0}
        ],
        "totals": {"subtotal": 100.0, "taxAmount": 21.0, "grandTotal": 121.0},
    },
    "routing": {"senderParticipantId": SENDER, "receiverParticipantId": RECEIVER},
}


def send_body(reference: str, **invoice: Any) -> dict[str, Any]:
    """A valid body of POST /api/invoices/send; keyword arguments replace fields of the invoice."""
    body = copy.deepcopy(SEND)
    body["routing"]["accessPointRef"] = reference
    body["invoice"] |= {"number": f"T-{next(_numbers)}"} | invoice
    return body


def new_send(tenant_id: str, **changes: Any) -> NewSend:
    """A checked document; keyword arguments replace fields of any of its parts."""
    now = clock.now()
    key, space = changes.pop("key", None), changes.pop("space", "send")
    values: dict[str, Any] = {
        "invoice_id": str(uuid.uuid4()),
        "transmission_id": f"txn_{uuid.uuid4().hex}",
        "tenant_id": tenant_id,
        "environment": "test",
        "kind": "invoice",
        "number": f"N-{next(_numbers)}",
        "issue_date": date(2026, 11, 21),
        "due_date": None,
        "currency": "EUR",
        "subtotal": Decimal("100.00"),
        "tax_amount": Decimal("21.00"),
        "grand_total": Decimal("121.00"),
        "payable": Decimal("121.00"),
        "supplier_name": "Acme NV",
        "supplier_tax_id": None,
        "tax_currency": None,
        "tax_amount_in_tax_currency": None,
        "supplier_country": changes.get("sender_country", "BE"),
        "buyer_name": "Buyer BV",
        "buyer_tax_id": None,
        "buyer_country": changes.get("receiver_country"),
        "buyer_ids": None,
        "credited_number": None,
        "sender": SENDER,
        "receiver": RECEIVER,
        "rule_pack": "none",
        "rule_set_chosen_by": "network",
        "report_form": 1,
        "network_document": None,
        "findings": [],
        "warnings": [],
        "duplicate_warning": {"code": "possible-duplicate"},
        "original_type": "application/json",
        "original": b"{}",
        "document": b"<Invoice/>",
        "access_point": "simulator",
        "registration_id": None,
        "connection_id": None,
        "document_type": str(BIS_INVOICE),
        "process": str(BIS_BILLING_PROCESS),
        "profile": "peppol-bis-billing",
        "sender_country": "BE",
        "receiver_country": None,
        "receiver_email": None,
        "answered": "processing",
        "answer_by": None,
        "retry_until": now + timedelta(minutes=2),
        "lane": "bulk",
        "created_at": now,
    } | changes
    parts = {
        name: kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        for name, kind in _PARTS.items()
    }
    scope = KeyScope(values["tenant_id"], values["environment"], space, key) if key else None
    return NewSend(**values, **parts, key=scope)


_PARTS: dict[str, Any] = {
    "head": InvoiceHead,
    "addressing": Addressing,
    "content": DocumentContent,
}


def accepted(tenant_id: str, **changes: Any) -> NewSend:
    """A document that has been accepted."""
    send = new_send(tenant_id, **changes)
    assert isinstance(acceptance.accept(send), Accepted)
    return send


def a_receipt(content: bytes) -> NewArtefact:
    """Evidence of one transmission."""
    return NewArtefact(
        id=str(uuid.uuid4()),
        tenant_id="tenant",
        invoice_id="invoice",
        transmission_id="txn_1",
        kind="RECEIPT",
        name="receipt.xml",
        content_type="application/xml",
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
        authority_reference='it\'s "7"\n',
        legal_original=True,
        retention_years=10,
        created_at=clock.now(),
        content=content,
    )
