"""Schemas of batches: requests and responses."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.services.send.batch import MAX_ITEMS
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import Text
from einvoice.web.headers import MAX_KEY_LENGTH
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.invoice_schemas import WarningRecord
from einvoice.web.submission.response_schemas import ValidationRecord, number, text
from einvoice.web.submission.schemas import SubmitRequest

_ID = "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"


class BatchEntry(SubmitRequest):
    idempotencyKey = Text(
        "The document's own key; keys are shared with POST /v1/invoices.",
        max_length=MAX_KEY_LENGTH,
        example="invoice-2026-101",
    )


class BatchRequest(Contract):
    """The body of POST /v1/invoices/batch."""

    invoices = Items(
        Part(BatchEntry, "One document."),
        "The documents, each as for POST /v1/invoices.",
        max_items=MAX_ITEMS,
        min_items=1,
        required=True,
    )


def _refusal() -> fields.Raw:
    """A problem document, with the members of its type."""
    described = {"description": "Reason of the refusal"}
    return fields.Raw(metadata=described | {"allOf": [{"$ref": "#/components/schemas/Problem"}]})


class BatchResult(Schema):
    """The result of one document. A refused one has `error` and few other members."""

    index = number("Zero-based index in the request", 0)
    id = text("The invoice; null if it was refused", _ID, or_null=True)
    transactionId = fields.String(
        metadata={"description": "The transmission, opaque", "example": "txn_5f0c"}
    )
    status = text("processing, delivered (only of a replay) or blocked", "processing")
    httpStatus = number("The status that POST /v1/invoices would return", 202)
    idempotencyReplay = fields.Boolean(
        metadata={"description": "Whether its key was accepted before", "example": False},
        required=True,
    )
    validation = fields.Nested(
        ValidationRecord(),
        metadata={"description": "Its first 20 findings"},
    )
    warnings = fields.List(
        fields.Nested(WarningRecord()),
        metadata={"description": "Warnings of rules, and changes of the document"},
    )
    truncated = fields.Boolean(
        metadata={
            "description": "true if there are more than 1,000 warnings; absent otherwise",
            "example": True,
        }
    )
    error = _refusal()


class BatchResponse(Schema):
    """The results of the documents, in the order of the request."""

    batchId = text("Id for GET /v1/invoices/batch/{batchId}", _ID)
    total = number("Documents in the request", 500)
    accepted = number("Accepted documents, including those sent before", 498)
    rejected = number("Refused documents", 2)
    results = fields.List(
        fields.Nested(BatchResult()),
        metadata={"description": "One for each document"},
        required=True,
    )
    provider = text("This service", "eInvoice")


class BatchState(Schema):
    """The current state of one document."""

    index = number("Zero-based index in the request", 0)
    id = text("The invoice; null if it was refused", _ID, or_null=True)
    status = text(
        "queued, processing, delivered, failed, acknowledged, rejected or blocked", "delivered"
    )
    error = _refusal()


class BatchCounts(Schema):
    """The number of documents by status."""

    queued = number("Accepted, not yet submitted to the network", 10)
    processing = number("Submitted to the network", 20)
    delivered = number("Delivered", 460)
    acknowledged = number("Filed by an authority", 0)
    failed = number("Could not be delivered", 8)
    rejected = number("Refused by an authority", 0)
    blocked = number("Refused by the service", 2)


class BatchStatus(Schema):
    """The current state of a batch."""

    batchId = text("The batch", _ID)
    total = number("Documents in the request", 500)
    accepted = number("Accepted documents", 498)
    rejected = number("Refused documents", 2)
    counts = fields.Nested(
        BatchCounts(), metadata={"description": "Documents by status"}, required=True
    )
    results = fields.List(
        fields.Nested(BatchState()), metadata={"description": "Each document"}, required=True
    )
    createdAt = a.moment("When it was accepted", "2026-11-21T10:00:00.000Z")
    provider = text("This service", "eInvoice")
