"""Write outcomes: status, attempt, evidence, event and the next outbox row, in one commit."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import artefacts as kinds
from einvoice.domain import events
from einvoice.domain.delivery import NetworkStatus
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import (
    AccessPoint,
    Capabilities,
    Evidence,
    Found,
    NotSent,
    Outcome,
    Pending,
    Unknown,
)
from einvoice.observability import logging, metrics, tracing
from einvoice.services.connections.network_faults import refusal_of
from einvoice.services.delivery import (
    message_outcomes,
    outcomes,
    payment_messages,
    receiver_responses,
    sent_notices,
    spans,
)
from einvoice.services.delivery.outcomes import Verdict
from einvoice.services.invoices.evidence import artefact_of, storable_text
from einvoice.services.webhooks import deliveries
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.inbound import receiver_responses as stored_responses
from einvoice.store.invoices import artefacts
from einvoice.store.sending import network_findings, sequences, submissions, transmissions
from einvoice.store.sending.network_findings import NewFindings
from einvoice.store.sending.transmissions import Work
from einvoice.store.webhooks import events as stored_events
from einvoice.validation import refusal_in_words

log = logging.get(__name__)

NO_CAPABILITIES = Capabilities()
_DELAYS = uuid.UUID("6f4c2f0e-6a0d-4c53-9d0b-0d4a3d1c3b57")  # names the ids of such events
# How long a document is tried, from each refusal of this service's address on.
REFUSED_PATIENCE = timedelta(days=1)
MIN_PAUSE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class SettledWork:
    """A verdict with its work, its attempt and the network of that."""

    work: Work
    verdict: Verdict
    attempt: Mapping[str, object] | None = None
    network: str | None = None


@dataclass(frozen=True, slots=True)
class StoredWork:
    """A work that this transaction has settled."""

    settled: SettledWork
    needs_operator: bool

    @property
    def work(self) -> Work:
        return self.settled.work


@dataclass(frozen=True, slots=True)
class Attempt:
    """One submission: its number, and the fence that was passed for it."""

    number: int
    fence: int
    started_at: datetime


def _verdict(
    work: Work, fence: int, outcome: Outcome | Found, point: AccessPoint | None, now: datetime
) -> Verdict:
    """The verdict on an outcome. While the network refuses the address of this service, a document
    is tried again after each pause, and that time does not count as its own."""
    capabilities = point.capabilities if point else NO_CAPABILITIES
    refusal = refusal_of(point) if isinstance(outcome, NotSent | Unknown) else None
    if refusal is None:
        return outcomes.settle(work, fence, outcome, capabilities, now)
    pause = max(MIN_PAUSE_SECONDS, (refusal.until - now).total_seconds())
    until = now + REFUSED_PATIENCE
    match outcome:
        case NotSent():
            outcome = replace(outcome, retry_after=pause, retry_until=until)
        case Unknown():
            outcome = replace(outcome, ask_after=pause, retry_until=until)
    return replace(outcomes.settle(work, fence, outcome, capabilities, now), throttled=None)


def settled(
    work: Work, outcome: Outcome | Found, point: AccessPoint | None, attempt: Attempt | None = None
) -> SettledWork:
    """The work with the verdict on an outcome, to be written.

    point    the access point of the work; None: it is not installed, or could not be used
    attempt  the submission with this outcome; None: nothing was submitted
    """
    network = point.network if point else None
    now, detail = clock.now(), getattr(outcome, "reason", None)
    if attempt is None:
        verdict = _verdict(work, work.fence, outcome, point, now)
        return SettledWork(work, verdict, network=network)
    row = {
        "id": work.id,
        "number": attempt.number,
        "started_at": attempt.started_at,
        "ended_at": now,
        "outcome": type(outcome).__name__,
        "detail": None if detail is None else storable_text(detail),
    }
    verdict = _verdict(work, attempt.fence, outcome, point, now)
    return SettledWork(work, verdict, row, network)


def write(
    settled: Sequence[SettledWork],
    token: str | None,
    points: AccessPoints | None = None,
    *,
    seen: bool = False,
) -> set[str]:
    """Write verdicts in one transaction; returns the ids of the transmissions that they settled.

    token   of the lease of their outbox rows; None for a push and an operator, who have none: the
            rows are theirs, whoever leases them
    points  the installed ones, which may follow sent documents and their messages
    seen    an operator made the verdicts

    Only the first final verdict on a transmission writes evidence and events.
    """
    if not settled:
        return set()
    with db.writing_by_key() as connection:
        stored = store(connection, settled, token, points, clock.now(), seen=seen)
    report(stored)
    return {each.work.id for each in stored}


def store(
    connection: Connection,
    settled: Sequence[SettledWork],
    token: str | None,
    points: AccessPoints | None,
    now: datetime,
    *,
    seen: bool = False,
) -> list[StoredWork]:
    """`write` in the caller's transaction, who reports what was settled once it is committed."""
    first = transmissions.settle(connection, [s.verdict.settlement for s in settled])
    mine = [s for s in settled if s.work.id in first]
    transmissions.record_attempts(connection, [s.attempt for s in mine if s.attempt])
    later = {s.work.id: s.verdict.retry_until for s in mine if s.verdict.retry_until}
    if later:
        transmissions.extend_retries(connection, later)
    documents = [s for s in mine if s.work.kind is None]
    _store_documents(connection, documents, first, now)
    ended = [(s.work, s.verdict.settlement) for s in documents]
    sent_notices.add(connection, ended, points)
    payment_messages.add_notices(connection, ended, points)
    sent = [s for s in mine if s.work.kind is not None]
    unseen = _store_messages(connection, sent, points, now, seen=seen) if sent else set()
    if token is None:
        _take_over(connection, mine)
    else:
        _release(connection, mine, token)
    _hand_on(connection, mine, now)
    return [StoredWork(s, s.verdict.settlement.attention or s.work.id in unseen) for s in mine]


