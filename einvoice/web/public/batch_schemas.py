"""Batches of sends in JSON: the body, the results, and the current state of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from marshmallow import Schema

from einvoice.domain import bounds
from einvoice.domain.delivery import NetworkStatus, SendAnswer
from einvoice.services.send.batch import MAX_ITEMS
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
from einvoice.web.shared.send_schemas import SendRequest
from einvoice.web.shared.warning_members import truncated_field


class SendBatchEntry(SendRequest):
    idempotencyKey = Text(
        "The send's own key; keys are shared with POST /api/invoices/send.",
        max_length=MAX_KEY_LENGTH,
        required=True,
        example="invoice-2026-101",
    )


class SendBatchRequest(Contract):
    """The body of POST /api/invoices/batch."""

    invoices = Items(
        Part(SendBatchEntry, "One send."),
        "The sends, each as for POST /api/invoices/send; accessPointRef is optional.",
        max_items=MAX_ITEMS,
        min_items=1,
        required=True,
    )


@dataclass(frozen=True, slots=True)
class SentItem:
    """One send of a request: accepted or refused."""

    index: int
    key: str | None
    sent: SendResult | None = None
    error: Problem | None = None

    @property
    def status(self) -> str | None:
        if self.sent is None:
            return None
        delivered = self.sent.answer is SendAnswer.DELIVERED
        return (NetworkStatus.DELIVERED if delivered else NetworkStatus.PROCESSING).value


def _warnings(item: SentItem) -> Sequence[Mapping[str, object]]:
    return item.sent.warnings if item.sent else ()


def _worded(item: SentItem) -> list[dict[str, object]] | None:
    found = bounds.first(_warnings(item))
    return warnings.in_words(found, language_of_findings()) if found else None


class SendBatchResult(ResponseSchema[SentItem]):
    """The result of one send. A refused one has `error` and few other members."""

    index = a.number("Zero-based index in the request", 0)
    idempotencyKey = a.text("The given key", "invoice-2026-101", or_null=True, source="key")
    invoiceId = a.an_id(
        "The invoice; null if it was refused",
        or_null=True,
        source=lambda item: item.sent and item.sent.invoice_id,
    )
    transactionId = optional.text(
        "The transmission, opaque",
        "txn_5f0c",
        source=lambda item: item.sent and item.sent.transaction_id,
    )
    networkStatus = a.text(
        "Processing, or Delivered (only of a replay); null if it was refused",
        "Processing",
        or_null=True,
        source="status",
    )
    httpStatus = a.number(
        "The status that POST /api/invoices/send would return",
        200,
        source=lambda item: int(item.error["status"]) if item.error else 200,
    )
    idempotencyReplay = a.flag(
        "Whether its key was accepted before",
        example=False,
        source=lambda item: item.sent is not None and item.sent.replay,
    )
    warnings = optional.things(WarningRecord(), "Assumptions and warnings of rules", source=_worded)
    truncated = truncated_field(_warnings)
    error = refusal_field()


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch with the result of each send."""

    id: str
    results: Sequence[SentItem]

    @property
    def accepted(self) -> int:
        return sum(item.sent is not None for item in self.results)


class SendBatchResponse(ResponseSchema[SentBatch]):
    """The results of the sends, in the order of the request."""

    batchId = a.an_id("Id for GET /api/invoices/batch/{batchId}", source="id")
    total = a.number("Sends in the request", 500, source=lambda found: len(found.results))
    accepted = a.number("Accepted sends, including those sent before", 498)
    rejected = a.number(
        "Refused sends", 2, source=lambda found: len(found.results) - found.accepted
    )
    results = a.things(SendBatchResult(), "One for each send")
    provider = a.provider()


@dataclass(frozen=True, slots=True)
class TrackedSend:
    """One send of a batch as it is now; without a status if it was refused."""

    index: int
    invoice_id: str | None
    number: str | None
    status: NetworkStatus | None
    error: Problem | None


@dataclass(frozen=True, slots=True)
class TrackedSends:
    """A batch with the current states of its sends."""

    id: str
    sends: Sequence[TrackedSend]
    created_at: datetime

    @property
    def counts(self) -> dict[str, int]:
        counted = Counter(each.status for each in self.sends)
        return {
            "processing": counted[NetworkStatus.PROCESSING],
            "delivered": counted[NetworkStatus.DELIVERED],
            "failed": counted[NetworkStatus.FAILED],
            "rejected": counted[None],
        }


class SendBatchState(ResponseSchema[TrackedSend]):
    """The current state of one send."""

    index = a.number("Zero-based index in the request", 0)
    invoiceId = a.an_id("The invoice; null if it was refused", or_null=True, source="invoice_id")
    number = a.text("Its number", "2026-101", or_null=True)
    networkStatus = a.text(
        "Processing, Delivered or Failed; null if it was refused",
        "Delivered",
        or_null=True,
        source=lambda each: each.status and each.status.value,
    )
    error = refusal_field()


class SendBatchCounts(Schema):
    """The number of sends by state."""

    processing = a.number("Processing", 20)
    delivered = a.number("Delivered", 470)
    failed = a.number("Failed", 8)
    rejected = a.number("Refused by the service", 2)


class SendBatchStatus(ResponseSchema[TrackedSends]):
    """The current state of a batch."""

    batchId = a.an_id("The batch", source="id")
    total = a.number("Sends in the request", 500, source=lambda found: len(found.sends))
    finished = a.flag(
        "Whether none is Processing",
        example=False,
        source=lambda found: found.counts["processing"] == 0,
    )
    counts = a.one(SendBatchCounts(), "Sends by state")
    results = a.things(SendBatchState(), "Each send", source="sends")
    createdAt = a.moment("When it was accepted", "2026-11-21T10:00:00.000Z")
    provider = a.provider()
