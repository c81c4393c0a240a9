"""What the public API answers, as schemas: the contract and the source of /openapi.json."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared.invoice_schemas import ArtefactRecord, HistoryEntry, WarningRecord


class SendResponse(Schema):
    """The first word on a send; what comes of it is told by webhook and GET."""

    invoiceId = optional.uuid("The invoice; null in a dry run", allow_none=True)
    transactionId = optional.text(
        "The transmission, opaque; null in a dry run", "txn_5f0c", allow_none=True
    )
    status = optional.text("Always success", "success")
    networkStatus = optional.text(
        "Processing on the first answer; null in a dry run", "Processing", allow_none=True
    )
    idempotencyKeyEcho = optional.text(
        "The Idempotency-Key sent, or null", "invoice-2026-001", allow_none=True
    )
    warnings = fields.List(
        fields.Nested(WarningRecord()),
        metadata={"description": "What was assumed, and what rules warn of; absent if nothing"},
    )
    dryRun = optional.flag("true when nothing was stored; absent otherwise", True)
    provider = optional.provider()


class LookupResponse(Schema):
    participantId = optional.text("The participant asked for", "0088:9520000000004")
    isRegistered = optional.flag("Whether the network knows it", True)
    accessPointRef = optional.uuid("Pass it to send; present when registered")
    supportedDocTypes = fields.List(
        fields.String(),
        metadata={
            "description": "Document type identifiers with their scheme",
            "example": ["busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"],
        },
    )
    provider = optional.provider()


class ArtefactList(Schema):
    invoiceId = optional.uuid("The invoice")
    items = fields.List(fields.Nested(ArtefactRecord()), metadata={"description": "All there are"})
    provider = optional.provider()


class InvoiceTotals(Schema):
    subtotal = optional.amount("Without VAT, in the invoice's currency", 100.00)
    taxAmount = optional.amount("VAT", 21.00)
    grandTotal = optional.amount("With VAT", 121.00)
    amountDue = optional.amount("With VAT, less what was prepaid", 121.00)


class InvoiceResponse(Schema):
    """An invoice, its status and its history."""

    invoiceId = optional.uuid("The invoice")
    transactionId = optional.text("The newest transmission", "txn_5f0c")
    direction = optional.text("sent or received", "sent")
    type = optional.text("invoice or creditNote", "invoice")
    number = optional.text(
        "Invoice number; null where a received document does not say", "2026-001", allow_none=True
    )
    issueDate = fields.Date(
        metadata={"description": "Date of issue", "example": "2026-11-21"}, allow_none=True
    )
    dueDate = fields.Date(
        metadata={"description": "Date payment is due", "example": "2026-12-21"}, allow_none=True
    )
    currency = optional.text("ISO 4217", "EUR", allow_none=True)
    totals = fields.Nested(InvoiceTotals(), metadata={"description": "What it comes to"})
    grandTotal = optional.amount("Total with tax, in the invoice's currency", 121.00)
    supplierName = optional.text("Seller", "Acme NV", allow_none=True)
    buyerName = optional.text("Buyer", "Buyer BV", allow_none=True)
    senderParticipantId = optional.text("ISO 6523 id of the sender", "0208:0123456749")
    receiverParticipantId = optional.text("ISO 6523 id of the receiver", "0088:9520000000004")
    environment = optional.text("test or live", "test")
    networkStatus = optional.text(
        "Processing, Delivered or Failed; Received where it came in", "Delivered"
    )
    attention = optional.flag("The outcome is not known; we look into it", False)
    shared = optional.flag("Whether a link for the buyer exists", False)
    failureReason = optional.text(
        "Why it failed; null unless Failed", "The receiver is unreachable.", allow_none=True
    )
    reasonCode = optional.text(
        "Stable code of the failure", "receiver-ap-unreachable", allow_none=True
    )
    retryable = optional.flag("Whether sending it again may help", True, allow_none=True)
    supplierId = optional.uuid(
        "The supplier of your directory that a bill is from", allow_none=True
    )
    glAccountCode = optional.text("How its supplier's bills are booked", "6000", allow_none=True)
    processedAt = optional.text(
        "When a bill was dealt with", "2026-11-22T08:00:00.000Z", allow_none=True
    )
    processedBy = optional.text("By whom", "ann@example.com", allow_none=True)
    documentTypeId = optional.text(
        "How the network called a bill", "busdox-docid-qns::…", allow_none=True
    )
    trafficLight = optional.text("What the validation came to: green, amber or red", "green")
    history = fields.List(
        fields.Nested(HistoryEntry()), metadata={"description": "What happened, oldest first"}
    )
    warnings = fields.List(
        fields.Nested(WarningRecord()),
        metadata={"description": "What was assumed, and what rules warn of"},
    )
    createdAt = optional.text("When it was accepted", "2026-11-21T10:00:00.000Z")
    updatedAt = optional.text("When its status last changed", "2026-11-21T10:00:02.000Z")
    provider = optional.provider()