def report(stored: Sequence[StoredWork]) -> None:
    """Count and log verdicts whose transaction is committed."""
    for each in stored:
        _report(each.settled, needs_operator=each.needs_operator)


def _store_documents(
    connection: Connection,
    settled: Sequence[SettledWork],
    as_xml: Mapping[str, bool],
    now: datetime,
) -> None:
    """Evidence, findings and events of documents."""
    artefacts.add_missing(connection, [a for s in settled for a in _artefacts(s, now)])
    network_findings.add(connection, [_findings(s) for s in settled if s.verdict.findings])
    emitted = (_events(connection, s, now, as_xml=as_xml[s.work.id]) for s in settled)
    deliveries.emit_many(connection, [event for events in emitted for event in events])
    _emit_delays(connection, [each for each in settled if each.verdict.delayed])


def _store_messages(
    connection: Connection,
    settled: Sequence[SettledWork],
    points: AccessPoints | None,
    now: datetime,
    *,
    seen: bool,
) -> set[str]:
    outcomes = [(s.work, s.verdict.settlement, s.verdict.evidence) for s in settled]
    return message_outcomes.store(connection, outcomes, points, now, seen=seen)


def _report(settled: SettledWork, *, needs_operator: bool) -> None:
    """Count and log a verdict that is stored."""
    work, attempt = settled.work, settled.attempt
    settlement = settled.verdict.settlement
    point, status = work.access_point or "none", settlement.status
    if work.kind is not None:
        metrics.message_settled(point, status, attention=needs_operator)
    else:
        if attempt:
            metrics.transmission_attempted(point, str(attempt["outcome"]))
        metrics.transmission_settled(point, status, attention=needs_operator)
    log.info(
        "transmission settled" if work.kind is None else "message settled",
        transmission=work.id,
        status=status,
        phase=settlement.phase,
        attention=needs_operator,
        attempt=attempt["number"] if attempt else None,
        **tracing.fields(work.trace),
    )
    spans.record(work, settlement, attempt, settled.network)


def _hand_on(connection: Connection, settled: Sequence[SettledWork], now: datetime) -> None:
    """Make the next document due where a final one was sent before others."""
    final = [
        s.work.id
        for s in settled
        if s.work.sequence_key and s.verdict.settlement.status is not NetworkStatus.PROCESSING
    ]
    if final:
        sequences.leave(connection, final, now)


