"""What the public API answers, as schemas: the contract and the source of /openapi.json."""

from __future__ import annotations

from marshmallow import Schema, fields

_ID = "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"


def _text(description: str, example: object, **more: object) -> fields.String:
    metadata = {"description": description, "example": example}
    return fields.String(metadata=metadata, **more)  # type: ignore[arg-type]


def _uuid(description: str, **more: object) -> fields.UUID:
    return fields.UUID(metadata={"description": description, "example": _ID}, **more)  # type: ignore[arg-type]


def _flag(description: str, example: bool, **more: object) -> fields.Boolean:
    return fields.Boolean(metadata={"description": description, "example": example}, **more)  # type: ignore[arg-type]


def _amount(description: str, example: float) -> fields.Decimal:
    """null where a received document does not say."""
    metadata = {"description": description, "example": example}
    return fields.Decimal(metadata=metadata, allow_none=True)


def _provider() -> fields.String:
    return _text("This service", "eInvoice")


class WarningRecord(Schema):
    """Something the service assumed or a rule warns of."""

    code = _text("Stable code or rule id", "buyer-reference-defaulted")
    message = _text("What was assumed, in words", "The invoice number stands in for it.")
    field = _text("The field it is about", "invoice.buyerReference", allow_none=True)


class SendResponse(Schema):
    """The first word on a send; what comes of it is told by webhook and GET."""

    invoiceId = _uuid("The invoice; null in a dry run", allow_none=True)
    transactionId = _text(
        "The transmission, opaque; null in a dry run", "txn_5f0c", allow_none=True
    )
    status = _text("Always success", "success")
    networkStatus = _text(
        "Processing on the first answer; null in a dry run", "Processing", allow_none=True
    )
    idempotencyKeyEcho = _text(
        "The Idempotency-Key sent, or null", "invoice-2026-001", allow_none=True
    )
    warnings = fields.List(
        fields.Nested(WarningRecord()),
        metadata={"description": "What was assumed, and what rules warn of; absent if nothing"},
    )
    dryRun = _flag("true when nothing was stored; absent otherwise", True)
    provider = _provider()


class LookupResponse(Schema):
    participantId = _text("The participant asked for", "0088:9520000000004")
    isRegistered = _flag("Whether the network knows it", True)
    accessPointRef = _uuid("Pass it to send; present when registered")
    supportedDocTypes = fields.List(
        fields.String(),
        metadata={
            "description": "Document type identifiers with their scheme",
            "example": ["busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"],
        },
    )
    provider = _provider()


class ArtefactRecord(Schema):
    """Something that can be downloaded."""

    artefactId = _text("Id of the artefact", _ID)
    type = _text("RECEIPT, UBL, VALIDATION_REPORT, FAILURE_REPORT, ORIGINAL …", "RECEIPT")
    name = _text("File name", "receipt-2026-001.xml")
    contentType = _text("MIME type", "application/xml")
    sizeBytes = fields.Integer(
        metadata={"description": "Size of the content in bytes", "example": 4711}
    )
    sha256 = _text(
        "SHA-256 of the content, hex",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    )
    createdAt = _text("When it came", "2026-11-21T10:00:00.000Z")


class ArtefactList(Schema):
    invoiceId = _uuid("The invoice")
    items = fields.List(fields.Nested(ArtefactRecord()), metadata={"description": "All there are"})
    provider = _provider()


class HistoryEntry(Schema):
    """Something that happened to an invoice."""

    event = _text("received, validated, submitted, retried, delivered, failed …", "submitted")
    at = _text("When", "2026-11-21T10:00:00.000Z")
    detail = _text("More, in words", "simulator", allow_none=True)


class InvoiceTotals(Schema):
    subtotal = _amount("Without VAT, in the invoice's currency", 100.00)
    taxAmount = _amount("VAT", 21.00)
    grandTotal = _amount("With VAT", 121.00)
    amountDue = _amount("With VAT, less what was prepaid", 121.00)


class InvoiceResponse(Schema):
    """An invoice, its status and its history."""

    invoiceId = _uuid("The invoice")
    transactionId = _text("The newest transmission", "txn_5f0c")
    direction = _text("sent or received", "sent")
    type = _text("invoice or creditNote", "invoice")
    number = _text(
        "Invoice number; null where a received document does not say", "2026-001", allow_none=True
    )
    issueDate = fields.Date(
        metadata={"description": "Date of issue", "example": "2026-11-21"}, allow_none=True
    )
    dueDate = fields.Date(
        metadata={"description": "Date payment is due", "example": "2026-12-21"}, allow_none=True
    )
    currency = _text("ISO 4217", "EUR", allow_none=True)
    totals = fields.Nested(InvoiceTotals(), metadata={"description": "What it comes to"})
    grandTotal = _amount("Total with tax, in the invoice's currency", 121.00)
    supplierName = _text("Seller", "Acme NV", allow_none=True)
    buyerName = _text("Buyer", "Buyer BV", allow_none=True)
    senderParticipantId = _text("ISO 6523 id of the sender", "0208:0123456749")
    receiverParticipantId = _text("ISO 6523 id of the receiver", "0088:9520000000004")
    environment = _text("test or live", "test")
    networkStatus = _text("Processing, Delivered or Failed; Received where it came in", "Delivered")
    attention = _flag("The outcome is not known; we look into it", False)
    shared = _flag("Whether a link for the buyer exists", False)
    failureReason = _text(
        "Why it failed; null unless Failed", "The receiver is unreachable.", allow_none=True
    )
    reasonCode = _text("Stable code of the failure", "receiver-ap-unreachable", allow_none=True)
    retryable = _flag("Whether sending it again may help", True, allow_none=True)
    supplierId = _uuid("The supplier of your directory that a bill is from", allow_none=True)
    glAccountCode = _text("How its supplier's bills are booked", "6000", allow_none=True)
    processedAt = _text("When a bill was dealt with", "2026-11-22T08:00:00.000Z", allow_none=True)
    processedBy = _text("By whom", "ann@example.com", allow_none=True)
    documentTypeId = _text("How the network called a bill", "busdox-docid-qns::…", allow_none=True)
    trafficLight = _text("What the validation came to: green, amber or red", "green")
    history = fields.List(
        fields.Nested(HistoryEntry()), metadata={"description": "What happened, oldest first"}
    )
    warnings = fields.List(
        fields.Nested(WarningRecord()),
        metadata={"description": "What was assumed, and what rules warn of"},
    )
    createdAt = _text("When it was accepted", "2026-11-21T10:00:00.000Z")
    updatedAt = _text("When its status last changed", "2026-11-21T10:00:02.000Z")
    provider = _provider()
