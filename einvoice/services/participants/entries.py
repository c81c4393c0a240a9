"""Publishing verified participant ids in the directories of networks (decisions 34.1).

A transaction that changes whose a participant id is inserts an outbox row (store/account/entries).
Its worker reads whose it is now and makes the directory agree: it publishes the entry of a verified
id of an open tenant, and withdraws every other one. The lease of the entry lets one worker at a
time write about a participant. Before the first call the row says which access point may have an
entry, so that one which was written by a killed worker is known; after the call the claim is read
again, and what has changed meanwhile is done next.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

from einvoice import clock
from einvoice.domain.codes import REGISTER_SCHEME, VAT_SCHEME
from einvoice.domain.entries import EntryState
from einvoice.domain.environments import Environment
from einvoice.domain.events import PARTICIPANT_PUBLISHED, PARTICIPANT_REFUSED
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.publication import REFUSED_REASON, Answer, Publication, Published
from einvoice.network.access_points import AccessPoints, serves
from einvoice.network.calls import PluginBusy, Shares
from einvoice.network.publishing import (
    MAX_SECONDS,
    BusinessCard,
    EntryRefused,
    Listed,
    NotYet,
    PublishesParticipants,
    PublishOutcome,
    Withdrawn,
    WithdrawOutcome,
)
from einvoice.network.types import AccessPoint, DirectoryUnavailable
from einvoice.observability import logging
from einvoice.services import plugin_calls
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.account import entries, participants
from einvoice.store.account.entries import LateEntry
from einvoice.store.core import db
from einvoice.store.outbox import Held
from einvoice.store.tables import Participant, ParticipantEntry, Tenant
from einvoice.store.webhooks import events

log = logging.get(__name__)

MAX_CALLS = 4  # of one network at the same time in a worker
MIN_PAUSE, MAX_PAUSE = timedelta(seconds=10), timedelta(hours=1)
BUSY_PAUSE = timedelta(seconds=5)  # while another worker writes about the participant
LATE_AFTER = timedelta(hours=1)  # without an answer, for operators
MAX_TEXT = 500
STEP = 500  # participant ids that one commit asks for
_AT_ONCE = timedelta(0)
_FAULTY = "The access point failed."
_UNANSWERED = "The network did not answer."

_jobs, _calls = Shares(), Shares()
T = TypeVar("T")
_COUNTRIES = {scheme: country for country, scheme in REGISTER_SCHEME.items()} | VAT_SCHEME

Outcome = PublishOutcome | WithdrawOutcome


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of one worker on an entry, under its lease.

    is_wanted  whether it is to be published, else withdrawn
    is_listed  whether the directory had it, in the form of today
    """

    entry_id: str
    lease: str
    participant: ParticipantId
    point: PublishesParticipants
    is_wanted: bool
    is_listed: bool
    card: BusinessCard | None


def publishing(
    participant: ParticipantId, environment: Environment, points: AccessPoints
) -> PublishesParticipants | None:
    """The access point that publishes the participant id; the first by name, if there are more."""
    found = (
        point
        for point in points
        if point.environment is environment
        and isinstance(point, PublishesParticipants)
        and serves(point, participant)
    )
    return min(found, key=lambda point: point.name, default=None)


