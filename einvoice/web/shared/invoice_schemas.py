"""Parts of an invoice in responses of several families: warnings, artefacts, history."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.domain.responses import ResponseStatus
from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.response_fields import SOME_ID

DELIVERED_MEANS = (
    "Who has it once it is Delivered: receiver, platform (on which the receiver fetches it) or "
    "authority (the receiver gets it from you); null for a received one"
)


def _only_sent(description: str, example: str) -> fields.String:
    words = {"description": f"Of a sent invoice: {description}", "example": example}
    return fields.String(metadata=words, allow_none=True)


def _only_bill(description: str, example: str) -> fields.String:
    words = {"description": f"Of a bill: {description}", "example": example}
    return fields.String(metadata=words, allow_none=True)


def _moment(description: str, *, or_null: bool = False) -> fields.String:
    found = a.moment(description, or_null=or_null)
    found.required = False
    return found


class WarningRecord(Schema):
    """An assumption of the service, or a warning of a rule."""

    code = a.text("Stable code or rule id", "buyer-reference-defaulted")
    message = a.text("The assumption or warning as text", "The invoice number stands in for it.")
    field = a.text("The field it is about", "invoice.buyerReference", or_null=True)
    language = optional.other_language()


class BillResponse(Schema):
    """A response to a received invoice and how far its delivery has got."""

    responseId = a.an_id("The response")
    responseCode = a.text("AB, IP, UQ, CA, RE, AP or PD (UNCL4343)", "RE")
    status = a.text("Processing, Delivered or Failed", "Processing")
    reason = a.text("Why it failed", "The receiver is unreachable.", or_null=True)
    createdAt = a.moment("When it was accepted", "2026-11-22T08:00:00.000Z")
    settledAt = a.moment(
        "When it was delivered or failed", "2026-11-22T08:00:02.000Z", or_null=True
    )


ATTENTION = (
    "Whether it needs a person: its outcome is unknown (the provider investigates), or its "
    "receiver has refused it after delivery"
)
_STATUSES = ", ".join(ResponseStatus)


class InvoiceAnswered(Schema):
    """Of a sent invoice: what its receiver has said of it after delivery. Of a bill: your newest
    response."""

    status = a.text(
        f"Of a sent invoice: {_STATUSES}. Of a bill: Processing, Delivered or Failed", "rejected"
    )
    at = _moment("Of a sent invoice: when the receiver said it")
    by = _only_sent("who said it, as far as the network tells", "Buyer BV")
    reasons = fields.List(
        fields.String(),
        metadata={"description": "Of a sent invoice: why", "example": ["Wrong order number"]},
    )
    text = _only_sent("words about the whole response", "Call us.")
    responseId = optional.uuid("Of a bill: the response")
    responseCode = optional.text("Of a bill: AB, IP, UQ, CA, RE, AP or PD (UNCL4343)", "RE")
    reason = _only_bill("why it failed", "The receiver is unreachable.")
    createdAt = _moment("Of a bill: when it was accepted")
    settledAt = _moment("Of a bill: when it was delivered or failed", or_null=True)


class ArtefactRecord(Schema):
    """An artefact that can be downloaded."""

    artefactId = a.text("Id of the artefact", SOME_ID)
    type = a.text("RECEIPT, UBL, VALIDATION_REPORT, FAILURE_REPORT, ORIGINAL …", "RECEIPT")
    name = a.text("File name", "receipt-2026-001.xml")
    contentType = a.text("MIME type", "application/xml")
    sizeBytes = a.number("Size of the content in bytes", 4711)
    sha256 = a.text(
        "SHA-256 of the content, hex",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    )
    createdAt = a.moment("When it was stored", "2026-11-21T10:00:00.000Z")
    authorityReference = a.text("The number an authority gave it", "RO-4711", or_null=True)
    legalOriginal = a.flag("Whether it is legally the invoice", example=False)
    retentionYears = fields.Integer(
        metadata={"description": "Years that its network asks to keep it", "example": 10},
        allow_none=True,
        required=True,
    )


class HistoryEntry(Schema):
    """An event in the history of an invoice."""

    event = a.text("received, validated, submitted, retried, delivered, failed …", "submitted")
    at = a.moment("When", "2026-11-21T10:00:00.000Z")
    detail = a.text("Further details as text", "simulator", or_null=True)
