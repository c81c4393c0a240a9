"""POST /v1/invoices/batch: up to 500 documents in one request, each handled independently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask import request

from einvoice.domain.errors import (
    BatchTooLarge,
    ComputingUnavailable,
    EmptyBatch,
    FieldError,
    InvalidField,
    Overloaded,
    RequestRefused,
)
from einvoice.services.send import batch
from einvoice.services.send.batch import BatchItem, BatchResult
from einvoice.web import credentials, headers, limits, send_requests
from einvoice.web.admission import request_bodies
from einvoice.web.api import Family
from einvoice.web.finding_language import language_of_findings
from einvoice.web.requests import trace_of_request
from einvoice.web.runtime import runtime
from einvoice.web.shared.batch_entries import (
    MAX_BYTES,
    entries_of,
    one_by_one,
    problem,
    stored_problem,
    truncated,
)
from einvoice.web.submission.batch_schemas import (
    BatchDocument,
    BatchRequest,
    BatchResponse,
    BatchStatus,
    SubmittedBatch,
    TrackedBatch,
    TrackedDocument,
)
from einvoice.web.submission.v1_bodies import submission_of

family = Family("batch", __name__, url_prefix="/v1", credential=credentials.bearer, tag="Batches")

_PATH = "/invoices/batch"


@family.route(_PATH, methods=["POST"])
@family.doc(
    requestBody={"required": True, "content": {"application/json": {"schema": BatchRequest}}}
)
@family.reads_headers("Accept-Language")
@family.refuses(EmptyBatch, BatchTooLarge, ComputingUnavailable, Overloaded)
@family.response(200, BatchResponse())
def submit_batch() -> SubmittedBatch:
    """Submit up to 500 documents.

    Each document is validated and accepted or refused independently, as by POST /v1/invoices
    without waiting; the response is 200. Each document has its own idempotencyKey; the header is
    ignored. At most 20 MiB.
    """
    credentials.require("invoices:send")
    send_requests.refuse_other_media()
    request.max_content_length = MAX_BYTES
    principal = credentials.principal()
    needs = send_requests.routing_needs(principal)
    entries = entries_of(request_bodies.request_body())
    limits.count_documents(principal, len(entries))
    items = _items(entries, needs.receiver)
    language = language_of_findings()
    batch_id, results = batch.submit_batch(
        items, principal, runtime(), language, trace_of_request()
    )
    return SubmittedBatch(batch_id, [_document(*numbered) for numbered in enumerate(results)])


@family.route(f"{_PATH}/<batch_id>")
@family.response(200, BatchStatus())
def get_batch(batch_id: str) -> TrackedBatch:
    """Get the current state of a batch's documents."""
    credentials.require("invoices:read")
    found = batch.track_batch(batch_id, credentials.principal())
    documents = [
        TrackedDocument(
            state.position,
            state.invoice_id,
            batch.status_of(state),
            stored_problem(state.error, f"{family.url_prefix}{_PATH}"),
        )
        for state in found.states
    ]
    return TrackedBatch(found.id, found.total, documents, found.created_at)


# -- reading ---------------------------------------------------------------------------------------


def _items(entries: list[Any], receiver_required: bool) -> Iterator[BatchItem]:
    for entry in one_by_one(entries):
        yield _item(entry, receiver_required)


def _item(entry: object, receiver_required: bool) -> BatchItem:
    if not isinstance(entry, dict):
        return BatchItem(InvalidField([FieldError("", "wrong-type", "must be an object")]))
    key = None
    try:
        given = entry.pop("idempotencyKey", None)
        key = None if given is None else headers.checked_key(given)
        read = submission_of(entry, receiver_required=receiver_required)
        return BatchItem(read, key)
    except RequestRefused as refusal:
        return BatchItem(refusal, key)


# -- responses -------------------------------------------------------------------------------------


def _document(index: int, result: BatchResult) -> BatchDocument:
    if result.refusal is not None or result.sent is None:
        return BatchDocument(index, error=problem(result.refusal))
    return BatchDocument(index, result.sent, truncated(result.validation or {}))