# -- work ------------------------------------------------------------------------------------------


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Settle the entries of these rows, each in a thread that settles its row."""
    plugin_calls.start(
        _jobs,
        outbox.held(outbox_ids, token, clock.now()),
        token,
        most=MAX_CALLS,
        call=partial(work, token, runtime),
        context=runtime.context,
    )


def work(token: str, runtime: Runtime, row: Held) -> None:
    """Settle the entry of a row that the token leases, and the row."""
    if not outbox.extend_from_now(row.id, token, lease_of(runtime).total_seconds()):
        return
    pause = settle(row.subject_id, runtime)
    with db.writing() as connection:
        if pause is None:
            outbox.complete(connection, [row.id], token)
        else:
            due = (row.id, outbox.PLUGINS, clock.now() + pause)
            outbox.reschedule(connection, [due], token)


def settle(entry_id: str, runtime: Runtime) -> timedelta | None:
    """Make the directory agree with the claim; when to do it again, None: it agrees."""
    plan = begin(entry_id, runtime)
    if not isinstance(plan, Plan):
        return plan
    return finish(plan, _called(plan))


def begin(entry_id: str, runtime: Runtime, *, moves_in: bool = False) -> Plan | timedelta | None:
    """The work to do, under a new lease; else when to look again, None: nothing is left to do.

    moves_in  another provider may have the participant: it is taken over
    """
    now = clock.now()
    with db.writing_session() as database:
        entry = entries.lock(database, entry_id)
        if entry is None:
            return None
        if entry.lease_until is not None and entry.lease_until > now:
            return BUSY_PAUSE
        point, found = _of(database, entry, runtime)
        wanted = found is not None and (moves_in or participants.published(found[0]).is_with_us)
        if point is None or (entry.access_point is None and not wanted):
            if entry.access_point is None:
                database.delete(entry)
            return None
        form = point.entry_form()
        is_listed = entry.state == EntryState.LISTED and entry.form == form and not moves_in
        if found is not None and found[0].publication == Publication.MOVED:
            is_listed = False  # what it has is written again: the network does not find it
        if found is not None and wanted and not is_listed:
            claim, _ = found
            known = participants.published(claim)
            begun = known.moving_in(now) if moves_in else known.begun(now)
            participants.set_published(claim, begun)
        if not is_listed:
            entry.state = EntryState.WRITING.value
        entry.access_point = point.name
        entry.lease_token = lease = str(uuid.uuid4())
        entry.lease_until = now + clock.lasting(lease_of(runtime))
        card = _card(*found) if found is not None and wanted else None
        participant = ParticipantId.parse(entry.participant)
        return Plan(entry.id, lease, participant, point, wanted, is_listed, card)


def lease_of(runtime: Runtime) -> timedelta:
    """For how long a worker may write about a participant: two calls."""
    return timedelta(seconds=2 * MAX_SECONDS + runtime.settings.lease_margin)


def _of(
    database: Session, entry: ParticipantEntry, runtime: Runtime
) -> tuple[PublishesParticipants | None, tuple[Participant, Tenant] | None]:
    """The access point of the entry, or of a new one, and the verified claim with its tenant."""
    participant = ParticipantId.parse(entry.participant)
    environment = Environment(entry.environment)
    point = publishing(participant, environment, runtime.access_points)
    if entry.access_point is not None and (point is None or point.name != entry.access_point):
        named = entry.access_point
        other = runtime.access_points.get(named)
        point = other if isinstance(other, PublishesParticipants) else None
        if point is None:
            log.warning("entry of an access point that does not publish", access_point=named,
                        participant=entry.participant)  # fmt: skip
    return point, entries.owner(database, entry.environment, entry.participant)


def _card(claim: Participant, tenant: Tenant) -> BusinessCard | None:
    """The card that people find: name and country; none for a scheme of no country."""
    scheme, _, _ = claim.participant.partition(":")
    country = _COUNTRIES.get(scheme)
    return None if country is None else BusinessCard(tenant.name, country.replace("EL", "GR"))


def _called(plan: Plan) -> Outcome | NotYet:
    """The answer of the network."""
    point, types = plan.point, plan.point.receivable
    if not plan.is_wanted:
        return call(point, lambda: point.withdraw(plan.participant))
    if plan.is_listed:
        seen = call(point, lambda: point.status(plan.participant, types))
        if isinstance(seen, NotYet):
            return seen
        if seen.is_complete:
            return Listed()
    return call(point, lambda: point.publish(plan.participant, types, plan.card))


def call(point: PublishesParticipants, function: Callable[[], T]) -> T | NotYet:
    """The function's result, or why there is none. No transaction is open."""
    try:
        return _calls.call(point.name, function, MAX_SECONDS)
    except PluginBusy:
        return NotYet(_UNANSWERED)
    except DirectoryUnavailable as fault:
        return NotYet(str(fault) or _UNANSWERED)
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - of a plugin; it may hold a secret
        log.warning("call of a directory failed", access_point=point.name,
                    fault=type(fault).__name__)  # fmt: skip
        return NotYet(_FAULTY)


def finish(plan: Plan, outcome: Outcome) -> timedelta | None:
    """Store the outcome; when to do it again, None: directory and claim agree."""
    now = clock.now()
    with db.writing_session() as database:
        entry = entries.lock(database, plan.entry_id)
        if entry is None or entry.lease_token != plan.lease:
            return _AT_ONCE
        entry.lease_token = entry.lease_until = None
        found = entries.owner(database, entry.environment, entry.participant)
        claim = None if found is None else found[0]
        wanted = claim is not None and participants.published(claim).is_with_us
        if isinstance(outcome, NotYet):
            return _failed(entry, outcome, now)
        entry.failures, entry.fault, entry.failing_since = 0, None, None
        entry.changed_at = now
        _store(database, plan, entry, claim if wanted else None, outcome, now)
        return None if wanted == plan.is_wanted else _AT_ONCE