def _release(connection: Connection, settled: Sequence[SettledWork], token: str) -> None:
    finished = [s.work.outbox_id for s in settled if s.verdict.again is None]
    onwards = [(s.work.outbox_id, *s.verdict.again) for s in settled if s.verdict.again]
    if finished:
        outbox.complete(connection, finished, token)
    if onwards:
        outbox.reschedule(connection, onwards, token)


def _take_over(connection: Connection, settled: Sequence[SettledWork]) -> None:
    """End the work on settled transmissions, or plan its next step, whoever leases their rows."""
    for each in settled:
        if each.verdict.again is None:
            outbox.discard(connection, each.work.id)
        else:
            plan(connection, each.work, *each.verdict.again)


def plan(connection: Connection, work: Work, lane: str, due: datetime) -> None:
    """Make the next step of a transmission due in a lane, whoever leases its row."""
    outbox.reclaim(
        connection, work.id, work.tenant_id, work.access_point, due, work.connection_id, lane
    )


def _artefacts(settled: SettledWork, now: datetime) -> list[artefacts.NewArtefact]:
    kept = [_evidence(settled.work, evidence, now) for evidence in settled.verdict.evidence]
    if settled.verdict.settlement.status is NetworkStatus.FAILED:
        kept.append(_failure_report(settled, now))
    return kept


def _findings(settled: SettledWork) -> NewFindings:
    work = settled.work
    return NewFindings(work.id, work.tenant_id, work.invoice_id, settled.verdict.findings)


def _evidence(work: Work, evidence: Evidence, now: datetime) -> artefacts.NewArtefact:
    return artefact_of(
        evidence,
        work.number,
        now,
        tenant_id=work.tenant_id,
        invoice_id=work.invoice_id,
        transmission_id=work.id,
    )


def _failure_report(settled: SettledWork, now: datetime) -> artefacts.NewArtefact:
    """The artefact FAILURE_REPORT: status, reason and attempts of a failed transmission."""
    outcome = settled.verdict.settlement
    report = {
        "invoiceId": settled.work.invoice_id,
        "transactionId": settled.work.id,
        "networkStatus": outcome.status.value,
        "reason": outcome.reason,
        "reasonCode": outcome.reason_code,
        "errorCode": outcome.error_code,
        "upstreamStatus": outcome.upstream_status,
        "retryable": outcome.retryable,
        "accessPoint": settled.work.access_point,
        "attempts": settled.attempt["number"] if settled.attempt else settled.work.attempts,
        "failedAt": clock.timestamp(now),
        "networkFindings": _findings_in_words(settled),
    }
    content = json.dumps(report, indent=2, ensure_ascii=False).encode()
    return _evidence(settled.work, Evidence(kinds.FAILURE_REPORT, content), now)


def _events(
    connection: Connection, settled: SettledWork, now: datetime, *, as_xml: bool
) -> list[deliveries.NewEvent]:
    """The events of a verdict, whose responses are stored; an invoice submitted as XML (`as_xml`)
    has further ones."""
    found = _responses(connection, settled.work, settled.verdict.evidence, now)
    outcome = settled.verdict.settlement
    if settled.verdict.event == events.TRANSACTION_SENT:
        sent = {"status": "Delivered", "deliveredMeans": settled.verdict.means.value}
        found.insert(0, _event(settled.work, events.TRANSACTION_SENT, sent))
    elif settled.verdict.event == events.TRANSACTION_FAILED:
        failed = {
            "status": "Failed",
            "reason": outcome.reason,
            "reasonCode": outcome.reason_code,
            "retryable": outcome.retryable,
            "networkFindings": _findings_in_words(settled),
        }
        found.insert(0, _event(settled.work, events.TRANSACTION_FAILED, failed))
    if as_xml:
        found += _submission_events(settled)
    return found


def _emit_delays(connection: Connection, delayed: Sequence[SettledWork]) -> None:
    """One event of each document. While a network is away, most have theirs already."""
    by_id = {f"evt_{uuid.uuid5(_DELAYS, each.work.id).hex}": each for each in delayed}
    known = stored_events.existing(connection, by_id) if by_id else set()
    for event_id, each in by_id.items():
        if event_id not in known:
            stored_events.emit_once(connection, event_id, _delay(each))


