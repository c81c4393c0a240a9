"""Schemas of batches: requests and responses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from marshmallow import Schema

from einvoice.domain import bounds
from einvoice.domain.delivery import SendAnswer
from einvoice.services.send.batch import BLOCKED, MAX_ITEMS
from einvoice.services.send.result import SendResult
from einvoice.validation import warnings
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import Text
from einvoice.web.finding_language import language_of_findings
from einvoice.web.headers import MAX_KEY_LENGTH
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.batch_entries import Problem, refusal_field
from einvoice.web.shared.invoice_schemas import WarningRecord
from einvoice.web.shared.warning_members import truncated_field
from einvoice.web.submission.response_schemas import ValidationRecord
from einvoice.web.submission.schemas import SubmitRequest


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


@dataclass(frozen=True, slots=True)
class BatchDocument:
    """One document of a request: sent, with its traffic light, or refused."""

    index: int
    sent: SendResult | None = None
    validation: Mapping[str, Any] | None = None
    error: Problem | None = None

    @property
    def is_delivered(self) -> bool:
        return self.sent is not None and self.sent.answer is SendAnswer.DELIVERED

    @property
    def status(self) -> str:
        if self.sent is None:
            return BLOCKED
        return "delivered" if self.is_delivered else "processing"

    @property
    def http_status(self) -> int:
        if self.error is not None:
            return int(self.error["status"])
        return 200 if self.is_delivered else 202


def _warnings(document: BatchDocument) -> Sequence[Mapping[str, object]]:
    return document.sent.warnings if document.sent else ()


def _worded(document: BatchDocument) -> list[dict[str, object]] | None:
    if document.sent is None:
        return None
    return warnings.in_words(bounds.first(_warnings(document)), language_of_findings())


class BatchResult(ResponseSchema[BatchDocument]):
    """The result of one document. A refused one has `error` and few other members."""

    index = a.number("Zero-based index in the request", 0)
    id = a.text(
        "The invoice; null if it was refused",
        a.SOME_ID,
        or_null=True,
        source=lambda document: document.sent and document.sent.invoice_id,
    )
    transactionId = optional.text(
        "The transmission, opaque",
        "txn_5f0c",
        source=lambda document: document.sent and document.sent.transaction_id,
    )
    status = a.text("processing, delivered (only of a replay) or blocked", "processing")
    httpStatus = a.number("The status that POST /v1/invoices would return", 202)
    idempotencyReplay = a.flag(
        "Whether its key was accepted before",
        example=False,
        source=lambda document: document.sent is not None and document.sent.replay,
    )
    validation = optional.one(ValidationRecord(), "Its first 20 findings")
    warnings = optional.things(
        WarningRecord(), "Warnings of rules, and changes of the document", source=_worded
    )
    truncated = truncated_field(_warnings)
    error = refusal_field()


@dataclass(frozen=True, slots=True)
class SubmittedBatch:
    """A batch with the result of each document."""

    id: str
    results: Sequence[BatchDocument]

    @property
    def accepted(self) -> int:
        return sum(document.sent is not None for document in self.results)


class BatchResponse(ResponseSchema[SubmittedBatch]):
    """The results of the documents, in the order of the request."""

    batchId = a.text("Id for GET /v1/invoices/batch/{batchId}", a.SOME_ID, source="id")
    total = a.number("Documents in the request", 500, source=lambda batch: len(batch.results))
    accepted = a.number("Accepted documents, including those sent before", 498)
    rejected = a.number(
        "Refused documents", 2, source=lambda batch: len(batch.results) - batch.accepted
    )
    results = a.things(BatchResult(), "One for each document")
    provider = a.provider()


@dataclass(frozen=True, slots=True)
class TrackedDocument:
    """One document of a batch as it is now."""

    index: int
    id: str | None
    status: str
    error: Problem | None


class BatchState(ResponseSchema[TrackedDocument]):
    """The current state of one document."""

    index = a.number("Zero-based index in the request", 0)
    id = a.text("The invoice; null if it was refused", a.SOME_ID, or_null=True)
    status = a.text(
        "queued, processing, delivered, failed, acknowledged, rejected or blocked", "delivered"
    )
    error = refusal_field()


class BatchCounts(Schema):
    """The number of documents by status."""

    queued = a.number("Accepted, not yet submitted to the network", 10)
    processing = a.number("Submitted to the network", 20)
    delivered = a.number("Delivered", 460)
    acknowledged = a.number("Filed by an authority", 0)
    failed = a.number("Could not be delivered", 8)
    rejected = a.number("Refused by an authority", 0)
    blocked = a.number("Refused by the service", 2)


@dataclass(frozen=True, slots=True)
class TrackedBatch:
    """A batch with the current states of its documents."""

    id: str
    total: int
    documents: Sequence[TrackedDocument]
    created_at: datetime

    @property
    def counts(self) -> dict[str, int]:
        counted = Counter(document.status for document in self.documents)
        return {status: counted[status] for status in BatchCounts().fields}


class BatchStatus(ResponseSchema[TrackedBatch]):
    """The current state of a batch."""

    batchId = a.text("The batch", a.SOME_ID, source="id")
    total = a.number("Documents in the request", 500)
    accepted = a.number(
        "Accepted documents", 498, source=lambda batch: batch.total - batch.counts[BLOCKED]
    )
    rejected = a.number("Refused documents", 2, source=lambda batch: batch.counts[BLOCKED])
    counts = a.one(BatchCounts(), "Documents by status")
    results = a.things(BatchState(), "Each document", source="documents")
    createdAt = a.moment("When it was accepted", "2026-11-21T10:00:00.000Z")
    provider = a.provider()
