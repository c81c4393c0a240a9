"""POST /api/invoices/batch: up to 500 sends in one request, each handled independently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask import request

from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.errors import (
    BatchTooLarge,
    ComputingUnavailable,
    EmptyBatch,
    FieldError,
    InvalidField,
    Overloaded,
    RequestRefused,
)
from einvoice.services.send import batch, send_batch
from einvoice.services.send.batch import BatchResult
from einvoice.services.send.send_batch import SendItem
from einvoice.web import credentials, headers, json, limits, send_requests
from einvoice.web.admission import request_bodies
from einvoice.web.api import Family
from einvoice.web.finding_language import language_of_findings
from einvoice.web.public.batch_schemas import (
    SendBatchRequest,
    SendBatchResponse,
    SendBatchStatus,
    SentBatch,
    SentItem,
    TrackedSend,
    TrackedSends,
)
from einvoice.web.requests import trace_of_request
from einvoice.web.runtime import runtime
from einvoice.web.shared.batch_entries import (
    MAX_BYTES,
    entries_of,
    one_by_one,
    problem,
    stored_problem,
)
from einvoice.web.shared.send_bodies import RoutingNeeds, read_send

family = Family(
    "send_batch", __name__, url_prefix="/api", credential=credentials.api_key, tag="Invoices"
)

_PATH = "/invoices/batch"


@family.route(_PATH, methods=["POST"])
@family.doc(
    requestBody={"required": True, "content": {"application/json": {"schema": SendBatchRequest}}}
)
@family.reads_headers("Accept-Language")
@family.refuses(EmptyBatch, BatchTooLarge, ComputingUnavailable, Overloaded)
@family.response(200, SendBatchResponse())
def send_invoices() -> SentBatch:
    """Send up to 500 invoices.

    Each is accepted or refused independently, as by POST /api/invoices/send without waiting; the
    response is 200. Each has its own idempotencyKey, and needs no accessPointRef: receivers are
    looked up. The event batch.finished reports the end. At most 20 MiB.
    """
    credentials.require("invoices:send")
    send_requests.refuse_other_media()
    request.max_content_length = MAX_BYTES
    principal = credentials.principal()
    entries = entries_of(request_bodies.request_body())
    limits.count_documents(principal, len(entries))
    keys = [entry.get("idempotencyKey") if isinstance(entry, dict) else None for entry in entries]
    needs = RoutingNeeds(send_requests.routing_needs(principal).receiver, reference=False)
    batch_id, results = send_batch.send_batch(
        _items(entries, needs), principal, runtime(), language_of_findings(), trace_of_request()
    )
    keyed = enumerate(zip(keys, results, strict=True))
    return SentBatch(batch_id, [_sent(index, *each) for index, each in keyed])


@family.route(f"{_PATH}/<batch_id>")
@family.response(200, SendBatchStatus())
def get_sent_batch(batch_id: str) -> TrackedSends:
    """Get the current state of the invoices of a batch."""
    credentials.require("invoices:read")
    found = batch.track_batch(batch_id, credentials.principal())
    instance = f"{family.url_prefix}{_PATH}"
    sends = [
        TrackedSend(
            state.position,
            state.invoice_id,
            state.number,
            None if state.status is None else NetworkStatus(state.status),
            stored_problem(state.error, instance),
        )
        for state in found.states
    ]
    return TrackedSends(found.id, sends, found.created_at)


def _items(entries: list[Any], needs: RoutingNeeds) -> Iterator[SendItem]:
    for entry in one_by_one(entries):
        yield _item(entry, needs)


def _item(entry: object, needs: RoutingNeeds) -> SendItem:
    if not isinstance(entry, dict):
        return SendItem(InvalidField([FieldError("", "wrong-type", "must be an object")]))
    key = None
    try:
        key = _key_of(entry)
        body = json.write(entry)
        read = read_send(body, needs=needs)
        if read["options"].get("dryRun"):
            message = "cannot be part of a batch: send it alone"
            raise InvalidField([FieldError("/options/dryRun", "contradicts", message)])
        return SendItem(read, body, key)
    except RequestRefused as refusal:
        return SendItem(refusal, key=key)


def _key_of(entry: dict[str, Any]) -> str:
    """The key of an entry, which makes it safe to repeat the batch. Raises its refusal."""
    given = entry.pop("idempotencyKey", None)
    if given is None:
        message = "is required, so that a batch can be repeated"
        raise InvalidField([FieldError("/idempotencyKey", "required", message)])
    return headers.checked_key(given)


def _sent(index: int, key: object, result: BatchResult) -> SentItem:
    named = key if isinstance(key, str) else None
    if result.sent is None:
        return SentItem(index, named, error=problem(result.refusal))
    return SentItem(index, named, result.sent)