def _delay(settled: SettledWork) -> deliveries.NewEvent:
    """The event of a document that its network has not taken for an hour: one of each."""
    work, due_by = settled.work, settled.verdict.due_by
    waiting = {
        "status": "Processing",
        "reason": settled.verdict.settlement.reason,
        "acceptedAt": clock.timestamp(work.created_at),
        "dueBy": clock.timestamp(due_by) if due_by else None,
    }
    return _event(work, events.TRANSACTION_DELAYED, waiting)


def _findings_in_words(settled: SettledWork) -> list[dict[str, object]]:
    """The errors that the network named, in English."""
    return [refusal_in_words(each) for each in settled.verdict.findings]


def _submission_events(settled: SettledWork) -> Iterator[deliveries.NewEvent]:
    status = settled.verdict.settlement.status
    if status is NetworkStatus.DELIVERED:
        means = settled.verdict.means.value
        yield _invoice_event(
            settled.work, events.INVOICE_DELIVERED, "delivered", deliveredMeans=means
        )
    yield from _authority_events(settled.work, settled.verdict.evidence, status)


def _authority_events(
    work: Work, evidence: Sequence[Evidence], status: NetworkStatus
) -> Iterator[deliveries.NewEvent]:
    """The events for an authority reference, which shows that the authority has answered."""
    event_of = {
        NetworkStatus.DELIVERED: (events.INVOICE_ACKNOWLEDGED, "acknowledged"),
        NetworkStatus.FAILED: (events.INVOICE_REJECTED, "rejected"),
    }
    references = [e.authority_reference for e in evidence if e.authority_reference]
    if references and status in event_of:
        yield _invoice_event(work, *event_of[status], authorityReference=references[0])


def _invoice_event(work: Work, event_type: str, status: str, **more: object) -> deliveries.NewEvent:
    return _event(work, event_type, {"id": work.invoice_id, "status": status, **more})


def _responses(
    connection: Connection, work: Work, evidence: Sequence[Evidence], now: datetime
) -> list[deliveries.NewEvent]:
    """Store the responses in new evidence; their events."""
    kept = receiver_responses.keep(connection, work, evidence, now)
    return [_event(work, events.INVOICE_RESPONDED, members) for members in kept]


def _event(work: Work, event_type: str, members: Mapping[str, object]) -> deliveries.NewEvent:
    return deliveries.NewEvent(
        tenant_id=work.tenant_id,
        environment=work.environment,
        type=event_type,
        invoice_id=work.invoice_id,
        payload={"transactionId": work.id, "invoiceId": work.invoice_id, **members},
    )


def keep_evidence(
    work: Work, evidence: Sequence[Evidence], onwards: Pending | None, token: str
) -> None:
    """Store evidence that arrives after the final status, which does not change."""
    with db.writing() as connection:
        _add_evidence(connection, work, evidence)
        transmissions.set_follow_up(
            connection, work.id, outcomes.pending_as_json(onwards) if onwards else None
        )
        due = onwards.next_poll_at if onwards else None
        if due is None:
            outbox.complete(connection, [work.outbox_id], token)
        else:
            outbox.reschedule(connection, [(work.outbox_id, outbox.CHORES, due)], token)


def add_evidence(work: Work, evidence: Sequence[Evidence]) -> None:
    """Store evidence of a transmission, and nothing else."""
    with db.writing() as connection:
        _add_evidence(connection, work, evidence)


def _add_evidence(connection: Connection, work: Work, evidence: Sequence[Evidence]) -> None:
    """Store what is not stored yet, with the events of what is new."""
    if work.kind is not None:
        message_outcomes.add_artefacts(connection, work, evidence, None)
        return
    now = clock.now()
    if any(map(receiver_responses.is_response, evidence)):
        stored_responses.lock(connection, work.id)
    kept = [_evidence(work, e, now) for e in evidence]
    fresh = artefacts.add_missing(connection, kept)
    new = [e for e, row in zip(evidence, kept, strict=True) if row.sha256 in fresh]
    found = _responses(connection, work, new, now)
    if submissions.among(connection, [work.invoice_id]):
        found += _authority_events(work, new, NetworkStatus(work.status))
    deliveries.emit_many(connection, found)
