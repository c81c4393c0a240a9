"""POST /v1/invoices/batch: up to 500 documents in one request, each handled independently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from flask import request

from einvoice.domain.bounds import listed
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
from einvoice.services.send.batch import MAX_ITEMS, BatchItem, BatchResult
from einvoice.web import credentials, headers, json, problems, send_requests
from einvoice.web.admission import request_bodies
from einvoice.web.api import Family
from einvoice.web.finding_language import language_of_findings
from einvoice.web.requests import trace_of_request
from einvoice.web.runtime import runtime
from einvoice.web.submission.batch_schemas import (
    BatchDocument,
    BatchRequest,
    BatchResponse,
    BatchStatus,
    Problem,
    SubmittedBatch,
    TrackedBatch,
    TrackedDocument,
)
from einvoice.web.submission.v1_bodies import submission_of

family = Family("batch", __name__, url_prefix="/v1", credential=credentials.bearer, tag="Batches")

_PATH = "/invoices/batch"
MAX_BYTES = 20 * 1024 * 1024
# Per document: all findings of 500 documents would make a response of unbounded size.
MAX_FINDINGS = 20


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
    items = read_batch(request_bodies.request_body(), receiver_required=needs.receiver)
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
            state.position, state.invoice_id, batch.status_of(state), _stored_problem(state.error)
        )
        for state in found.states
    ]
    return TrackedBatch(found.id, found.total, documents, found.created_at)


# -- reading ---------------------------------------------------------------------------------------


def read_batch(body: bytes, *, receiver_required: bool = True) -> Iterator[BatchItem]:
    """The documents of a body, one by one.

    `receiver_required`: every network needs the participant id of a receiver.

    Raises InvalidBody, InvalidField, EmptyBatch,
    BatchTooLarge; errors of a document are reported in its result."""
    value = json.read_object(body)
    entries = value.pop("invoices", None)
    wrong = [
        FieldError(f"/{name}", "unknown-field", "is not a field of this object") for name in value
    ]
    if not isinstance(entries, list):
        code = "required" if entries is None else "wrong-type"
        wrong.insert(0, FieldError("/invoices", code, "must be a list of documents"))
        raise InvalidField(wrong)
    if wrong:
        raise InvalidField(wrong)
    if not entries:
        raise EmptyBatch("The batch has no documents.")
    if len(entries) > MAX_ITEMS:
        message = f"The batch has {len(entries)} documents; at most {MAX_ITEMS} are allowed."
        raise BatchTooLarge(message, MAX_ITEMS)
    return _items(entries, receiver_required)


def _items(entries: list[Any], receiver_required: bool) -> Iterator[BatchItem]:
    """Read the entries, releasing the memory of each, since many may be large."""
    for position, entry in enumerate(entries):
        entries[position] = None
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
        return BatchDocument(index, error=_problem(result.refusal))
    return BatchDocument(index, result.sent, _truncated(result.validation or {}))


def _problem(refusal: RequestRefused | None) -> Problem:
    assert refusal is not None  # noqa: S101 - a result is one or the other
    extras = dict(refusal.extras())
    if "validation" in extras:
        extras["validation"] = _truncated(extras["validation"])  # type: ignore[arg-type]
    if "validationErrors" in extras:
        extras["validationErrors"] = extras["validationErrors"][:MAX_FINDINGS]  # type: ignore[index]
    if "errors" in extras:
        extras |= listed("errors", extras["errors"], MAX_FINDINGS)  # type: ignore[arg-type]
    return problems.document(refusal.slug, refusal.detail, extras)


def _truncated(light: Mapping[str, Any]) -> dict[str, Any]:
    """The traffic light with its first findings; its counts cover all of them."""
    return {**light, "findings": list(light.get("findings", ()))[:MAX_FINDINGS]}


def _stored_problem(error: Mapping[str, Any] | None) -> Problem | None:
    """The problem as the request that submitted the batch was told it."""
    if not error:
        return None
    return problems.document(
        error["slug"],
        error["detail"],
        instance=f"{family.url_prefix}{_PATH}",
        caused_by=error.get("requestId"),
    )
