"""Parts of an invoice in responses of several families: warnings, artefacts, history."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared.response_fields import SOME_ID


class WarningRecord(Schema):
    """An assumption of the service, or a warning of a rule."""

    code = optional.text("Stable code or rule id", "buyer-reference-defaulted")
    message = optional.text(
        "The assumption or warning as text", "The invoice number stands in for it."
    )
    field = optional.text("The field it is about", "invoice.buyerReference", allow_none=True)


class ArtefactRecord(Schema):
    """An artefact that can be downloaded."""

    artefactId = optional.text("Id of the artefact", SOME_ID)
    type = optional.text("RECEIPT, UBL, VALIDATION_REPORT, FAILURE_REPORT, ORIGINAL …", "RECEIPT")
    name = optional.text("File name", "receipt-2026-001.xml")
    contentType = optional.text("MIME type", "application/xml")
    sizeBytes = fields.Integer(
        metadata={"description": "Size of the content in bytes", "example": 4711}
    )
    sha256 = optional.text(
        "SHA-256 of the content, hex",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    )
    createdAt = optional.text("When it was stored", "2026-11-21T10:00:00.000Z")


class HistoryEntry(Schema):
    """An event in the history of an invoice."""

    event = optional.text(
        "received, validated, submitted, retried, delivered, failed …", "submitted"
    )
    at = optional.text("When", "2026-11-21T10:00:00.000Z")
    detail = optional.text("Further details as text", "simulator", allow_none=True)
