"""The list of invoices: query and response (decisions 5)."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.domain.artefacts import CODE, KINDS
from einvoice.web.contract import Contract
from einvoice.web.fields import NETWORK, PARTICIPANT_ID, Text
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.invoice_schemas import InvoiceAnswered
from einvoice.web.shared.metadata import returned_metadata

_ID = "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"


class LookupQuery(Contract):
    """Documents the query of a lookup, whose refusals have slugs of their own."""

    participantId = Text(
        "The participant, as <4-digit scheme>:<identifier> (ISO 6523).",
        max_length=140,
        form=PARTICIPANT_ID,
        required=True,
        example="0088:9520000000004",
    )
    network = Text(
        "The network to ask; needed only where several reach the participant.",
        max_length=40,
        form=NETWORK,
        example="peppol",
    )


class ArtefactQuery(Contract):
    type = Text(
        f"Only artefacts of this type: {', '.join(KINDS)}, or one of a network's own.",
        max_length=40,
        form=(CODE.pattern, "a type of artefacts, such as RECEIPT"),
        example="RECEIPT",
    )


def _text(description: str, example: object, *, or_null: bool = False) -> fields.String:
    metadata = {"description": description, "example": example}
    return fields.String(metadata=metadata, allow_none=or_null, required=True)


class InvoiceSummary(Schema):
    """One invoice of a list; GET /api/invoices/{invoiceId} has the rest."""

    invoiceId = fields.UUID(metadata={"description": "The invoice", "example": _ID}, required=True)
    environment = _text("test or live", "test")
    transactionId = _text("Its newest transmission", "txn_5f0c…")
    direction = _text("sent or received", "sent")
    type = _text("invoice, creditNote, selfBilledInvoice or selfBilledCreditNote", "invoice")
    number = _text("Invoice number; null if a received document has none", "2026-001", or_null=True)
    issueDate = fields.Date(
        metadata={"description": "Date of issue", "example": "2026-11-21"},
        allow_none=True,
        required=True,
    )
    dueDate = fields.Date(
        metadata={"description": "Date payment is due", "example": "2026-12-21"},
        allow_none=True,
        required=True,
    )
    currency = _text("ISO 4217", "EUR", or_null=True)
    grandTotal = fields.Decimal(
        metadata={"description": "Total with tax, in its currency", "example": 121.00},
        allow_none=True,
        required=True,
    )
    supplierName = _text("Who invoices", "Acme NV", or_null=True)
    buyerName = _text("Name of the buyer", "Buyer BV", or_null=True)
    senderParticipantId = _text("ISO 6523 id of the sender", "0208:0123456749")
    receiverParticipantId = _text(
        "ISO 6523 id of the receiver; null if it has none", "0088:9520000000004", or_null=True
    )
    networkStatus = _text(
        "Processing, Delivered or Failed; Received for a received one", "Delivered"
    )
    failureReason = _text(
        "Why it failed; null unless Failed", "The receiver is unreachable.", or_null=True
    )
    shared = fields.Boolean(
        metadata={"description": "Whether a link for the buyer exists", "example": False},
        required=True,
    )
    supplierId = fields.UUID(
        metadata={"description": "The supplier that a bill is from", "example": _ID},
        allow_none=True,
        required=True,
    )
    customerId = fields.UUID(
        metadata={
            "description": "The customer that sent a received self-billed invoice",
            "example": _ID,
        },
        allow_none=True,
        required=True,
    )
    glAccountCode = _text("General ledger account of its supplier", "6000", or_null=True)
    processedAt = a.moment(
        "When a bill was marked as processed", "2026-11-22T08:00:00.000Z", or_null=True
    )
    processedBy = _text("Person or key that marked it", "ann@example.com", or_null=True)
    response = fields.Nested(
        InvoiceAnswered(),
        metadata={
            "description": "What the receiver of a sent invoice has said of it after delivery; "
            "your newest response to a bill"
        },
        allow_none=True,
        required=True,
    )
    metadata = returned_metadata("Metadata of the send; empty if it had none", required=True)
    createdAt = a.moment("When it was accepted", "2026-11-21T10:00:00.000Z")
    updatedAt = a.moment("When its status last changed", "2026-11-21T10:00:02.000Z")


class DocumentParty(Schema):
    """The sender or receiver of a listed invoice."""

    peppolId = _text(
        "ISO 6523 id; null for a receiver without one", "0088:9520000000004", or_null=True
    )
    country = _text("ISO 3166-1 alpha-2, from the document", "BE", or_null=True)


class DocumentSummary(InvoiceSummary):
    """One invoice of a list in the form of /v1; GET /v1/invoices/{invoiceId} has the rest."""

    class Meta:
        exclude = ("invoiceId", "type", "senderParticipantId", "receiverParticipantId")

    id = fields.UUID(metadata={"description": "The invoice", "example": _ID}, required=True)
    status = _text(
        "queued, processing, delivered, failed; acknowledged or rejected by an authority; received",
        "delivered",
    )
    format = _text("ubl or cii; null for a received document of another kind", "ubl", or_null=True)
    network = _text("The network", "peppol")
    documentType = _text(
        "invoice, creditNote, selfBilledInvoice or selfBilledCreditNote", "invoice"
    )
    sender = fields.Nested(DocumentParty(), metadata={"description": "Who sends"}, required=True)
    receiver = fields.Nested(
        DocumentParty(), metadata={"description": "Who receives"}, required=True
    )


class InvoiceList(Schema):
    """A page. Continue with nextCursor while hasMore is true.

    A page with a filter on q, currency or issue dates, or with several filters, examines 5,000
    invoices: it may be short, even empty, and still not be the last.
    """

    items = fields.List(
        fields.Nested(InvoiceSummary()), metadata={"description": "The invoices"}, required=True
    )
    nextCursor = _text(
        "Pass it as cursor for the next page; null on the last page", "c2VhbGVk", or_null=True
    )
    hasMore = fields.Boolean(
        metadata={"description": "Whether there may be another page", "example": True},
        required=True,
    )
    total = fields.Integer(
        metadata={
            "description": "Number of items on all pages; only with include=total",
            "example": 118,
        }
    )
    provider = _text("This service", "eInvoice")


class DocumentList(InvoiceList):
    """A page of invoices in the form of /v1. Continue with nextCursor while hasMore is true."""

    items = fields.List(
        fields.Nested(DocumentSummary()), metadata={"description": "The invoices"}, required=True
    )
