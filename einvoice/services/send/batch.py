"""Batches: many documents in one request, each accepted or refused on its own.

They are processed in chunks of fixed size, which bounds memory and transactions. Keys and receivers
are queried once per chunk, and its accepted documents are stored in one transaction.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from einvoice import clock, validation
from einvoice.config import Settings
from einvoice.domain.errors import (
    ComputingUnavailable,
    FieldError,
    InvalidField,
    NotFound,
    RequestRefused,
)
from einvoice.domain.identifiers import DocumentTypeId, is_id
from einvoice.domain.trace import Trace
from einvoice.network.types import AccessPoint
from einvoice.observability import logging
from einvoice.services.computing import pool, turns
from einvoice.services.computing.messages import ComputationFailed
from einvoice.services.invoices import status
from einvoice.services.participants.lookup import Route
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send import submit
from einvoice.services.send.accept import new_send, refuse_overload, result_of
from einvoice.services.send.command import V1_SPACE, SendCommand
from einvoice.services.send.document import AcceptableDocument
from einvoice.services.send.receivers import Receiver, Receivers
from einvoice.services.send.replay import replays
from einvoice.services.send.result import SendResult
from einvoice.services.send.submission import Submission
from einvoice.share import Limit
from einvoice.store.sending import acceptance, batches
from einvoice.store.sending.batches import BatchEntry, ListedBatch
from einvoice.store.sending.new_sends import NewSend
from einvoice.validation import Report, with_processing_time

log = logging.get(__name__)

Item = TypeVar("Item")

MAX_ITEMS = 500
MAX_KEPT, MAX_NAME = 20, 200  # findings of a refused file, characters of its name
MAX_LISTED = 20
BLOCKED = "blocked"
CHUNK_SIZE = 50
SHORT_CHUNK = 5  # documents that need no turn
TURN_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class BatchItem:
    """One document of a batch, or the refusal of reading it, with its own idempotency key.

    name  of the file that it was given in
    """

    read: Submission | RequestRefused
    key: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of one document: sent, with its traffic light as JSON, or refused.

    name  of the file that it was given in
    """

    sent: SendResult | None = None
    validation: Mapping[str, object] | None = None
    refusal: RequestRefused | None = None
    name: str | None = None


def submit_batch(
    items: Iterable[BatchItem],
    principal: Principal,
    runtime: Runtime,
    language: str = validation.DEFAULT_LANGUAGE,
    trace: Trace | None = None,
) -> tuple[str, list[BatchResult]]:
    """The id of the batch and one result for each item, in order.

    language  of the findings
    trace     of the request

    Raises Overloaded, and ComputingUnavailable before anything is stored.
    """
    work = _Batch(principal, runtime, language, trace, Receivers(principal, runtime))
    results = in_chunks(items, principal, runtime, work.process)
    return stored(results, principal, trace), results


def in_chunks(
    items: Iterable[Item],
    principal: Principal,
    runtime: Runtime,
    process: Callable[[Sequence[Item]], Sequence[BatchResult]],
) -> list[BatchResult]:
    """The results of the items, in order; `process` accepts or refuses each of a chunk.

    Raises Overloaded, and ComputingUnavailable before anything is stored.
    """
    refuse_overload(runtime)
    results: list[BatchResult] = []
    rest = iter(items)
    while chunk := list(islice(rest, CHUNK_SIZE)):
        with _turn(len(chunk), principal, runtime, begun=bool(results)):
            results += process(chunk)
    return results


def stored(results: Sequence[BatchResult], principal: Principal, trace: Trace | None) -> str:
    """Store a batch with what became of its documents; returns its id."""
    batch_id = str(uuid.uuid4())
    entries = [_entry(position, result, trace) for position, result in enumerate(results)]
    batches.add(batch_id, principal.tenant_id, principal.environment.value, entries, clock.now())
    return batch_id


def limit_of_turns(settings: Settings) -> Limit:
    """The chunks that a process does at the same time."""
    return turns.limit_of_turns(1, pool.max_waiting(settings), TURN_SECONDS)


def not_judged() -> InvalidField:
    """The refusal of a document at which our own code fails; the others of its batch go on."""
    message = "could not be read because of an error of this service: send it alone, or to support"
    return InvalidField([FieldError("/invoice", "unreadable-document", message)])


@contextmanager
def _turn(documents: int, principal: Principal, runtime: Runtime, *, begun: bool) -> Iterator[None]:
    """Wait for the turn of a chunk, one at a time in a process; other requests compute meanwhile.

    A batch that has begun goes on without a turn if none comes in time.
    """
    with ExitStack() as held:
        with runtime.slot.released():
            if documents > SHORT_CHUNK:
                try:
                    held.enter_context(runtime.batch_turns.held(principal.tenant_id))
                except ComputingUnavailable:
                    if not begun:
                        raise
        yield


def findings_of(refusal: RequestRefused) -> list[Mapping[str, object]]:
    """The first findings of a refusal; none if it has none."""
    found: Any = dict(refusal.extras())
    findings = found.get("validation", {}).get("findings") or found.get("validationErrors", ())
    return list(findings)[:MAX_KEPT]


