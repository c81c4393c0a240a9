"""What the public API answers, as schemas: the contract and the source of /openapi.json."""

from __future__ import annotations

from marshmallow import Schema, fields


def _text(description: str, example: object = None, **more: object) -> fields.String:
    metadata = {"description": description, **({"example": example} if example else {})}
    return fields.String(metadata=metadata, **more)  # type: ignore[arg-type]


class WarningRecord(Schema):
    """Something the service assumed or a rule warns of."""

    code = _text("Stable code or rule id", "buyer-reference-defaulted")
    message = _text("What was assumed, in words")
    field = _text("The field it is about", "invoice.buyerReference", allow_none=True)


class SendResponse(Schema):
    invoiceId = fields.UUID(metadata={"description": "The invoice"}, allow_none=True)
    transactionId = _text("The transmission, opaque", "txn_5f0c…", allow_none=True)
    status = _text("Always success", "success")
    networkStatus = _text("Processing on the first answer", "Processing", allow_none=True)
    idempotencyKeyEcho = _text("The Idempotency-Key sent, or null", allow_none=True)
    warnings = fields.List(fields.Nested(WarningRecord()), metadata={"description": "Only if any"})
    dryRun = fields.Boolean(metadata={"description": "true when nothing was stored"})
    provider = _text("This service", "eInvoice")


class LookupResponse(Schema):
    participantId = _text("The participant asked for", "0088:9520000000004")
    isRegistered = fields.Boolean(metadata={"description": "Whether the network knows it"})
    accessPointRef = fields.UUID(
        metadata={"description": "Pass it to send; present when registered"}
    )
    supportedDocTypes = fields.List(
        fields.String(), metadata={"description": "Document type identifiers with their scheme"}
    )
    provider = _text("This service", "eInvoice")


class ArtefactRecord(Schema):
    artefactId = _text("Id of the artefact")
    type = _text("RECEIPT, UBL, VALIDATION_REPORT, FAILURE_REPORT, ORIGINAL …", "RECEIPT")
    name = _text("File name", "receipt-2026-001.xml")
    contentType = _text("MIME type", "application/xml")
    sizeBytes = fields.Integer(metadata={"description": "Size of the content"})
    sha256 = _text("SHA-256 of the content, hex")
    createdAt = _text("When it came", "2026-11-21T10:00:00.000Z")


class ArtefactList(Schema):
    invoiceId = fields.UUID(metadata={"description": "The invoice"})
    items = fields.List(fields.Nested(ArtefactRecord()))
    provider = _text("This service", "eInvoice")


class HistoryEntry(Schema):
    event = _text("received, validated, submitted, retried, delivered, failed …", "submitted")
    at = _text("When", "2026-11-21T10:00:00.000Z")
    detail = _text("More, in words", allow_none=True)


class InvoiceResponse(Schema):
    invoiceId = fields.UUID()
    transactionId = _text("The newest transmission")
    direction = _text("sent or received", "sent")
    type = _text("invoice or creditNote", "invoice")
    number = _text("Invoice number", "2026-001")
    issueDate = fields.Date()
    dueDate = fields.Date(allow_none=True)
    currency = _text("ISO 4217", "EUR")
    totals = fields.Dict(metadata={"description": "subtotal, taxAmount, grandTotal, amountDue"})
    grandTotal = fields.Decimal(metadata={"description": "Total with tax"})
    supplierName = _text("Seller")
    buyerName = _text("Buyer")
    senderParticipantId = _text("ISO 6523", "0208:0123456749")
    receiverParticipantId = _text("ISO 6523", "0088:9520000000004")
    environment = _text("test or live", "test")
    networkStatus = _text("Processing, Delivered or Failed", "Delivered")
    attention = fields.Boolean(
        metadata={"description": "The outcome is not known; we look into it"}
    )
    failureReason = _text("Why it failed", allow_none=True)
    reasonCode = _text("Stable code of the failure", allow_none=True)
    retryable = fields.Boolean(allow_none=True)
    history = fields.List(fields.Nested(HistoryEntry()))
    warnings = fields.List(fields.Nested(WarningRecord()))
    createdAt = _text("When it was accepted")
    updatedAt = _text("When its status last changed")
    provider = _text("This service", "eInvoice")
