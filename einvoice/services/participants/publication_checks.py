"""Asking networks each day whether they still name this service for verified participant ids.

The work is one outbox row of the lane chores, which the relay inserts while there is a network to
ask. Once a minute a worker asks about the ids that are due, a few at the same time. Each id has a
time of day, by its row id, so that questions are spread over the day. What the answers mean is in
`domain/publication`. Sending and receiving go on whatever they are.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.events import PARTICIPANT_MOVED, PARTICIPANT_PUBLISHED, PARTICIPANT_RESTORED
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.publication import CONFIRMED_AFTER, Answer, Publication, Published
from einvoice.network import calls
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import ConfirmsParticipants
from einvoice.observability import logging
from einvoice.services.participants import standings
from einvoice.services.participants.standings import Place, Standing
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.account import entries, participants
from einvoice.store.account.participants import DueQuestion
from einvoice.store.core import db
from einvoice.store.tables import Participant
from einvoice.store.webhooks import events

log = logging.get(__name__)

SUBJECT = "publications"
TENANT = "publications"  # of its outbox row: it takes turns with the tenants
EVERY, PAUSE = timedelta(days=1), timedelta(minutes=1)  # between questions of an id, and rounds
# Participant ids of a round: about 140,000 a day. Fewer at a time than `calls.MAX_CALLS`, which
# lookups of this process share.
MAX_ASKED, MAX_CONCURRENT, MAX_PLANNED = 100, 4, 1_000
MAX_SECONDS = 60.0  # in which a round begins questions
MAX_SILENT = 8  # questions of a round that a network may leave unanswered
MIN_RETRY, MAX_RETRY = timedelta(hours=1), timedelta(hours=12)
_DAY_SECONDS = 24 * 60 * 60


def schedule(runtime: Runtime) -> None:
    """Insert the row if a network says by whom participants are registered, and there is none."""
    if not _is_needed(runtime.access_points):
        return
    with db.writing() as connection:
        outbox.enqueue_chore(connection, outbox.PUBLICATION, SUBJECT, TENANT)


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Ask about the participant ids that are due, for a bounded time."""
    longest = MAX_SECONDS + _max_seconds(runtime.access_points) + runtime.settings.lease_margin
    for row_id, _ in outbox.subjects(outbox_ids, token):
        if not outbox.extend_from_now(row_id, token, longest):
            continue
        _round(runtime.access_points)
        with db.writing() as connection:
            if _is_needed(runtime.access_points):
                due = (row_id, outbox.CHORES, clock.now() + PAUSE)
                outbox.reschedule(connection, [due], token)
            else:
                outbox.complete(connection, [row_id], token)


