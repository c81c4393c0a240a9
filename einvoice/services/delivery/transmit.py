"""Advance due transmissions: submit, poll or resolve them, and settle each once.

A job passes outbox rows and the token of their lease. The phase decides the step: `queued` is
submitted, `pending` polled, `submitting` and `unknown` (a worker died, or the network did not
answer) resolved, and never submitted again blindly. No transaction is open during a call to an
access point. Every step may run twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from einvoice import clock
from einvoice.documents.profiles import BIS_BILLING
from einvoice.domain import buyers, ids
from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.domain.environments import Environment
from einvoice.domain.errors import RequestRefused
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.network import limits, reasons
from einvoice.network.types import (
    AccessPoint,
    BatchesByKey,
    Blocked,
    Delivered,
    Envelope,
    Evidence,
    Found,
    NeverSeen,
    NotSent,
    Outcome,
    Pending,
    PollsMany,
    Prepared,
    Rejected,
    Repeat,
    SubmitsAsCompleted,
    Unknown,
)
from einvoice.observability import logging, tracing
from einvoice.services.connections.sealing import TooMuchToSeal
from einvoice.services.delivery import outcomes, settlement, turns
from einvoice.services.delivery.ledgers import TRANSMISSIONS, Ledger
from einvoice.services.delivery.preparation import MAX_PREPARATIONS, LostRace, Preparation
from einvoice.services.delivery.settlement import SettledWork
from einvoice.services.delivery.turns import Turn
from einvoice.services.invoices import embedded_pdf
from einvoice.services.participants import lookup
from einvoice.services.runtime import Runtime
from einvoice.store import db, outbox
from einvoice.store.transmissions import PreparedTransmission, Work

log = logging.get(__name__)

MAX_LEASE_EXTENSION = timedelta(minutes=5)
# Seconds for which the first of several answers waits for others, to share one commit.
GATHER_SECONDS = 0.02

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Attempted:
    """Work with its outcome and the fence under which it was submitted."""

    work: Work
    fence: int
    outcome: Outcome | Found
    attempt: int | None = None  # None: nothing was submitted
    started_at: datetime | None = None


def advance(
    outbox_ids: Sequence[int], token: str, runtime: Runtime, ledger: Ledger = TRANSMISSIONS
) -> None:
    """Do the next step of the transmissions (of the ledger) of the rows that the token leases."""
    points = runtime.access_points
    held = turns.without_pauses(ledger.held(outbox_ids, token, clock.now()), token, ledger)
    for (name, environment), works in _by_access_point(held).items():
        if name in points and points[name].environment == environment:
            offered = Turn(points[name], token, runtime, ledger)
            for turn, group in turns.of(offered, works):
                _advance_at(turn, group)
        else:
            gone = NotSent(f"{environment} has no access point {name!r}", code="no-access-point")
            ledger.write([_settled(w, w.fence, gone, None) for w in works], token)


def _by_access_point(works: Iterable[Work]) -> dict[tuple[str, str], list[Work]]:
    """Groups of one environment and access point each."""
    groups: dict[tuple[str, str], list[Work]] = defaultdict(list)
    for work in works:
        groups[work.access_point, work.environment].append(work)
    return groups


def _advance_at(turn: Turn, works: Sequence[Work]) -> None:
    due: dict[Callable[..., None], list[Work]] = defaultdict(list)
    for work in works:
        step = _step_for(work) if _reaches(turn.point, work) else _refuse_without_id
        due[step].append(work)
    for step, group in due.items():
        step(turn, group)


def _reaches(point: AccessPoint, work: Work) -> bool:
    return work.receiver is not None or point.capabilities.reaches_without_id


def _refuse_without_id(turn: Turn, works: Sequence[Work]) -> None:
    """Hold documents whose access point reached receivers without a participant id, and does no
    more: another release of its plugin may be installed."""
    words = f"{turn.point.name} reaches no receiver without a participant id"
    gone = NotSent(words, code="no-access-point")
    turn.write([_settled(w, w.fence, gone, turn.point) for w in works])


def _step_for(work: Work) -> Callable[..., None]:
    if work.status != NetworkStatus.PROCESSING:
        return _follow_up if work.pending else _complete
    return {
        Phase.QUEUED: _submit,
        Phase.SUBMITTING: _resolve,
        Phase.UNKNOWN: _resolve,
        Phase.PENDING: _poll,
    }.get(Phase(work.phase), _complete)


# -- submit ----------------------------------------------------------------------------------------


def _submit(turn: Turn, works: Sequence[Work]) -> None:
    for group in _by_batch_key(turn.offered, works):
        for some in _chunks(turn, group):
            _submit_chunk(turn, _refuse_unregistered(turn, some))


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
        return point.batch_key(envelope_of(work))
    except Exception:
        log.exception(
            "no batch key",
            transmission=work.id,
            access_point=work.access_point,
            **tracing.fields(work.trace),
        )
        return work.id  # submitted by itself


def _chunks(turn: Turn, works: Sequence[Work]) -> Iterator[Sequence[Work]]:
    """Chunks of as many as the access point accepts concurrently or in bulk.

    None are left once the account cannot be used: their rows wait.
    """
    can = turn.point.capabilities
    step = max(1, can.bulk, can.concurrency)
    for start in range(0, len(works), step):
        if turns.hold_back(turn, works[start:]):
            return
        yield works[start : start + step]


def _refuse_unregistered(turn: Turn, works: Sequence[Work]) -> list[Work]:
    """Refresh old lookups; settle work whose receiver is not registered any more (decisions 12).

    Returns the rest.
    """
    oldest = clock.now() - timedelta(seconds=turn.runtime.settings.lookup_fresh_for)
    fresh: list[Work] = []
    for work in works:
        gone = _registration_refusal(turn.point, work, oldest)
        if gone is None:
            fresh.append(work)
        else:
            turn.write([_settled(work, work.fence, gone, turn.point)])
    return fresh


def _registration_refusal(
    point: AccessPoint, work: Work, oldest: datetime
) -> Rejected | NotSent | None:
    checked = work.registration_checked_at
    if work.registration_id is None or checked is None or checked >= oldest:
        return None
    receiver = _receiver(work)
    if receiver is None:
        return None
    known = lookup.refresh(work.registration_id, receiver, point)
    if known is None:
        return NotSent("the directory does not answer", code="directory-unavailable")
    if known:
        return None
    words = f"{receiver} is not registered any more"
    return Rejected("receiver-not-registered", words, reason_code=reasons.RECEIVER_UNKNOWN.code)


def _submit_chunk(turn: Turn, works: Sequence[Work]) -> None:
    """Prepare, pass the fence in one transaction, submit, and settle answers as they arrive."""
    point = turn.point
    for batch in _hand_over(turn, _prepare_and_fence(turn, works)):
        settled = [_settled(d.work, d.fence, d.outcome, point, d) for d in batch]
        turn.write(settled)


def _prepare_and_fence(turn: Turn, works: Sequence[Work]) -> list[_Fenced]:
    """Prepare documents, and pass the fence together with the state that they leave.

    If another worker has changed that state, nothing is stored, and they are prepared again.
    """
    for _ in range(MAX_PREPARATIONS):
        if not works:
            return []
        preparation = Preparation.of(turn)
        ready = [_prepare(turn, preparation, work) for work in works]
        prepared = [item for item in ready if isinstance(item, PreparedTransmission)]
        try:
            passed = _pass_fence(turn, prepared, preparation)
        except LostRace:
            works = _again(turn, works)
            continue
        except TooMuchToSeal as fault:
            log.error("state not stored", access_point=turn.point.name, fault=str(fault))
            too_much = NotSent("the state of the connection is too large", code="prepare-failed")
            turn.write([_settled(work, work.fence, too_much, turn.point) for work in works])
            return []
        turn.write([item for item in ready if isinstance(item, SettledWork)])
        return passed
    turns.postpone(turn, works, clock.now())
    return []


def _again(turn: Turn, works: Sequence[Work]) -> Sequence[Work]:
    """The works to prepare again with the connection as it is now: those that are still held."""
    held = _extend_leases(turn, works)
    if turn.account is not None:
        turn.account.read()
    return [] if turns.hold_back(turn, held) else held


def _prepare(
    turn: Turn, preparation: Preparation, work: Work
) -> PreparedTransmission | SettledWork:
    """The bytes to send: those of the first attempt, or prepared now."""
    with tracing.bound(work.trace):
        return _make_ready(turn, preparation, work)


def _make_ready(
    turn: Turn, preparation: Preparation, work: Work
) -> PreparedTransmission | SettledWork:
    point = turn.point
    if work.message_id is not None:
        return PreparedTransmission(work, work.message_id, work.prepared, work.prepared_state or {})
    try:
        work = embedded_pdf.embedded(work, turn.runtime.computing)
    except Exception as fault:
        log.exception("PDF not embedded", transmission=work.id)
        reason = f"the PDF could not be embedded: {type(fault).__name__}"
        return _settled(work, work.fence, NotSent(reason, code="render-failed"), point)
    try:
        refusal: Rejected | NotSent | None = limits.too_large(point, work.carried)
    except RequestRefused as fault:  # of an old invoice that is sent again, from the archive
        refusal = NotSent(fault.detail, code=fault.slug)
    if refusal is not None:
        return _settled(work, work.fence, refusal, point)
    try:
        made = preparation.prepare(envelope_of(work))
    except Exception as fault:
        log.exception("prepare failed", transmission=work.id, access_point=point.name)
        reason = f"the access point could not prepare the document: {type(fault).__name__}"
        return _settled(work, work.fence, NotSent(reason, code="prepare-failed"), point)
    if not isinstance(made, Prepared):
        return _settled(work, work.fence, made, point)
    return PreparedTransmission(work, made.message_id, made.content, made.state)


@dataclass(frozen=True, slots=True)
class _Fenced:
    ready: PreparedTransmission
    attempt: int
    fence: int

    @property
    def parcel(self) -> tuple[Envelope, Prepared]:
        made = Prepared(self.ready.message_id, self.ready.content, self.ready.state)
        return envelope_of(self.ready.work, self.attempt), made


def _pass_fence(
    turn: Turn, ready: Sequence[PreparedTransmission], preparation: Preparation
) -> list[_Fenced]:
    """Those that have passed it. Raises LostRace if they leave a state, and not all have passed."""
    if not ready:
        return []
    now = clock.now()
    until = now + timedelta(seconds=turn.point.capabilities.timeout) + turn.margin
    with db.writing_by_key() as connection:
        preparation.store(connection)
        ids = [item.work.outbox_id for item in ready]
        held = outbox.extend(connection, ids, turn.token, until, now)
        mine = [item for item in ready if item.work.outbox_id in held]
        passed = turn.ledger.fence(connection, mine, now) if mine else {}
        if preparation.state is not None and len(passed) < len(ready):
            raise LostRace
    preparation.committed()
    return [_Fenced(item, *passed[item.work.id]) for item in ready if item.work.id in passed]


def _hand_over(turn: Turn, fenced: Sequence[_Fenced]) -> Iterator[list[Attempted]]:
    """Submit; yields batches of outcomes as they arrive."""
    if not fenced:
        return
    if turn.point.capabilities.bulk > 1:
        yield from _submit_bulk(turn.point, fenced)
    elif len(fenced) == 1:
        yield [_submit_one(turn.point, fenced[0])]
    else:
        yield from _submit_concurrently(turn, fenced)


def _submit_bulk(point: AccessPoint, fenced: Sequence[_Fenced]) -> Iterator[list[Attempted]]:
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
    answers = point.submit_many(parcels)
    if len(answers) != len(parcels):
        raise ValueError(f"{len(answers)} outcomes for {len(parcels)} documents")
    yield list(enumerate(answers))


def _submit_one(point: AccessPoint, item: _Fenced) -> Attempted:
    started = clock.now()
    with tracing.bound(item.ready.work.trace):
        try:
            answer: Outcome = point.submit(*item.parcel)
        except Exception as fault:  # noqa: BLE001 - whatever it is, bytes may be on the wire
            answer = _unknown_after(point, fault)
    return _attempted(item, answer, started)


def _submit_concurrently(turn: Turn, fenced: Sequence[_Fenced]) -> Iterator[list[Attempted]]:
    point, started = turn.point, clock.now()
    limit = clock.monotonic() + point.capabilities.timeout + 5
    pool = turn.threads
    open_: dict[Future[Attempted], _Fenced] = {
        pool.submit(_submit_one, point, i): i for i in fenced
    }
    while open_:
        ready, _ = wait(open_, max(0.0, limit - clock.monotonic()), FIRST_COMPLETED)
        if ready and len(ready) < len(open_):
            ready, _ = wait(open_, GATHER_SECONDS)
        if not ready:
            late = Unknown("no answer within the access point's timeout")
            yield [_attempted(item, late, started) for item in open_.values()]
            turn.runtime.threads.abandon(point)
            break
        yield [future.result() for future in ready]
        open_ = {future: item for future, item in open_.items() if future not in ready}


def _attempted(item: _Fenced, answer: Outcome, started: datetime) -> Attempted:
    return Attempted(item.ready.work, item.fence, answer, item.attempt, started)


def _unknown_after(point: AccessPoint, fault: Exception) -> Unknown:
    log.error("submit raised", access_point=point.name, exc_info=fault)
    return Unknown(f"the access point raised {type(fault).__name__}")


# -- poll, resolve, follow up ----------------------------------------------------------------------


def _poll(turn: Turn, works: Sequence[Work]) -> None:
    for answered in _answers(turn, works):
        turn.write([_polled(turn.point, work, answer) for work, answer in answered])


def _answers(turn: Turn, works: Sequence[Work]) -> Iterator[Sequence[tuple[Work, Outcome | Found]]]:
    """What the network knows of Pending documents, asked in bulk where the access point can."""
    point, bulk = turn.point, turn.point.capabilities.poll_bulk
    if bulk <= 1 or not isinstance(point, PollsMany):
        yield from _query_each(turn, works, _ask)
        return
    for start in range(0, len(works), bulk):
        some = _extend_leases(turn, works[start : start + bulk], calls=1)
        if some:
            yield list(zip(some, _ask_many(point, some), strict=True))


def _ask(point: AccessPoint, work: Work) -> tuple[Work, Outcome | Found]:
    return work, _query(point, work, lambda: point.poll(envelope_of(work), _pending_of(work)))


def _ask_many(point: PollsMany, works: Sequence[Work]) -> Sequence[Outcome | Found]:
    """One outcome for each, in order; Unknown for all after an exception."""
    try:
        answers = list(point.poll_many([(envelope_of(w), _pending_of(w)) for w in works]))
        if len(answers) != len(works):
            raise ValueError(f"{len(answers)} outcomes for {len(works)} documents")
    except Exception as fault:
        log.exception("access point raised", access_point=works[0].access_point)
        return [Unknown(f"the access point raised {type(fault).__name__}")] * len(works)
    return answers


def _query_each(
    turn: Turn,
    works: Sequence[Work],
    question: Callable[[AccessPoint, Work], T],
) -> Iterator[list[T]]:
    """Call `question` for each work, concurrently if allowed; yields results in batches."""
    point = turn.point
    for chunk in _chunks(turn, works):
        some = _extend_leases(turn, chunk)
        if point.capabilities.concurrency > 1 and len(some) > 1:
            yield list(turn.threads.map(partial(question, point), some))
        else:
            yield [question(point, work) for work in some]


def _extend_leases(turn: Turn, works: Sequence[Work], calls: int | None = None) -> list[Work]:
    """The works whose lease has not ended, extended by the duration of the calls.

    calls  how many are made one after the other; None: as the concurrency allows
    """
    point = turn.point
    if calls is None:
        calls = 1 if point.capabilities.concurrency > 1 else len(works)
    longest = timedelta(seconds=point.capabilities.timeout) * calls
    with db.writing() as connection:
        now = clock.now()
        until = now + min(longest, MAX_LEASE_EXTENSION) + turn.margin
        held = outbox.extend(connection, [work.outbox_id for work in works], turn.token, until, now)
    return [work for work in works if work.outbox_id in held]


def _polled(point: AccessPoint, work: Work, answer: Outcome | Found) -> SettledWork:
    if isinstance(answer, Blocked) and work.connection_id is not None:
        return _settled(work, work.fence, answer, point)
    delay = answer.retry_after if isinstance(answer, NotSent) else None
    if isinstance(answer, NotSent | Blocked | Unknown):
        answer = outcomes.poll_again(work, clock.now())
    found = _settled(work, work.fence, answer, point)
    return replace(found, verdict=replace(found.verdict, throttled=delay))


def _resolve(turn: Turn, works: Sequence[Work]) -> None:
    for settled in _query_each(turn, _as_submitted(turn, works), _resolve_one):
        turn.write(settled)


def _as_submitted(turn: Turn, works: Sequence[Work]) -> list[Work]:
    """The works with what was prepared for their submission.

    In a restored database it may be missing (services/delivery/recovery): then it is prepared
    again, with the same message id. Those that cannot be prepared are settled.
    """
    found: list[Work] = []
    for work in works:
        ready = _prepare(turn, Preparation.of(turn), work)
        if isinstance(ready, PreparedTransmission):
            state = dict(ready.state)
            made = replace(ready.work, message_id=ready.message_id, prepared_state=state)
            found.append(replace(made, prepared=ready.content))
            continue
        answer: Found = Unknown("the document cannot be prepared now")
        if ready.verdict.settlement.rejected:
            answer = NeverSeen()  # it never could be, so nothing was submitted
        turn.write([_settled(work, work.fence, answer, turn.point)])
    return found


def _resolve_one(point: AccessPoint, work: Work) -> SettledWork:
    """Find out the outcome of a submission without an answer."""
    answer: Outcome | Found = Unknown("the worker stopped before the answer arrived")
    if point.capabilities.has_status:
        made = Prepared(work.message_id or "", work.prepared, work.prepared_state or {})
        answer = _query(point, work, lambda: point.find(envelope_of(work), made))
    elif point.capabilities.repeat is Repeat.IDEMPOTENT:
        answer = Unknown("the worker stopped; the network recognises the repeat", ask_after=0.1)
    return _settled(work, work.fence, answer, point)


def _follow_up(turn: Turn, works: Sequence[Work]) -> None:
    for answers in _answers(turn, works):
        for work, answer in answers:
            if isinstance(answer, Blocked) and turn.account is not None:
                turn.account.block(answer.reason)
            turn.ledger.keep_evidence(work, *_late_evidence(work, answer), turn.token)


def _late_evidence(
    work: Work, answer: Outcome | Found
) -> tuple[tuple[Evidence, ...], Pending | None]:
    match answer:
        case Delivered():
            return answer.evidence, answer.follow_up
        case Pending():
            return answer.evidence, answer
        case Rejected():
            log.error(
                "rejected after delivery",
                transmission=work.id,
                reason=answer.reason,
                **tracing.fields(work.trace),
            )
            return answer.evidence, None
        case _:
            return (), outcomes.poll_again(work, clock.now())


def _complete(turn: Turn, works: Sequence[Work]) -> None:
    """Delete the outbox rows of transmissions that were settled elsewhere, as by an operator."""
    with db.writing() as connection:
        outbox.complete(connection, [work.outbox_id for work in works], turn.token)


def _query(
    point: AccessPoint, work: Work, question: Callable[[], Outcome | Found]
) -> Outcome | Found:
    with tracing.bound(work.trace):
        try:
            return question()
        except Exception as fault:
            log.error(
                "access point raised", access_point=point.name, transmission=work.id, exc_info=fault
            )
            return Unknown(f"the access point raised {type(fault).__name__}")


def _pending_of(work: Work) -> Pending:
    return outcomes.pending_from_json(work.pending or {})


# -- shapes ----------------------------------------------------------------------------------------


def _settled(
    work: Work,
    fence: int,
    outcome: Outcome | Found,
    point: AccessPoint | None,
    done: Attempted | None = None,
) -> SettledWork:
    can = point.capabilities if point else settlement.NO_CAPABILITIES
    now = clock.now()
    verdict = outcomes.settle(work, fence, outcome, can, now)
    attempt: Mapping[str, object] | None = None
    if done is not None and done.attempt is not None:
        attempt = {
            "id": work.id,
            "number": done.attempt,
            "started_at": done.started_at,
            "ended_at": now,
            "outcome": type(outcome).__name__,
            "detail": getattr(outcome, "reason", None),
        }
    return SettledWork(work, verdict, attempt, point.network if point else None)


def _receiver(work: Work) -> ParticipantId | None:
    return None if work.receiver is None else ParticipantId.parse(work.receiver)


def envelope_of(work: Work, attempt: int | None = None) -> Envelope:
    """The envelope of the document for the access point."""
    return Envelope(
        transmission_id=work.id,
        invoice_id=work.invoice_id,
        tenant_id=work.tenant_id,
        environment=Environment(work.environment),
        sender=ParticipantId.parse(work.sender),
        receiver=_receiver(work),
        sender_country=work.sender_country,
        receiver_country=work.receiver_country,
        document_type=DocumentTypeId(*work.document_type.split("::", 1)),
        process=ProcessId(*work.process.split("::", 1)),
        document=work.carried,
        number=work.number,
        instance_id=ids.instance_of(work.id),
        buyer=buyers.restored(
            work.buyer_name, work.buyer_country, work.buyer_tax_id, work.buyer_ids
        ),
        profile=BIS_BILLING.name if work.profile is None else work.profile,
        attempt=attempt or max(1, work.attempts),
        correlation_id=work.invoice_id,
        accepted_at=work.created_at,
        source=work.source,
    )
