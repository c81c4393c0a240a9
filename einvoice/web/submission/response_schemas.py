"""Schemas of the /v1 responses."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.web.shared import response_fields as a
from einvoice.web.shared.invoice_schemas import (
    ATTENTION,
    DELIVERED_MEANS,
    ArtefactRecord,
    HistoryEntry,
    InvoiceAnswered,
    WarningRecord,
)
from einvoice.web.shared.metadata import returned_metadata
from einvoice.web.shared.network_finding_schemas import network_findings
from einvoice.web.shared.optional_fields import other_language

_KINDS = "invoice, creditNote, selfBilledInvoice or selfBilledCreditNote"
_ID = "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"


def text(description: str, example: object = None, *, or_null: bool = False) -> fields.String:
    metadata = {"description": description, **({"example": example} if example else {})}
    return fields.String(metadata=metadata, allow_none=or_null, required=True)


def number(description: str, example: int) -> fields.Integer:
    return fields.Integer(metadata={"description": description, "example": example}, required=True)


def _truncated() -> fields.Boolean:
    description = "true if there are more than 1,000 warnings; absent otherwise"
    return fields.Boolean(metadata={"description": description, "example": True})


class Finding(Schema):
    """A finding about a document."""

    severity = text("error, warning or information", "warning")
    source = text(
        "Origin: xsd, en16931, peppol, country, or network for findings about the request",
        "peppol",
    )
    ruleId = text("Permanent id of the rule", "PEPPOL-EN16931-R003")
    message = text("What the rule requires", "A reference of the buyer must be given.")
    explanation = text(
        "The reason, in plain language", "The invoice has neither of the two.", or_null=True
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
    language = other_language()


class ValidationRecord(Schema):
    """The traffic light: green is valid, amber valid with warnings, red is not sent."""

    trafficLight = text("green, amber or red", "amber")
    outcome = text("Pass, Warn or Block", "Warn")
    syntaxErrors = number("Errors of XML or its schema", 0)
    semanticErrors = number("Violated rules that prevent sending", 0)
    semanticWarnings = number("Violated rules that do not", 2)
    processingTimeMs = fields.Integer(
        metadata={
            "description": "Duration of the check; null if it was not measured",
            "example": 3,
        },
        allow_none=True,
        required=True,
    )
    ruleSet = text("The rule set", "peppol-bis-billing-3.0.21")
    ruleSetChosenBy = text(
        "Why this rule set: `document` (the document says that it is of this kind), `network` (it "
        "is the set of the network), or `request` (it was asked for); null for a report stored "
        "before this was recorded",
        "document",
        or_null=True,
    )
    format = text("ubl or cii; null for anything else", "ubl", or_null=True)
    documentType = text(
        "invoice, creditNote, selfBilledInvoice or selfBilledCreditNote", "invoice", or_null=True
    )
    findings = fields.List(
        fields.Nested(Finding()), metadata={"description": "Errors first"}, required=True
    )


class ValidateResponse(ValidationRecord):
    warnings = fields.List(
        fields.Nested(WarningRecord()),
        metadata={
            "description": "What the service assumed or finds improbable; they change no light"
        },
        required=True,
    )
    truncated = _truncated()
    provider = text("This service", "eInvoice")


class ConversionWarningRecord(WarningRecord):
    """An assumption of the service, or a term that was lost or filled in."""

    code = text("not-carried-over, filled-in, or the code of an assumption", "not-carried-over")
    location = text("XPath of the place in the source", "/Invoice[1]/UBLVersionID[1]", or_null=True)
    line = fields.Integer(
        metadata={"description": "Line in the source", "example": 4}, allow_none=True, required=True
    )


class ConvertResponse(Schema):
    """A document in another syntax."""

    format = text("Its syntax: ubl, cii or json", "cii")
    documentType = text(_KINDS, "invoice")
    document = text(
        "The XML document, or the body of a send as text", "<?xml version='1.0' encoding='UTF-8'?>…"
    )
    validation = fields.Nested(
        ValidationRecord(), metadata={"description": "The verdict on it"}, required=True
    )
    warnings = fields.List(
        fields.Nested(ConversionWarningRecord()),
        metadata={"description": "Assumptions, and what was lost or filled in"},
        required=True,
    )
    truncated = fields.Boolean(
        metadata={
            "description": "true if there are more than 1,000 warnings; absent otherwise",
            "example": True,
        }
    )
    provider = text("This service", "eInvoice")


class PartyRecord(Schema):
    """A party of the delivery."""

    peppolId = text(
        "ISO 6523 id; null for a receiver without one", "0088:9520000000004", or_null=True
    )
    country = text("ISO 3166-1 alpha-2, from the document", "BE", or_null=True)


class SubmitResponse(Schema):
    """The first answer to a submission; later changes are reported by webhook and GET."""

    id = text(
        "The invoice; the same as invoiceId at the public API",
        "24e07bed-d077-469b-8d35-ba2042f58716",
    )
    transactionId = text("The transmission, opaque", "txn_5f0c")
    status = text("delivered (200) or processing (202); GET has further statuses", "delivered")
    networkStatus = text("Processing or Delivered", "Delivered")
    format = text("Submitted format: ubl or cii", "ubl")
    network = text("The network", "peppol")
    documentType = text(_KINDS, "invoice")
    number = text("Invoice number", "2026-101")
    sender = fields.Nested(PartyRecord(), metadata={"description": "Who sends"}, required=True)
    receiver = fields.Nested(PartyRecord(), metadata={"description": "Who receives"}, required=True)
    validation = fields.Nested(
        ValidationRecord(), metadata={"description": "Result of its validation"}, required=True
    )
    warnings = fields.List(
        fields.Nested(WarningRecord()),
        metadata={
            "description": "Warnings of rules, improbable values, and changes of the document"
        },
        required=True,
    )
    truncated = _truncated()
    createdAt = a.moment("When it was accepted", "2026-11-21T10:00:00.000Z")
    idempotencyKeyEcho = text(
        "The given Idempotency-Key, or null", "invoice-2026-101", or_null=True
    )
    provider = text("This service", "eInvoice")


class ResponseRecord(Schema):
    """A response of the receiver to the document."""

    type = text("INVOICE_RESPONSE or MLS", "INVOICE_RESPONSE")
    responseCode = text("AB, IP, UQ, CA, RE, AP or PD (UNCL4343)", "AP", or_null=True)
    reasons = fields.List(
        fields.String(), metadata={"description": "The reasons as text", "example": ["Paid twice"]}
    )
    createdAt = a.moment("When it was received", "2026-11-21T10:00:00.000Z")
    artefactId = text("The complete response", _ID)


class DocumentResponse(SubmitResponse):
    """A sent or received invoice with history, artefacts and responses."""

    class Meta:
        exclude = ("idempotencyKeyEcho",)

    status = text(
        "queued, processing, delivered, failed; acknowledged or rejected by an authority; received",
        "delivered",
    )
    networkStatus = text(
        "Processing, Delivered or Failed; Received for a received one", "Delivered"
    )
    format = text("ubl or cii; null for a received document of another kind", "ubl", or_null=True)
    number = text("Invoice number; null if a received document has none", "2026-101", or_null=True)
    deliveredMeans = text(DELIVERED_MEANS, "receiver", or_null=True)
    issueDate = a.day("Date of issue", "2026-11-21", or_null=True)
    currency = text("ISO 4217", "EUR", or_null=True)
    grandTotal = fields.Decimal(
        metadata={"description": "Total with tax", "example": 121.00}, allow_none=True
    )
    taxCurrency = text(
        "Currency in which VAT is accounted for; null if it is the invoice's", "SEK", or_null=True
    )
    taxAmountInTaxCurrency = fields.Decimal(
        metadata={"description": "VAT in taxCurrency; null without one", "example": 242.55},
        allow_none=True,
    )
    attention = a.flag(ATTENTION, example=False)
    waitingReason = text(
        "Why it is not sent now: its connection cannot be used, or another document is sent "
        "before it; null otherwise",
        "The connection RO123456 is needs-person.",
        or_null=True,
    )
    deliveredAt = a.moment("When it was delivered", "2026-11-21T10:00:02.000Z", or_null=True)
    failureReason = text("Why it failed", "The receiver does not exist.", or_null=True)
    reasonCode = text("Stable code of the failure", "receiver-unknown", or_null=True)
    retryable = fields.Boolean(
        metadata={"description": "Whether a resend may succeed", "example": False}, allow_none=True
    )
    networkFindings = network_findings()
    authorityReference = text("Reference of the tax authority", "ID-1", or_null=True)
    history = fields.List(
        fields.Nested(HistoryEntry()), metadata={"description": "Its history"}, required=True
    )
    artefacts = fields.List(
        fields.Nested(ArtefactRecord()),
        metadata={"description": "Its artefacts"},
        required=True,
    )
    responses = fields.List(
        fields.Nested(ResponseRecord()),
        metadata={"description": "Responses of the receiver"},
        required=True,
    )
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
    updatedAt = a.moment("When its status last changed", "2026-11-21T10:00:02.000Z")