def _entry(position: int, result: BatchResult, trace: Trace | None) -> BatchEntry:
    """With the id of the request that refused the document, for questions to support."""
    name = None if result.name is None else _kept_name(result.name)
    if result.refusal is not None:
        error: dict[str, object] = {"slug": result.refusal.slug, "detail": result.refusal.detail}
        if trace is not None:
            error["requestId"] = trace.request_id
        if result.name is not None:  # the file of a person, who looks at the batch again
            kept = [
                {"message": each.get("message"), "ruleId": each.get("ruleId")}
                for each in findings_of(result.refusal)
            ]
            error |= {"findings": kept}
        return BatchEntry(position, None, error, name)
    return BatchEntry(position, result.sent.invoice_id if result.sent else None, None, name)


def _kept_name(name: str) -> str:
    """Without control characters, which a database does not take."""
    return "".join(each for each in name if each.isprintable())[:MAX_NAME]


@dataclass(slots=True)
class _Batch:
    """The state of one batch."""

    principal: Principal
    runtime: Runtime
    language: str
    trace: Trace | None
    receivers: Receivers

    def process(self, items: Sequence[BatchItem]) -> list[BatchResult]:
        """The results of a chunk, in order."""
        commands = [self._command(item) for item in items]
        results = self._replays(commands)
        checked: dict[int, AcceptableDocument] = {}
        open_ = [position for position in range(len(items)) if position not in results]
        self.receivers.find(_receivers_of(items[position].read for position in open_))
        for position in open_:
            found = self._check(items[position].read)
            if isinstance(found, RequestRefused):
                results[position] = BatchResult(refusal=found)
            else:
                checked[position] = found
        results |= self._accept(commands, checked)
        return [replace(results[position], name=item.name) for position, item in enumerate(items)]

    def _command(self, item: BatchItem) -> SendCommand:
        meaning = item.read.meaning if isinstance(item.read, Submission) else b""
        return SendCommand(
            meaning,
            self.principal,
            item.key,
            0.0,
            V1_SPACE,
            language=self.language,
            trace=self.trace,
        )

    def _replays(self, commands: Sequence[SendCommand]) -> dict[int, BatchResult]:
        """The first results of the keys that were accepted before, by position."""
        known = replays(commands, self.runtime)
        ids = list({each.invoice_id for each in known.values()})
        lights = status.validations(ids, self.principal, self.language)
        return {
            position: self._result(each.result, light=lights.get(each.invoice_id))
            for position, each in known.items()
        }

    def _check(self, read: Submission | RequestRefused) -> AcceptableDocument | RequestRefused:
        if isinstance(read, RequestRefused):
            return read
        try:
            return submit.check(read, self.principal, self.runtime, self._route, self.language)
        except RequestRefused as refusal:
            return refusal
        except ComputationFailed:
            log.exception("document of a batch not judged", size=len(read.content))
            return not_judged()

    def _accept(
        self, commands: Sequence[SendCommand], checked: Mapping[int, AcceptableDocument]
    ) -> dict[int, BatchResult]:
        """Store the checked documents in one transaction; the results by position."""
        new: dict[int, NewSend] = {}
        results = {}
        for i, found in checked.items():
            try:
                new[i] = new_send(commands[i], found, self.runtime)
            except RequestRefused as refusal:
                results[i] = BatchResult(refusal=refusal)
        written = acceptance.accept_many(list(new.values())) if new else []
        for (position, send), stored in zip(new.items(), written, strict=True):
            result = partial(result_of, stored, send, commands[position], self.runtime)
            results[position] = self._result(result, checked[position])
        return results

    def _result(
        self,
        result: Callable[[], SendResult],
        checked: AcceptableDocument | None = None,
        light: Mapping[str, object] | None = None,
    ) -> BatchResult:
        """The result, with the traffic light of the checked document, or the one that is stored."""
        try:
            sent = result()
        except RequestRefused as refusal:
            return BatchResult(refusal=refusal)
        if checked is not None and checked.origin is not None and not sent.replay:
            light = _light(checked.report, checked.origin.took_ms, self.language)
        if light is None:
            light = status.brief(sent.invoice_id or "", self.principal, self.language).validation
        return BatchResult(sent, light)

    def _route(
        self, read: Submission, point: AccessPoint, types: Sequence[DocumentTypeId]
    ) -> Route:
        receiver = read.routing.receiver
        found = None if receiver is None else self.receivers.route(read.network, receiver)
        return Route(point) if found is None else found


def _receivers_of(reads: Iterable[Submission | RequestRefused]) -> Iterator[Receiver]:
    for read in reads:
        if isinstance(read, Submission) and read.receiver.participant is not None:
            yield read.network, read.receiver.participant


def _light(report: Report, took_ms: int, language: str) -> Mapping[str, object]:
    return with_processing_time(validation.in_language(report, language).as_json(), took_ms)


# -- tracking --------------------------------------------------------------------------------------


def track_batch(batch_id: str, principal: Principal) -> batches.BatchRecord:
    """The current state of a batch. Raises NotFound."""
    found = None
    if is_id(batch_id):
        found = batches.find(batch_id, principal.tenant_id, principal.environment.value)
    if found is None:
        raise NotFound(f"There is no batch {batch_id[:40]!r}.")
    return found


def recent_batches(principal: Principal) -> list[ListedBatch]:
    """The newest batches of the tenant, at most MAX_LISTED."""
    return batches.recent(principal.tenant_id, principal.environment.value, MAX_LISTED)


def status_of(state: batches.BatchEntryState) -> str:
    """The status of one document, as the /v1 family names it."""
    if state.status is None or state.phase is None:
        return BLOCKED
    return status.status_of(state.status, state.phase, state.authority_reference)
