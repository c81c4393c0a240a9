"""The verdict on an outcome: one pure table from (work, outcome) to what is written.

docs/states.md shows it. Nothing here uses the database or the network, so every case is a row of a
test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.domain import events
from einvoice.domain.delivery import DeliveredMeans, NetworkStatus, Phase
from einvoice.network import reasons
from einvoice.network.types import (
    Blocked,
    Capabilities,
    Delivered,
    Evidence,
    Found,
    NetworkFinding,
    NeverSeen,
    NotSent,
    Outcome,
    Pending,
    Rejected,
    Repeat,
    Unknown,
)
from einvoice.services.invoices.evidence import storable_text
from einvoice.store import outbox
from einvoice.store.sending.transmissions import Settlement, Work
from einvoice.validation import refusal

MAX_BACKOFF = timedelta(minutes=10)
ASK_AGAIN_AFTER = timedelta(seconds=15)
MAX_RETRY_AFTER = timedelta(days=30)
DELAYED_AFTER = timedelta(hours=1)  # a document that still waits for its network is delayed
MAX_FINDINGS, MAX_RULE_CHARACTERS = 100, 100


@dataclass(frozen=True, slots=True)
class Verdict:
    """The rows to write: the settlement, the evidence, the event, and the next outbox row.

    again        (lane, due) of the outbox row; None if no work is left
    blocked      why the connection cannot be used
    throttled    seconds for which the network takes nothing from the connection
    means        who has the document, if it is Delivered
    findings     errors or warnings that the network named, as they are stored
    retry_until  until when it is submitted again, where the outcome has made that later
    delayed      whether the network has not taken it for DELAYED_AFTER
    due_by       when a law wants it handed over, if the outcome says so
    """

    settlement: Settlement
    evidence: tuple[Evidence, ...] = ()
    event: str | None = None
    again: tuple[str, datetime] | None = None
    means: DeliveredMeans = DeliveredMeans.RECEIVER
    blocked: str | None = None
    throttled: float | None = None
    findings: tuple[Mapping[str, object], ...] = ()
    retry_until: datetime | None = None
    delayed: bool = False
    due_by: datetime | None = None


def settle(
    work: Work, fence: int, outcome: Outcome | Found, capabilities: Capabilities, now: datetime
) -> Verdict:
    """The verdict on the result of submit, poll or find."""
    later = _later_retry(work, outcome, now)
    if later is not None:
        work = replace(work, retry_until=later)
    verdict = _settle(work, fence, outcome, capabilities, now)
    if not isinstance(outcome, NotSent | Unknown) and _untaken(outcome) is None:
        return verdict
    waits = verdict.settlement.status is NetworkStatus.PROCESSING
    delayed = waits and now - work.created_at >= DELAYED_AFTER
    due_by = outcome.due_by if isinstance(outcome, NotSent | Unknown) else None
    return replace(verdict, retry_until=later, delayed=delayed, due_by=due_by)


def _untaken(outcome: Outcome | Found) -> str | None:
    """Why a document that its network has is not taken yet."""
    return outcome.untaken if isinstance(outcome, Pending) else None


def _later_retry(work: Work, outcome: Outcome | Found, now: datetime) -> datetime | None:
    """Until when an outcome lets the document wait, if that is later than before."""
    if not isinstance(outcome, NotSent | Unknown):
        return None
    wanted = max(outcome.retry_until or work.retry_until, _from_first_try(work, now))
    allowed = min(wanted, work.created_at + MAX_RETRY_AFTER)
    return allowed if allowed > work.retry_until else None


def _from_first_try(work: Work, now: datetime) -> datetime:
    """Until when it is tried. A document that has waited here for most of its time before anybody
    tried it, as while this service was down, has all of it from then on."""
    due, is_tried = work.due_at or work.created_at, work.attempts or work.reason is not None
    given = work.retry_until - due
    if is_tried or now - due <= given / 2:
        return work.retry_until
    return now + given


def _settle(
    work: Work, fence: int, outcome: Outcome | Found, capabilities: Capabilities, now: datetime
) -> Verdict:
    settlement = Settlement(work.id, fence, NetworkStatus.PROCESSING, Phase(work.phase))
    match outcome:
        case Delivered():
            return _delivered(settlement, outcome, capabilities, now)
        case Rejected():
            return _rejected(settlement, outcome, now)
        case Pending():
            return _pending(settlement, outcome, now)
        case NotSent():
            due = now + _delay(work, fence, outcome.retry_after, now)
            verdict = _not_sent(settlement, work, due, outcome, now)
            return replace(verdict, throttled=outcome.retry_after)
        case Blocked():
            return _blocked(settlement, work, fence, outcome, capabilities, now)
        case NeverSeen():
            queued = replace(settlement, phase=Phase.QUEUED, reason="the network never got it")
            return Verdict(queued, again=(outbox.CHORES, now))
        case Unknown():
            return _unknown(settlement, work, outcome, capabilities, now)


def _delivered(
    settlement: Settlement, outcome: Delivered, capabilities: Capabilities, now: datetime
) -> Verdict:
    settled = replace(
        settlement,
        status=NetworkStatus.DELIVERED,
        phase=Phase.DONE,
        settled_at=now,
        pending=pending_as_json(outcome.follow_up) if outcome.follow_up else None,
        delivered_means=outcome.means.value if outcome.means else None,
    )
    again = _next_poll(outcome.follow_up) if outcome.follow_up else None
    sent, means = events.TRANSACTION_SENT, outcome.means or capabilities.delivered_means
    named = _findings(outcome.warnings)
    return Verdict(settled, outcome.evidence, sent, again, means, findings=named)


def _rejected(settlement: Settlement, outcome: Rejected, now: datetime) -> Verdict:
    settled = replace(
        settlement,
        status=NetworkStatus.FAILED,
        phase=Phase.DONE,
        settled_at=now,
        rejected=True,
        reason=storable_text(outcome.reason),
        reason_code=outcome.reason_code or _default_reason_code(outcome),
        error_code=storable_text(outcome.code),
        upstream_status=outcome.upstream_status,
        retryable=outcome.retryable,
    )
    found = _findings(outcome.findings)
    return Verdict(settled, outcome.evidence, events.TRANSACTION_FAILED, findings=found)


def _findings(named: Sequence[NetworkFinding]) -> tuple[Mapping[str, object], ...]:
    return tuple(_finding(each) for each in named[:MAX_FINDINGS])


def _finding(finding: NetworkFinding) -> Mapping[str, object]:
    text, place = storable_text(finding.text), storable_text(finding.place)
    rule = storable_text(finding.rule)[:MAX_RULE_CHARACTERS]
    return refusal(rule, text, place=place, field=finding.field, advice=finding.advice)


def _pending(settlement: Settlement, outcome: Pending, now: datetime) -> Verdict:
    reason = storable_text(outcome.untaken) if outcome.untaken else None
    waiting = replace(
        settlement, phase=Phase.PENDING, pending=pending_as_json(outcome), reason=reason
    )
    if outcome.deadline is not None and outcome.deadline <= now:
        overdue = replace(waiting, attention=True, reason="no answer before the deadline")
        return Verdict(overdue, outcome.evidence)
    return Verdict(waiting, outcome.evidence, again=next_step(outcome, now))


def next_step(pending: Pending, now: datetime) -> tuple[str, datetime]:
    """Lane and time of the next poll; without a time it waits for a push."""
    return _next_poll(pending) or (outbox.PUSHED, now)


def _next_poll(pending: Pending) -> tuple[str, datetime] | None:
    due = pending.next_poll_at or pending.deadline
    return (outbox.CHORES, due) if due is not None else None


def _delay(work: Work, fence: int, wanted: float | None, now: datetime) -> timedelta:
    """The delay before the next attempt or question: `wanted` seconds if given.

    It grows with the attempts; where none was made, it is as long as it has waited so far.
    """
    if wanted is None and fence == work.fence:
        return max(timedelta(seconds=1), min(MAX_BACKOFF, now - work.created_at))
    return backoff(work.attempts + 1, wanted)


def _not_sent(
    settlement: Settlement, work: Work, due: datetime, outcome: NotSent, now: datetime
) -> Verdict:
    """Retry after the delay, but not after `retry_until`."""
    if now < work.retry_until:
        queued = replace(settlement, phase=Phase.QUEUED, reason=storable_text(outcome.reason))
        again = (outbox.CHORES, min(due, work.retry_until))
        return Verdict(queued, outcome.evidence, again=again)
    failed = replace(
        settlement,
        status=NetworkStatus.FAILED,
        phase=Phase.DONE,
        settled_at=now,
        reason=storable_text(outcome.reason),
        reason_code=reasons.NOT_HANDED_OVER.code,
        error_code=storable_text(outcome.code),
        retryable=True,
    )
    return Verdict(failed, outcome.evidence, events.TRANSACTION_FAILED)


def _blocked(
    settlement: Settlement,
    work: Work,
    fence: int,
    outcome: Blocked,
    capabilities: Capabilities,
    now: datetime,
) -> Verdict:
    """Nothing has changed: its row is due, and parked once it is found that it cannot be sent.

    Without a connection it is tried again, like after NotSent.
    """
    if work.connection_id is None:
        if settlement.phase is Phase.QUEUED:
            return settle(
                work, fence, NotSent(outcome.reason, code=outcome.code), capabilities, now
            )
        return _unknown(settlement, work, Unknown(outcome.reason), capabilities, now)
    phase = Phase.UNKNOWN if settlement.phase is Phase.SUBMITTING else settlement.phase
    reason = storable_text(outcome.reason)
    waiting = replace(settlement, phase=phase, reason=reason, pending=work.pending)
    return Verdict(waiting, again=(outbox.CHORES, now), blocked=reason)


def revoked(work: Work, now: datetime) -> Verdict:
    """The verdict on a document whose connection is revoked: Failed, if nothing was sent.

    Whether the network has the others is for an operator to find out.
    """
    settlement = Settlement(work.id, work.fence, NetworkStatus.PROCESSING, Phase(work.phase))
    reason = reasons.CONNECTION_REVOKED
    if settlement.phase is not Phase.QUEUED:
        return Verdict(
            replace(settlement, attention=True, reason=reason.words, pending=work.pending)
        )
    failed = replace(
        settlement,
        status=NetworkStatus.FAILED,
        phase=Phase.DONE,
        settled_at=now,
        reason=reason.words,
        reason_code=reason.code,
        error_code=reason.code,
        retryable=True,
    )
    return Verdict(failed, event=events.TRANSACTION_FAILED)


def _unknown(
    settlement: Settlement, work: Work, outcome: Unknown, capabilities: Capabilities, now: datetime
) -> Verdict:
    """Query the network if it has a status, repeat if that is safe, else require an operator.

    Both with the growing delay of NotSent, and not at once: the network may still be at work.
    """
    unknown = replace(settlement, phase=Phase.UNKNOWN, reason=storable_text(outcome.reason))
    kept = outcome.evidence
    if now < work.retry_until:
        wait = _delay(work, settlement.fence, outcome.ask_after or None, now)
        if not outcome.ask_after:
            wait = max(ASK_AGAIN_AFTER, wait)
        if capabilities.has_status:
            return Verdict(unknown, kept, again=(outbox.CHORES, now + wait))
        if capabilities.repeat is Repeat.IDEMPOTENT:
            queued = replace(settlement, phase=Phase.QUEUED, reason=storable_text(outcome.reason))
            return Verdict(queued, kept, again=(outbox.CHORES, now + wait))
    return Verdict(replace(unknown, attention=True), kept)


def _default_reason_code(outcome: Rejected) -> str:
    """The reason code of the catalogue, if the access point gave none."""
    usual = reasons.NETWORK_UNAVAILABLE if outcome.retryable else reasons.DOCUMENT_REFUSED
    return usual.code


def backoff(attempt: int, retry_after: float | None) -> timedelta:
    """1, 2, 4, 8 … seconds up to ten minutes, or the delay that the network asked for."""
    if retry_after is not None:
        return _bounded_delay(retry_after)
    return min(MAX_BACKOFF, timedelta(seconds=2.0 ** min(attempt - 1, 20)))


def _bounded_delay(seconds: float) -> timedelta:
    """The seconds that a network asked for, limited to a valid range."""
    return timedelta(seconds=min(max(0.0, seconds), MAX_RETRY_AFTER.total_seconds()))


@dataclass(frozen=True, slots=True)
class Unanswered(Pending):
    """A Pending that was polled without an answer, since then."""

    since: datetime | None = None


def poll_again(work: Work, now: datetime) -> Unanswered:
    """The Pending to store after a poll without an answer, otherwise unchanged.

    It is polled again after as long as the network has not answered, 15 s to ten minutes, and not
    after its deadline.
    """
    kept = work.pending or {}
    pending, since = pending_from_json(kept), _moment(kept.get("unansweredSince")) or now
    due = now + min(MAX_BACKOFF, max(ASK_AGAIN_AFTER, now - since))
    if pending.deadline is not None and pending.deadline > now:
        due = min(due, pending.deadline)
    reference, untaken = pending.reference, pending.untaken
    return Unanswered(reference, due, pending.deadline, pending.state, untaken=untaken, since=since)


def pending_as_json(pending: Pending) -> dict[str, object]:
    """A Pending in its stored form."""
    stored: dict[str, object] = {
        "reference": pending.reference,
        "state": dict(pending.state),
        "nextPollAt": _text(pending.next_poll_at),
        "deadline": _text(pending.deadline),
    }
    if pending.untaken is not None:
        stored["untaken"] = pending.untaken
    if isinstance(pending, Unanswered):
        stored["unansweredSince"] = _text(pending.since)
    return stored


def pending_from_json(kept: Mapping[str, object]) -> Pending:
    """A Pending from its stored form."""
    state, untaken = kept.get("state"), kept.get("untaken")
    return Pending(
        reference=str(kept.get("reference", "")),
        next_poll_at=_moment(kept.get("nextPollAt")),
        deadline=_moment(kept.get("deadline")),
        state=state if isinstance(state, dict) else {},
        untaken=untaken if isinstance(untaken, str) else None,
    )


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else clock.timestamp(moment)


def _moment(text: object) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None
