"""Schemas of the public API's responses: the contract and the source of /openapi.json."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.invoice_schemas import (
    ATTENTION,
    DELIVERED_MEANS,
    ArtefactRecord,
    BillResponse,
    HistoryEntry,
    InvoiceAnswered,
    WarningRecord,
)
from einvoice.web.shared.metadata import returned_metadata
from einvoice.web.shared.network_finding_schemas import network_findings


class SendResponse(Schema):
    """The first answer to a send; later changes are reported by webhook and GET."""

    invoiceId = a.an_id("The invoice; null in a dry run", or_null=True)
    transactionId = a.text("The transmission, opaque; null in a dry run", "txn_5f0c", or_null=True)
    status = a.text("Always success", "success")
    networkStatus = a.text(
        "Processing in the first answer; null in a dry run", "Processing", or_null=True
    )
    idempotencyKeyEcho = a.text(
        "The given Idempotency-Key, or null", "invoice-2026-001", or_null=True
    )
    warnings = fields.List(
        fields.Nested(WarningRecord()),
        metadata={"description": "Assumptions and warnings of rules; absent if there are none"},
    )
    truncated = optional.flag(
        "true if there are more than 1,000 warnings; absent otherwise", example=True
    )
    dryRun = optional.flag("true if nothing was stored; absent otherwise", example=True)
    document = optional.text(
        "The XML document that would be sent; only with options.includeDocument", "<?xml …"
    )
    provider = a.provider()


class LookupResponse(Schema):
    participantId = a.text("The participant that was looked up", "0088:9520000000004")
    isRegistered = a.flag("Whether it is in the directory of the network", example=True)
    accessPointRef = optional.uuid("Pass it to a send; present if registered")
    registeredAs = optional.text(
        "Another id of the same company that is registered, where this one is not; else absent",
        "9925:be0123456749",
    )
    supportedDocTypes = fields.List(
        fields.String(),
        metadata={
            "description": "Document type identifiers with their scheme",
            "example": ["busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"],
        },
        required=True,
    )
    reachableBy = fields.List(
        fields.String(),
        metadata={
            "description": "The networks without a directory that reach a participant which is not "
            "registered: name one as `routing.network` of a send, without accessPointRef; absent "
            "if there is none",
            "example": ["ro-efactura"],
        },
    )
    provider = a.provider()


class ArtefactList(Schema):
    invoiceId = a.an_id("The invoice")
    items = fields.List(
        fields.Nested(ArtefactRecord()), metadata={"description": "All artefacts"}, required=True
    )
    provider = a.provider()


class BillResponseAccepted(BillResponse):
    """The response that was accepted; its status changes later."""

    invoiceId = a.an_id("The bill")
    idempotencyKeyEcho = a.text("The given Idempotency-Key, or null", "bill-7-paid", or_null=True)
    provider = a.provider()


class InvoiceTotals(Schema):
    subtotal = a.amount("Without VAT, in the invoice's currency", 100.00)
    taxAmount = a.amount("VAT", 21.00)
    grandTotal = a.amount("With VAT", 121.00)
    amountDue = a.amount("With VAT, less prepayments", 121.00)
    taxAmountInTaxCurrency = a.amount("VAT in taxCurrency; null without one", 242.55)


class InvoiceResponse(Schema):
    """An invoice, its status and its history."""

    invoiceId = a.an_id("The invoice")
    transactionId = a.text("The newest transmission", "txn_5f0c")
    direction = a.text("sent or received", "sent")
    type = a.text("invoice, creditNote, selfBilledInvoice or selfBilledCreditNote", "invoice")
    number = a.text(
        "Invoice number; null if a received document has none", "2026-001", or_null=True
    )
    issueDate = a.day("Date of issue", "2026-11-21", or_null=True)
    dueDate = a.day("Date payment is due", "2026-12-21", or_null=True)
    currency = a.text("ISO 4217", "EUR", or_null=True)
    taxCurrency = a.text(
        "Currency in which VAT is accounted for; null if it is the invoice's", "SEK", or_null=True
    )
    totals = fields.Nested(InvoiceTotals(), metadata={"description": "Its totals"}, required=True)
    grandTotal = a.amount("Total with tax, in the invoice's currency", 121.00)
    supplierName = a.text("Seller", "Acme NV", or_null=True)
    buyerName = a.text("Buyer", "Buyer BV", or_null=True)
    senderParticipantId = a.text("ISO 6523 id of the sender", "0208:0123456749")
    receiverParticipantId = a.text(
        "ISO 6523 id of the receiver; null if it has none", "0088:9520000000004", or_null=True
    )
    environment = a.text("test or live", "test")
    networkStatus = a.text(
        "Processing, Delivered or Failed; Received for a received one", "Delivered"
    )
    deliveredMeans = a.text(DELIVERED_MEANS, "receiver", or_null=True)
    attention = a.flag(ATTENTION, example=False)
    waitingReason = a.text(
        "Why it is not sent now: its connection cannot be used, or another document is sent "
        "before it; null otherwise",
        "The connection RO123456 is needs-person.",
        or_null=True,
    )
    shared = a.flag("Whether a link for the buyer exists", example=False)
    failureReason = a.text(
        "Why it failed; null unless Failed", "The receiver is unreachable.", or_null=True
    )
    reasonCode = a.text("Stable code of the failure", "receiver-ap-unreachable", or_null=True)
    retryable = a.flag("Whether sending it again may help", example=True, or_null=True)
    networkFindings = network_findings()
    supplierId = a.an_id("The supplier of your directory that a bill is from", or_null=True)
    customerId = a.an_id(
        "The customer of your directory that sent a self-billed invoice", or_null=True
    )
    glAccountCode = a.text("General ledger account of its supplier", "6000", or_null=True)
    processedAt = a.moment(
        "When a bill was marked as processed", "2026-11-22T08:00:00.000Z", or_null=True
    )
    processedBy = a.text("Person or key that marked it", "ann@example.com", or_null=True)
    response = fields.Nested(
        InvoiceAnswered(),
        metadata={
            "description": "What the receiver of a sent invoice has said of it after delivery; "
            "your newest response to a bill"
        },
        allow_none=True,
        required=True,
    )
    documentTypeId = a.text(
        "A bill's document type in the network", "busdox-docid-qns::…", or_null=True
    )
    trafficLight = a.text("Result of the validation: green, amber or red", "green")
    history = fields.List(
        fields.Nested(HistoryEntry()),
        metadata={"description": "Its history, oldest first"},
        required=True,
    )
    warnings = fields.List(
        fields.Nested(WarningRecord()),
        metadata={"description": "Assumptions and warnings of rules"},
        required=True,
    )
    truncated = optional.flag(
        "true if there are more than 1,000 warnings; absent otherwise", example=True
    )
    metadata = returned_metadata("Metadata of the send; empty if it had none", required=True)
    createdAt = a.moment("When it was accepted", "2026-11-21T10:00:00.000Z")
    updatedAt = a.moment("When its status last changed", "2026-11-21T10:00:02.000Z")
    provider = a.provider()
