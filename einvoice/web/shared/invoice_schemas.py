"""Parts of an invoice in responses of several families: warnings, artefacts, history."""

from __future__ import annotations

from dataclasses import dataclass

from marshmallow import Schema, fields

from einvoice.domain.responses import ResponseStatus
from einvoice.services.invoices.detail import ArtefactSummary, HistoryEvent
from einvoice.services.invoices.lists import ResponseRecord
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.response_fields import SOME_ID

DELIVERED_MEANS = (
    "Who has it once it is Delivered: receiver, platform (on which the receiver fetches it), "
    "authority (the receiver gets it from you), mail (a mail server on the way to the receiver) "
    "or reported (to an authority, and sent to nobody); "
    "null for a received one"
)


def _of_sent(description: str, example: str) -> fields.String:
    metadata = {"description": f"Of a sent invoice: {description}", "example": example}
    return fields.String(metadata=metadata, allow_none=True)


def _of_bill(description: str, example: str) -> fields.String:
    metadata = {"description": f"Of a bill: {description}", "example": example}
    return fields.String(metadata=metadata, allow_none=True)


def _moment(description: str, *, or_null: bool = False) -> fields.String:
    field = a.moment(description, or_null=or_null)
    field.required = False
    return field


@dataclass(frozen=True, slots=True)
class PartyOfDocument:
    """The sender or receiver of a document in the form of /v1."""

    peppol_id: str | None
    country: str | None


class WarningRecord(Schema):
    """An assumption of the service, or a warning of a rule."""

    code = a.text("Stable code or rule id", "buyer-reference-defaulted")
    message = a.text("The assumption or warning as text", "The invoice number stands in for it.")
    field = a.text("The field it is about", "invoice.buyerReference", or_null=True)
    language = optional.other_language()


class BillResponse(ResponseSchema[ResponseRecord]):
    """A response to a received invoice and how far its delivery has got."""

    responseId = a.an_id("The response", source="id")
    responseCode = a.text("AB, IP, UQ, CA, RE, AP or PD (UNCL4343)", "RE", source="code")
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
    by = _of_sent("who said it, as far as the network tells", "Buyer BV")
    reasons = optional.texts("Of a sent invoice: why", "Wrong order number")
    text = _of_sent("words about the whole response", "Call us.")
    responseId = optional.uuid("Of a bill: the response")
    responseCode = optional.text("Of a bill: AB, IP, UQ, CA, RE, AP or PD (UNCL4343)", "RE")
    reason = _of_bill("why it failed", "The receiver is unreachable.")
    createdAt = _moment("Of a bill: when it was accepted")
    settledAt = _moment("Of a bill: when it was delivered or failed", or_null=True)


class ArtefactRecord(ResponseSchema[ArtefactSummary]):
    """An artefact that can be downloaded."""

    artefactId = a.text("Id of the artefact", SOME_ID, source="id")
    type = a.text(
        "RECEIPT, UBL, VALIDATION_REPORT, FAILURE_REPORT, ORIGINAL …", "RECEIPT", source="kind"
    )
    name = a.text("File name", "receipt-2026-001.xml")
    contentType = a.text("MIME type", "application/xml")
    sizeBytes = a.number("Size of the content in bytes", 4711, source="size")
    sha256 = a.text(
        "SHA-256 of the content, hex",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    )
    createdAt = a.moment("When it was stored", "2026-11-21T10:00:00.000Z")
    authorityReference = a.text("The number an authority gave it", "RO-4711", or_null=True)
    legalOriginal = a.flag("Whether it is legally the invoice", example=False)
    retentionYears = a.number("Years that its network asks to keep it", 10, or_null=True)


class HistoryEntry(ResponseSchema[HistoryEvent]):
    """An event in the history of an invoice."""

    event = a.text("received, validated, submitted, retried, delivered, failed …", "submitted")
    at = a.moment("When", "2026-11-21T10:00:00.000Z")
    detail = a.text("Further details as text", "simulator", or_null=True)
