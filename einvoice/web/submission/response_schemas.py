"""What the /v1 routes answer, as schemas for /openapi.json."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.web.shared.invoice_schemas import ArtefactRecord, HistoryEntry, WarningRecord

_ID = "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"


def text(description: str, example: object = None, *, or_null: bool = False) -> fields.String:
    metadata = {"description": description, **({"example": example} if example else {})}
    return fields.String(metadata=metadata, allow_none=or_null, required=True)


def number(description: str, example: int) -> fields.Integer:
    return fields.Integer(metadata={"description": description, "example": example}, required=True)


class FindingRecord(Schema):
    """One thing found in a document."""

    severity = text("error, warning or information", "warning")
    source = text(
        "What looked: xsd, en16931, peppol, country, or network for what is about the request",
        "peppol",
    )
    ruleId = text("Permanent id of the rule", "PEPPOL-EN16931-R003")
    message = text("What the rule requires", "A reference of the buyer must be given.")
    explanation = text(
        "What is wrong, in plain language", "The invoice has neither of the two.", or_null=True
    )
    suggestion = text("What to change", "Give invoice.buyerReference.", or_null=True)
    location = text("XPath of the place", "/Invoice[1]/BuyerReference[1]", or_null=True)
    line = fields.Integer(
        metadata={"description": "Line in the document", "example": 12}, allow_none=True
    )
    field = text("The same place in a send request", "invoice.buyerReference", or_null=True)
    businessTerms = fields.List(
        fields.String(), metadata={"description": "Terms of EN 16931", "example": ["BT-10"]}
    )


class ValidationRecord(Schema):
    """The traffic light: green passes, amber passes with warnings, red is not sent."""

    trafficLight = text("green, amber or red", "amber")
    outcome = text("Pass, Warn or Block", "Warn")
    syntaxErrors = number("Errors of form: not XML, or against the schema", 0)
    semanticErrors = number("Broken rules that are fatal", 0)
    semanticWarnings = number("Broken rules that are not", 2)
    processingTimeMs = fields.Integer(
        metadata={
            "description": "What checking took; null where it was not measured",
            "example": 3,
        },
        allow_none=True,
        required=True,
    )
    ruleSet = text("The rules that were asked", "peppol-bis-billing-3.0.21")
    format = text("ubl or cii; null where it is neither", "ubl", or_null=True)
    documentType = text("invoice or creditNote", "invoice", or_null=True)
    findings = fields.List(
        fields.Nested(FindingRecord()), metadata={"description": "Errors first"}, required=True
    )


class ValidateResponse(ValidationRecord):
    provider = text("This service", "eInvoice")


class PartyRecord(Schema):
    """A party of the delivery."""

    peppolId = text("ISO 6523 id", "0088:9520000000004")
    country = text("ISO 3166-1 alpha-2, as the document says", "BE", or_null=True)


class SubmitResponse(Schema):
    """The first answer to a submission; what comes of it is told by webhook and GET."""

    id = text(
        "The invoice; the same as invoiceId at the public API",
        "24e07bed-d077-469b-8d35-ba2042f58716",
    )
    transactionId = text("The transmission, opaque", "txn_5f0c")
    status = text("delivered (200) or processing (202); GET knows more words", "delivered")
    networkStatus = text("Processing or Delivered", "Delivered")
    format = text("What was handed in: ubl or cii", "ubl")
    network = text("The network it goes by", "peppol")
    documentType = text("invoice or creditNote", "invoice")
    number = text("Invoice number", "2026-101")
    sender = fields.Nested(PartyRecord(), metadata={"description": "Who sends"}, required=True)
    receiver = fields.Nested(PartyRecord(), metadata={"description": "Who receives"}, required=True)
    validation = fields.Nested(
        ValidationRecord(), metadata={"description": "What was found in it"}, required=True
    )
    warnings = fields.List(
        fields.Nested(WarningRecord()),
        metadata={"description": "What rules warn of, and what was done to the document"},
        required=True,
    )
    createdAt = text("When it was accepted", "2026-11-21T10:00:00.000Z")
    idempotencyKeyEcho = text("The Idempotency-Key sent, or null", "invoice-2026-101", or_null=True)
    provider = text("This service", "eInvoice")


class ResponseRecord(Schema):
    """What the receiver's side answered to the document."""

    type = text("INVOICE_RESPONSE or MLS", "INVOICE_RESPONSE")
    responseCode = text("AB, IP, UQ, CA, RE, AP or PD (UNCL4343)", "AP", or_null=True)
    reasons = fields.List(
        fields.String(), metadata={"description": "Why, in words", "example": ["Paid twice"]}
    )
    createdAt = text("When it came", "2026-11-21T10:00:00.000Z")
    artefactId = text("The whole answer", _ID)


class TrackResponse(SubmitResponse):
    """A submitted invoice with all that is known of it."""

    class Meta:
        exclude = ("idempotencyKeyEcho",)

    status = text(
        "queued, processing, delivered, failed; acknowledged or rejected by an authority",
        "delivered",
    )
    networkStatus = text("Processing, Delivered or Failed", "Delivered")
    issueDate = text("Date of issue", "2026-11-21", or_null=True)
    currency = text("ISO 4217", "EUR", or_null=True)
    grandTotal = fields.Decimal(
        metadata={"description": "Total with tax", "example": 121.00}, allow_none=True
    )
    attention = fields.Boolean(
        metadata={"description": "The network fell silent; we look into it", "example": False},
        required=True,
    )
    deliveredAt = text("When it was delivered", "2026-11-21T10:00:02.000Z", or_null=True)
    failureReason = text("Why it failed", "The receiver does not exist.", or_null=True)
    reasonCode = text("Stable code of the failure", "receiver-unknown", or_null=True)
    retryable = fields.Boolean(
        metadata={"description": "Whether a resend may succeed", "example": False}, allow_none=True
    )
    authorityReference = text("What the tax authority filed it under", "ID-1", or_null=True)
    history = fields.List(
        fields.Nested(HistoryEntry()), metadata={"description": "What happened"}, required=True
    )
    artefacts = fields.List(
        fields.Nested(ArtefactRecord()),
        metadata={"description": "What can be downloaded"},
        required=True,
    )
    responses = fields.List(
        fields.Nested(ResponseRecord()),
        metadata={"description": "What the receiver's side answered"},
        required=True,
    )
    updatedAt = text("When its status last changed", "2026-11-21T10:00:02.000Z")
