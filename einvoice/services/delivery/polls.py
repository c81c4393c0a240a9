"""Ask networks about documents that were submitted: poll, resolve, and fetch later evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from einvoice import clock
from einvoice.network.types import (
    AccessPoint,
    Blocked,
    Delivered,
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
    Unknown,
)
from einvoice.observability import logging, tracing
from einvoice.services.delivery import answers, job_parts, outcomes, settlement
from einvoice.services.delivery.envelopes import envelope_of
from einvoice.services.delivery.job_parts import JobPart
from einvoice.services.delivery.preparation import Preparation, ready_to_send
from einvoice.services.delivery.settlement import SettledWork
from einvoice.store.sending.transmissions import PreparedTransmission, Work

log = logging.get(__name__)

T = TypeVar("T")

# Access points whose last call raised: the log has the first fault of each outage, in each process.
_silent: set[str] = set()


def poll(part: JobPart, works: Sequence[Work]) -> None:
    """Ask for the outcome of documents that are Pending."""
    for answered in _answers(part, works):
        part.write([_polled(part.point, work, answer) for work, answer in answered])


def _answers(part: JobPart, works: Sequence[Work]) -> Iterator[Sequence[tuple[Work, Outcome]]]:
    """Answers of the network about Pending documents, asked in bulk where the access point can."""
    point, bulk = part.point, part.point.capabilities.poll_bulk
    if bulk <= 1 or not isinstance(point, PollsMany):
        yield from _query_each(part, works, _ask)
        return
    for start in range(0, len(works), bulk):
        if job_parts.give_back(part, works[start:]):
            return
        some = job_parts.extend_leases(part, works[start : start + bulk], calls=1)
        if some:
            yield list(zip(some, _ask_many(point, some), strict=True))


def _ask(point: AccessPoint, work: Work) -> tuple[Work, Outcome]:
    answer = _query(point, work, lambda: point.poll(envelope_of(work), _pending_of(work)))
    return work, answers.outcome(point.name, answer)


def _ask_many(point: PollsMany, works: Sequence[Work]) -> Sequence[Outcome]:
    """One outcome for each, in order; Unknown for all after an exception."""
    try:
        polled = list(point.poll_many([(envelope_of(w), _pending_of(w)) for w in works]))
        if len(polled) != len(works):
            raise ValueError(f"{len(polled)} outcomes for {len(works)} documents")
    except Exception as fault:  # noqa: BLE001 - whatever it is, they are polled again
        _tell(works[0].access_point, fault, transmissions=len(works))
        return [Unknown(f"the access point raised {type(fault).__name__}")] * len(works)
    _silent.discard(works[0].access_point)
    return [answers.outcome(works[0].access_point, each) for each in polled]


def _tell(access_point: str, fault: Exception, **fields: object) -> None:
    """Log the fault of a call, unless the one before has failed too."""
    if access_point not in _silent:
        _silent.add(access_point)
        log.error("access point raised", access_point=access_point, exc_info=fault, **fields)


def _query_each(
    part: JobPart,
    works: Sequence[Work],
    question: Callable[[AccessPoint, Work], T],
) -> Iterator[list[T]]:
    """Call `question` for each work, concurrently if allowed; yields results in batches.

    It runs in threads without an application context: it asks the access point and no database.
    """
    point = part.point
    for chunk in job_parts.chunks(part, works):
        some = job_parts.extend_leases(part, chunk)
        if point.capabilities.concurrency > 1 and len(some) > 1:
            yield list(part.threads.map(partial(question, point), some))
        else:
            yield [question(point, work) for work in some]


def _polled(point: AccessPoint, work: Work, answer: Outcome) -> SettledWork:
    if isinstance(answer, Blocked) and work.connection_id is not None:
        return settlement.settled(work, answer, point)
    delay = answer.retry_after if isinstance(answer, NotSent) else None
    if isinstance(answer, NotSent | Blocked | Unknown):
        answer = outcomes.poll_again(work, clock.now())
    found = settlement.settled(work, answer, point)
    return replace(found, verdict=replace(found.verdict, throttled=delay))


def resolve(part: JobPart, works: Sequence[Work]) -> None:
    """Find out whether the network has documents whose submission got no answer."""
    for found in _query_each(part, _as_submitted(part, works), _find):
        part.write([settlement.settled(work, answer, part.point) for work, answer in found])


def _as_submitted(part: JobPart, works: Sequence[Work]) -> list[Work]:
    """The works with what was prepared for their submission.

    In a restored database it may be missing (services/delivery/recovery): then it is prepared
    again, with the same message id. Those that cannot be prepared are settled.
    """
    found: list[Work] = []
    for work in works:
        ready = ready_to_send(part, Preparation.of(part), work)
        if isinstance(ready, PreparedTransmission):
            state = dict(ready.state)
            made = replace(ready.work, message_id=ready.message_id, prepared_state=state)
            found.append(replace(made, prepared=ready.content))
            continue
        answer: Found = Unknown("the document cannot be prepared now")
        if ready.verdict.settlement.rejected:
            answer = NeverSeen()  # it never could be, so nothing was submitted
        part.write([settlement.settled(work, answer, part.point)])
    return found


def _find(point: AccessPoint, work: Work) -> tuple[Work, Outcome | Found]:
    """Find out the outcome of a submission without an answer."""
    answer: Outcome | Found = Unknown("the worker stopped before the answer arrived")
    if point.capabilities.has_status:
        made = Prepared(work.message_id or "", work.prepared, work.prepared_state or {})
        asked = _query(point, work, lambda: point.find(envelope_of(work), made))
        answer = answers.found(point.name, asked)
    elif point.capabilities.repeat is Repeat.IDEMPOTENT:
        answer = Unknown("the worker stopped; the network recognises the repeat", ask_after=0.1)
    return work, answer


def follow_up(part: JobPart, works: Sequence[Work]) -> None:
    """Ask for evidence that was announced with a final status, which does not change any more."""
    for answered in _answers(part, works):
        for work, answer in answered:
            if isinstance(answer, Blocked) and part.account is not None:
                part.account.block(answer.reason)
            settlement.keep_evidence(work, *_late_evidence(work, answer), part.token)


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


def _query(
    point: AccessPoint, work: Work, question: Callable[[], Outcome | Found]
) -> Outcome | Found:
    with tracing.bound(work.trace):
        try:
            answer = question()
        except Exception as fault:  # noqa: BLE001 - whatever it is, it is asked again
            _tell(point.name, fault, transmission=work.id)
            return Unknown(f"the access point raised {type(fault).__name__}")
    _silent.discard(point.name)
    return answer


def _pending_of(work: Work) -> Pending:
    return outcomes.pending_from_json(work.pending or {})
