"""Submit documents that are queued: prepare them, pass the fence, hand them to the access point.

From the fence on, bytes may be on their way. So what raises, or does not answer in time, is
Unknown, and the document is resolved (`polls`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.network import reasons
from einvoice.network.types import (
    AccessPoint,
    BatchesByKey,
    Envelope,
    NotSent,
    Outcome,
    Prepared,
    Rejected,
    SubmitsAsCompleted,
    Unknown,
)
from einvoice.observability import logging, tracing
from einvoice.services.connections.sealing import TooMuchToSeal
from einvoice.services.delivery import answers, envelopes, job_parts, settlement, successors
from einvoice.services.delivery.job_parts import JobPart
from einvoice.services.delivery.preparation import (
    MAX_PREPARATIONS,
    LostRace,
    Preparation,
    ready_to_send,
)
from einvoice.services.delivery.settlement import Attempt, SettledWork
from einvoice.services.delivery.successors import Successor
from einvoice.services.participants import lookup
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.sending import transmissions
from einvoice.store.sending.transmissions import PreparedTransmission, Work

log = logging.get(__name__)

# Seconds for which the first of several answers waits for others, to share one commit.
GATHER_SECONDS = 0.02
# For how long documents are prepared before the leases of their rows are extended.
RENEW_SECONDS = 5.0


def submit(part: JobPart, works: Sequence[Work]) -> None:
    """Submit queued documents: nothing of them has reached the network."""
    for group in _by_batch_key(part.offered, works):
        for some in job_parts.chunks(part, group):
            _submit_chunk(part, _refuse_unregistered(part, some))


def _by_batch_key(point: AccessPoint, works: Sequence[Work]) -> Iterable[Sequence[Work]]:
    """Groups of documents that may be submitted together."""
    if not isinstance(point, BatchesByKey):
        return (works,)
    groups: dict[str | None, list[Work]] = defaultdict(list)
    for work in works:
        groups[_batch_key(point, work)].append(work)
    return groups.values()


def _batch_key(point: BatchesByKey, work: Work) -> str | None:
    try:
        return point.batch_key(envelopes.envelope_of(work))
    except Exception:
        log.exception(
            "no batch key",
            transmission=work.id,
            access_point=work.access_point,
            **tracing.fields(work.trace),
        )
        return work.id  # submitted by itself


def _refuse_unregistered(part: JobPart, works: Sequence[Work]) -> list[Work]:
    """Refresh old lookups; settle work whose receiver is not registered any more (decisions 12).

    Returns the rest.
    """
    oldest = clock.now() - timedelta(seconds=part.runtime.settings.lookup_fresh_for)
    fresh: list[Work] = []
    for work in works:
        gone = _registration_refusal(part.point, work, oldest)
        if gone is None:
            fresh.append(work)
        else:
            part.write([settlement.settled(work, gone, part.point)])
    return fresh


def _registration_refusal(
    point: AccessPoint, work: Work, oldest: datetime
) -> Rejected | NotSent | None:
    checked = work.registration_checked_at
    if work.registration_id is None or checked is None or checked >= oldest:
        return None
    receiver = envelopes.receiver_of(work)
    if receiver is None:
        return None
    known = lookup.refresh(work.registration_id, receiver, point)
    if known is None:
        return NotSent("the directory gives no certain answer", code="directory-unavailable")
    if known:
        return None
    message = f"{receiver} is not registered any more"
    return Rejected("receiver-not-registered", message, reason_code=reasons.RECEIVER_UNKNOWN.code)


def _submit_chunk(part: JobPart, works: Sequence[Work]) -> None:
    """Prepare, pass the fence in one transaction, submit, and settle answers as they arrive.

    A single document of a sequence is followed by those that come next.
    """
    fenced = _prepare_and_fence(part, works)
    while len(fenced) == 1:
        part, fenced = _submit_and_go_on(part, fenced)
    for batch in _hand_over(part, fenced):
        part.write(_settled(part, batch))


def _settled(part: JobPart, batch: Sequence[_Attempted]) -> list[SettledWork]:
    return [settlement.settled(d.work, d.outcome, part.point, d.attempt) for d in batch]


def _submit_and_go_on(part: JobPart, fenced: Sequence[_Fenced]) -> tuple[JobPart, list[_Fenced]]:
    """Submit a document while the next of its sequence is prepared, and settle it.

    Returns the next one, with its part of the job, if it has passed the fence with that.
    """
    ahead = successors.look_ahead(part, fenced[0].ready.work)
    onwards: list[_Fenced] = []
    for batch in filter(None, _hand_over(part, fenced)):
        settled = _settled(part, batch)
        successor = successors.awaited(ahead) if ahead and successors.may_follow(settled) else None
        onwards = [] if successor is None else _settle_with(part, settled, successor)
        if not onwards:
            part.write(settled)
    return (successor.part if successor else part), onwards


def _settle_with(
    part: JobPart, settled: Sequence[SettledWork], successor: Successor
) -> list[_Fenced]:
    """Settle a document, and let the next one pass the fence in the same transaction.

    Empty: nothing was stored, as that one is not next, or its connection has changed.
    """
    try:
        with db.writing_by_key() as connection:
            now = clock.now()
            # First, as the end of a connection locks that before its sequences.
            successor.preparation.store(connection)
            points = part.runtime.access_points
            stored = settlement.store(connection, settled, part.token, points, now)
            fenced = _fence_successor(connection, successor, [each.work for each in stored], now)
    except (LostRace, TooMuchToSeal):
        return []
    settlement.report(stored)
    successor.preparation.committed()
    return fenced


def _fence_successor(
    connection: Connection, successor: Successor, before: Sequence[Work], now: datetime
) -> list[_Fenced]:
    """`_fence` of a document that has waited for another one until now. Raises LostRace."""
    part, ready = successor.part, successor.ready
    following = part.following
    if following is None or ready.work.outbox_id not in following.claim(connection, before, now):
        raise LostRace
    work = job_parts.without_pause(replace(ready.work, due_at=now))
    job_parts.end_pauses(connection, [work], part.token)
    fenced = _fence(connection, part, [replace(ready, work=work)], now)
    if not fenced:
        raise LostRace
    return fenced


def _prepare_and_fence(part: JobPart, works: Sequence[Work]) -> list[_Fenced]:
    """Prepare documents, and pass the fence together with the state that they leave.

    If another worker has changed that state, nothing is stored, and they are prepared again.
    """
    for _ in range(MAX_PREPARATIONS):
        if not works:
            return []
        preparation = Preparation.of(part)
        ready = _ready(part, preparation, works)
        prepared = [item for item in ready if isinstance(item, PreparedTransmission)]
        try:
            passed = _pass_fence(part, prepared, preparation)
        except LostRace:
            works = _again(part, works)
            continue
        except TooMuchToSeal as fault:
            log.error("state not stored", access_point=part.point.name, fault=str(fault))
            too_much = NotSent("the state of the connection is too large", code="prepare-failed")
            part.write([settlement.settled(work, too_much, part.point) for work in works])
            return []
        part.write([item for item in ready if isinstance(item, SettledWork)])
        return passed
    job_parts.postpone(part, works, clock.now())
    return []


def _ready(
    part: JobPart, preparation: Preparation, works: Sequence[Work]
) -> list[PreparedTransmission | SettledWork]:
    """The documents of a chunk, prepared under leases that outlast it.

    PDFs can take seconds each. A chunk whose leases ended on the way would be prepared in vain,
    each time again.
    """
    ready, renewed_at = [], clock.monotonic()
    for work in works:
        if clock.monotonic() - renewed_at > RENEW_SECONDS:
            job_parts.extend_leases(part, works)
            renewed_at = clock.monotonic()
        ready.append(ready_to_send(part, preparation, work))
    return ready


def _again(part: JobPart, works: Sequence[Work]) -> Sequence[Work]:
    """The works to prepare again with the connection as it is now: those that are still held."""
    held = job_parts.extend_leases(part, works)
    if part.account is not None:
        part.account.read()
    return [] if job_parts.hold_back(part, held) else held


@dataclass(frozen=True, slots=True)
class _Fenced:
    """A document that has passed the fence: from here on its bytes may be sent."""

    ready: PreparedTransmission
    attempt: int
    fence: int

    @property
    def parcel(self) -> tuple[Envelope, Prepared]:
        made = Prepared(self.ready.message_id, self.ready.content, self.ready.state)
        return envelopes.envelope_of(self.ready.work, self.attempt), made


@dataclass(frozen=True, slots=True)
class _Attempted:
    """A submitted document, and what the access point returned."""

    work: Work
    outcome: Outcome
    attempt: Attempt


def _pass_fence(
    part: JobPart, ready: Sequence[PreparedTransmission], preparation: Preparation
) -> list[_Fenced]:
    """Those that have passed it. Raises LostRace if they leave a state, and not all have passed."""
    if not ready:
        return []
    with db.writing_by_key() as connection:
        preparation.store(connection)
        fenced = _fence(connection, part, ready, clock.now())
        if preparation.state is not None and len(fenced) < len(ready):
            raise LostRace
    preparation.committed()
    return fenced


def _fence(
    connection: Connection,
    part: JobPart,
    ready: Sequence[PreparedTransmission],
    now: datetime,
) -> list[_Fenced]:
    """Those that pass the fence in this transaction."""
    until = now + clock.lasting(_longest_submit(part.point, ready)) + part.margin
    ids = [item.work.outbox_id for item in ready]
    held = outbox.extend(connection, ids, part.token, until, now)
    mine = [item for item in ready if item.work.outbox_id in held]
    passed = transmissions.fence(connection, mine, now) if mine else {}
    return [_Fenced(item, *passed[item.work.id]) for item in ready if item.work.id in passed]


def _longest_submit(point: AccessPoint, ready: Sequence[PreparedTransmission]) -> timedelta:
    """How long the access point may take for documents as large as these."""
    largest = max(len(item.work.document) for item in ready)
    return timedelta(seconds=point.capabilities.timeout_of(largest))


def _hand_over(part: JobPart, fenced: Sequence[_Fenced]) -> Iterator[list[_Attempted]]:
    """Submit; yields batches of outcomes as they arrive."""
    if not fenced:
        return
    if part.point.capabilities.bulk > 1:
        yield from _submit_bulk(part.point, fenced)
    elif len(fenced) == 1:
        yield [_submit_one(part.point, fenced[0])]
    else:
        yield from _submit_concurrently(part, fenced)


def _submit_bulk(point: AccessPoint, fenced: Sequence[_Fenced]) -> Iterator[list[_Attempted]]:
    """The outcomes of a batch in groups; what has none at the end is Unknown."""
    started = clock.now()
    open_ = dict(enumerate(fenced))
    rest = Unknown("the access point returned no outcome")
    try:
        for group in _outcomes(point, [item.parcel for item in fenced]):
            known = [(open_.pop(place), outcome) for place, outcome in group if place in open_]
            yield [_attempted(item, outcome, started) for item, outcome in known]
    except Exception as fault:  # noqa: BLE001 - whatever it is, bytes may be on the wire
        rest = _unknown_after(point, fault)
    yield [_attempted(item, rest, started) for item in open_.values()]


def _outcomes(
    point: AccessPoint, parcels: Sequence[tuple[Envelope, Prepared]]
) -> Iterator[Sequence[tuple[int, Outcome]]]:
    """Groups of (position, outcome), as the access point returns them."""
    if isinstance(point, SubmitsAsCompleted):
        yield from point.submit_as_completed(parcels)
        return
    outcomes = point.submit_many(parcels)
    if len(outcomes) != len(parcels):
        raise ValueError(f"{len(outcomes)} outcomes for {len(parcels)} documents")
    yield list(enumerate(outcomes))


def _submit_one(point: AccessPoint, item: _Fenced) -> _Attempted:
    started = clock.now()
    with tracing.bound(item.ready.work.trace):
        try:
            answer: Outcome = point.submit(*item.parcel)
        except Exception as fault:  # noqa: BLE001 - whatever it is, bytes may be on the wire
            answer = _unknown_after(point, fault)
    return _attempted(item, answer, started)


def _submit_concurrently(part: JobPart, fenced: Sequence[_Fenced]) -> Iterator[list[_Attempted]]:
    point, started = part.point, clock.now()
    longest = _longest_submit(point, [item.ready for item in fenced])
    limit = clock.monotonic() + longest.total_seconds() + 5
    pool = part.threads
    open_: dict[Future[_Attempted], _Fenced] = {
        pool.submit(_submit_one, point, i): i for i in fenced
    }
    while open_:
        ready, _ = wait(open_, max(0.0, limit - clock.monotonic()), FIRST_COMPLETED)
        if ready and len(ready) < len(open_):
            ready, _ = wait(open_, GATHER_SECONDS)
        if not ready:
            late = Unknown("no answer within the access point's timeout")
            yield [_attempted(item, late, started) for item in open_.values()]
            part.runtime.threads.abandon(point)
            break
        yield [future.result() for future in ready]
        open_ = {future: item for future, item in open_.items() if future not in ready}


def _attempted(item: _Fenced, answer: Outcome, started: datetime) -> _Attempted:
    work, attempt = item.ready.work, Attempt(item.attempt, item.fence, started)
    return _Attempted(work, answers.outcome(work.access_point, answer), attempt)


def _unknown_after(point: AccessPoint, fault: Exception) -> Unknown:
    log.error("submit raised", access_point=point.name, exc_info=fault)
    return Unknown(f"the access point raised {type(fault).__name__}")
