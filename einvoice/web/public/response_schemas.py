"""Schemas of the public API's responses: the contract and the source of /openapi.json."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared.invoice_schemas import ArtefactRecord, HistoryEntry, WarningRecord
from einvoice.web.shared.metadata import returned_metadata


class SendResponse(Schema):
    """The first answer to a send; later changes are reported by webhook and GET."""

    invoiceId = optional.uuid("The invoice; null in a dry run", allow_none=True)
    transactionId = optional.text(
        "The transmission, opaque; null in a dry run", "txn_5f0c", allow_none=True
    )
    status = optional.text("Always success", "success")
    networkStatus = optional.text(
        "Processing in the first answer; null in a dry run", "Processing", allow_none=True
    )
    idempotencyKeyEcho = optional.text(
        "The given Idempotency-Key, or null", "invoice-2026-001", allow_none=True
    )
    warnings = fields.List(
        fields.Nested(WarningRecord()),
        metadata={"description": "Assumptions and warnings of rules; absent if there are none"},
    )
    truncated = optional.flag("true if there are more than 1,000 warnings; absent otherwise", True)
    dryRun = optional.flag("true if nothing was stored; absent otherwise", True)
    provider = optional.provider()


class LookupResponse(Schema):
    participantId = optional.text("The participant that was looked up", "0088:9520000000004")
    isRegistered = optional.flag("Whether the network knows it", True)
    accessPointRef = optional.uuid("Pass it to a send; present if registered")
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
    items = fields.List(fields.Nested(ArtefactRecord()), metadata={"description": "All artefacts"})
    provider = optional.provider()


class InvoiceTotals(Schema):
    subtotal = optional.amount("Without VAT, in the invoice's currency", 100.00)
    taxAmount = optional.amount("VAT", 21.00)
    grandTotal = optional.amount("With VAT", 121.00)
    amountDue = optional.amount("With VAT, less prepayments", 121.00)
    taxAmountInTaxCurrency = optional.amount("VAT in taxCurrency; null without one", 242.55)


class InvoiceResponse(Schema):
    """An invoice, its status and its history."""

    invoiceId = optional.uuid("The invoice")
    transactionId = optional.text("The newest transmission", "txn_5f0c")
    direction = optional.text("sent or received", "sent")
    type = optional.text("invoice or creditNote", "invoice")
    number = optional.text(
        "Invoice number; null if a received document has none", "2026-001", allow_none=True
    )
    issueDate = fields.Date(
        metadata={"description": "Date of issue", "example": "2026-11-21"}, allow_none=True
    )
    dueDate = fields.Date(
        metadata={"description": "Date payment is due", "example": "2026-12-21"}, allow_none=True
    )
    currency = optional.text("ISO 4217", "EUR", allow_none=True)
    taxCurrency = optional.text(
        "Currency in which VAT is accounted for; null if it is the invoice's",
        "SEK",
        allow_none=True,
    )
    totals = fields.Nested(InvoiceTotals(), metadata={"description": "Its totals"})
    grandTotal = optional.amount("Total with tax, in the invoice's currency", 121.00)
    supplierName = optional.text("Seller", "Acme NV", allow_none=True)
    buyerName = optional.text("Buyer", "Buyer BV", allow_none=True)
    senderParticipantId = optional.text("ISO 6523 id of the sender", "0208:0123456749")
    receiverParticipantId = optional.text("ISO 6523 id of the receiver", "0088:9520000000004")
    environment = optional.text("test or live", "test")
    networkStatus = optional.text(
        "Processing, Delivered or Failed; Received for a received one", "Delivered"
    )
    attention = optional.flag("The outcome is unknown; the provider investigates", False)
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
    glAccountCode = optional.text("General ledger account of its supplier", "6000", allow_none=True)
    processedAt = optional.text(
        "When a bill was marked as processed", "2026-11-22T08:00:00.000Z", allow_none=True
    )
    processedBy = optional.text("Person or key that marked it", "ann@example.com", allow_none=True)
    documentTypeId = optional.text(
        "A bill's document type in the network", "busdox-docid-qns::…", allow_none=True
    )
    trafficLight = optional.text("Result of the validation: green, amber or red", "green")
    history = fields.List(
        fields.Nested(HistoryEntry()), metadata={"description": "Its history, oldest first"}
    )
    warnings = fields.List(
        fields.Nested(WarningRecord()),
        metadata={"description": "Assumptions and warnings of rules"},
    )
    truncated = optional.flag("true if there are more than 1,000 warnings; absent otherwise", True)
    metadata = returned_metadata("Metadata of the send; empty if it had none", required=False)
    createdAt = optional.text("When it was accepted", "2026-11-21T10:00:00.000Z")
    updatedAt = optional.text("When its status last changed", "2026-11-21T10:00:02.000Z")
    provider = optional.provider()