def time_of(row_id: str, after: datetime) -> datetime:
    """The next moment that has the time of day of a participant id, at `after` or later.

    row_id  its row's; the same at each call, and spread evenly over the day
    """
    second = int(hashlib.sha256(row_id.encode()).hexdigest()[:12], 16) % _DAY_SECONDS
    past = (after - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    return after + timedelta(seconds=(second - past) % _DAY_SECONDS)


def _is_needed(points: AccessPoints) -> bool:
    return any(isinstance(point, ConfirmsParticipants) for point in points)


def _max_seconds(points: AccessPoints) -> float:
    """Seconds that the last question of a round may take: two calls of each network."""
    count = sum(isinstance(point, ConfirmsParticipants) for point in points)
    return 2 * count * (calls.LOOKUP_SECONDS + calls.WAIT_SECONDS)


def _round(points: AccessPoints) -> None:
    """Plan the first questions of new ids, and ask those that are due.

    A network that leaves questions unanswered is not asked again in this round.
    """
    now, last_begin = clock.now(), clock.monotonic() + MAX_SECONDS
    participants.plan_questions(
        {row_id: time_of(row_id, now) for row_id in participants.without_question(MAX_PLANNED)}
    )
    silent: Counter[str] = Counter()
    waiting = participants.due_questions(now, MAX_ASKED)
    later = {one.id: time_of(one.id, now + EVERY / 2) for one in waiting if not _asks(one, points)}
    due = [one for one in waiting if one.id not in later]
    with ThreadPoolExecutor(MAX_CONCURRENT) as pool:
        while due and clock.monotonic() <= last_begin:
            unheard = [one for one in due if _is_silent(one, points, silent)]
            later |= {one.id: _again(one, now) for one in unheard}
            asked = [one for one in due if one.id not in later][:MAX_CONCURRENT]
            due = [one for one in due if one not in asked and one.id not in later]
            for one, said in zip(
                asked, pool.map(lambda one: _ask(one, points), asked), strict=True
            ):
                silent.update(each.access_point for each in said if each.place is Place.UNKNOWN)
                _settle(one, _answer(said))
    participants.plan_questions(later)


def _of(question: DueQuestion) -> tuple[ParticipantId, Environment]:
    return ParticipantId.parse(question.participant), Environment(question.environment)


def _asks(question: DueQuestion, points: AccessPoints) -> bool:
    """Whether there is a network to ask, and the tenant is open."""
    return question.is_open and any(standings.confirming(*_of(question), points))


def _is_silent(question: DueQuestion, points: AccessPoints, silent: Counter[str]) -> bool:
    """Whether a network that it needs has left too many questions unanswered."""
    asked = standings.confirming(*_of(question), points)
    return any(silent[point.name] >= MAX_SILENT for point in asked)


def _ask(question: DueQuestion, points: AccessPoints) -> list[Standing]:
    """The answers of the networks. No transaction is open."""
    return list(standings.standings(*_of(question), points))


def _answer(said: Iterable[Standing]) -> Answer | None:
    """The common answer of the networks; None if one that could name this service gave none."""
    places = {each.place for each in said}
    if Place.HERE in places:
        return Answer.HERE
    if Place.UNKNOWN in places or not places:
        return None
    return Answer.ELSEWHERE if Place.ELSEWHERE in places else Answer.NOT_REGISTERED


def _again(question: DueQuestion, now: datetime) -> datetime:
    """When to repeat an unanswered question: after as long as it has been unanswered."""
    overdue = now - question.answered_at - EVERY
    return now + max(MIN_RETRY, min(overdue, MAX_RETRY))


def _settle(question: DueQuestion, answer: Answer | None) -> None:
    """Store what is known now, with the event of a change and the time of the next question.

    A row that was removed, or asked about by another worker meanwhile, is left alone.
    """
    now = clock.now()
    with db.writing_session() as database:
        row = participants.lock_by_id(database, question.id)
        if row is None or row.publication_due_at != question.due_at:
            return
        if answer is None:
            row.publication_due_at = _again(question, now)
            return
        before = participants.published(row)
        known = before.answered(answer, now)
        participants.set_published(row, known)
        doubted = known.doubted_at is not None
        next_at = now + CONFIRMED_AFTER if doubted else time_of(row.id, now + EVERY / 2)
        row.publication_due_at = next_at
        if before.status != known.status and before.status is not Publication.NONE:
            _emit(database.connection(), row, before, known)
        if _concerns_entry(before, known, answer):
            entries.ask_again(database.connection(), row.environment, row.participant)


def _concerns_entry(before: Published, known: Published, answer: Answer) -> bool:
    """Whether what we have published is looked at, once a day and after each change.

    An entry is completed if something is missing there, and removed after a move to another
    provider, which is no mistake to correct. One that was refused is tried again when nobody has
    the participant any more.
    """
    if known.status is Publication.REFUSED:
        return answer is Answer.NOT_REGISTERED
    return before.status != known.status or answer is not Answer.ELSEWHERE


def _emit(connection: Connection, row: Participant, before: Published, known: Published) -> None:
    moved = known.status is Publication.MOVED
    restored = before.status is Publication.MOVED
    payload: dict[str, object] = {
        "participantId": row.participant,
        "publication": known.status.value,
    }
    events.emit(
        connection,
        tenant_id=row.tenant_id,
        environment=row.environment,
        event_type=PARTICIPANT_MOVED
        if moved
        else PARTICIPANT_RESTORED
        if restored
        else PARTICIPANT_PUBLISHED,
        invoice_id=None,
        payload={**payload, "reason": known.reason} if moved else payload,
    )
    log.info("publication of a participant changed", participant=row.participant,
             publication=known.status.value, reason=known.reason)  # fmt: skip