def _failed(entry: ParticipantEntry, outcome: NotYet, now: datetime) -> timedelta:
    """Note that there was no answer; when to call again."""
    entry.failures += 1
    entry.fault = outcome.reason[:MAX_TEXT]
    entry.failing_since = entry.failing_since or now
    pause = min(MAX_PAUSE, MIN_PAUSE * (1 << min(entry.failures - 1, 20)))
    log.warning("entry of a participant is not settled", participant=entry.participant,
                fault=entry.fault, failures=entry.failures)  # fmt: skip
    wanted = timedelta(seconds=min(outcome.retry_after or 0.0, MAX_PAUSE.total_seconds()))
    return max(pause, wanted)


def _store(
    database: Session,
    plan: Plan,
    entry: ParticipantEntry,
    claim: Participant | None,
    outcome: Outcome,
    now: datetime,
) -> None:
    """Store what the network has answered, with the event of a change."""
    match outcome:
        case Listed():
            entry.state, entry.form = EntryState.LISTED.value, plan.point.entry_form()
            if claim is not None and plan.is_wanted:
                _publish(database.connection(), claim, participants.published(claim).listed(now))
        case EntryRefused(reason, elsewhere):
            entry.state, entry.form = EntryState.REFUSED.value, None
            entry.fault = reason[:MAX_TEXT]
            if claim is not None and plan.is_wanted:
                code = Answer.ELSEWHERE.value if elsewhere else REFUSED_REASON
                known = participants.published(claim).refused(code, reason[:MAX_TEXT], now)
                _publish(database.connection(), claim, known)
        case Withdrawn():
            if claim is None:
                database.delete(entry)
            else:
                entry.state, entry.form = EntryState.NEW.value, None
        case _:
            raise TypeError(f"{outcome!r} is no outcome of a directory")


def _publish(connection: Connection, claim: Participant, known: Published) -> None:
    """Store the publication of a claim; a new status is an event."""
    before = claim.publication
    participants.set_published(claim, known)
    if known.status.value == before:
        return
    refused = known.status is Publication.REFUSED
    payload: dict[str, object] = {
        "participantId": claim.participant,
        "publication": known.status.value,
    }
    if refused:
        payload |= {"reason": known.reason, "text": known.text}
    events.emit(
        connection,
        tenant_id=claim.tenant_id,
        environment=claim.environment,
        event_type=PARTICIPANT_REFUSED if refused else PARTICIPANT_PUBLISHED,
        invoice_id=None,
        payload=payload,
    )
    log.info("publication of a participant settled", participant=claim.participant,
             publication=known.status.value, reason=known.reason)  # fmt: skip


# -- for operators ---------------------------------------------------------------------------------


def count_refused() -> int:
    """How many participant ids their network refuses to list."""
    return entries.count_refused()


def count_late() -> int:
    """How many participant ids their network has not answered about for an hour."""
    return entries.count_late(clock.now() - LATE_AFTER)


def refused(limit: int) -> list[LateEntry]:
    """Those that are refused, the longest ago first."""
    return entries.refused(limit)


def late(limit: int) -> list[LateEntry]:
    """Those without an answer for an hour."""
    return entries.late(clock.now() - LATE_AFTER, limit)


def unpublished(points: Iterable[AccessPoint]) -> dict[str, int]:
    """How many verified ids have no entry, or an outdated one, by access points that publish."""
    return {
        point.name: entries.count_outdated(point.environment.value, point.name, point.entry_form())
        for point in points
        if isinstance(point, PublishesParticipants)
    }


def republish(environment: Environment, points: Iterable[AccessPoint]) -> Iterator[int]:
    """Ask for the entries of all verified ids that are missing or outdated, in steps.

    Yields after each step, which is one commit, how many were asked for. What a step has asked for,
    and what is current, no further call asks for: stop and call it again at any time.
    """
    for point in points:
        if point.environment is not environment or not isinstance(point, PublishesParticipants):
            continue
        after = ""
        while page := entries.outdated(
            environment.value, point.name, point.entry_form(), after, STEP
        ):
            after = page[-1][0]
            served = [one for one in page if serves(point, ParticipantId.parse(one[2]))]
            with db.writing() as connection:
                for _, tenant_id, participant in served:
                    entries.ask(connection, tenant_id, environment.value, participant)
            yield len(served)
