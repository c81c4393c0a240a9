"""The list of invoices: query and response (decisions 5)."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.domain.artefacts import CODE, KINDS
from einvoice.domain.codes import CURRENCIES
from einvoice.domain.delivery import NetworkStatus
from einvoice.web.contract import Contract
from einvoice.web.fields import NETWORK, PARTICIPANT_ID, Code, Day, Id, Text
from einvoice.web.paging import Moment, PageQuery
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.invoice_schemas import BillResponse
from einvoice.web.shared.metadata import returned_metadata

_ID = "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"


class InvoiceQuery(PageQuery):
    """Filters are joined by "and"."""

    sort = Code(
        "Order: -createdAt (default) is newest first.",
        ("-createdAt", "createdAt"),
        name="createdAt or -createdAt",
        example="-createdAt",
    )
    environment = Code(
        "Only those of this environment. A key sees its own environment only.",
        ("test", "live"),
        name="test or live",
        example="live",
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
    receiverParticipantId = Text(
        "Only those to this participant.",
        max_length=140,
        form=PARTICIPANT_ID,
        example="0088:9520000000004",
    )
    senderParticipantId = Text(
        "Only those from this participant.",
        max_length=140,
        form=PARTICIPANT_ID,
        example="0208:0123456749",
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
    processed = Code(
        "Only received ones that are processed, or (false) open.",
        ("true", "false"),
        name="true or false",
        example="false",
    )
    q = Text(
        "Only those with this text in their number, supplier name or buyer name, in any case.",
        max_length=100,
        example="acme",
    )


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
        BillResponse(),
        metadata={"description": "Your newest response to a bill"},
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
