"""Look up in the background whether the network reaches an entry's participant.

The work is an outbox row, owed in the transaction that sets the participant. A worker that is
killed leaves its row to the next; one that comes late, or twice, writes the same answer, and never
one about a participant that the entry has no more. A directory that is silent is asked again, later
and later, for a day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import current_app
from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.directory import DirectoryKind, Reachability
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable
from einvoice.domain.identifiers import BIS_INVOICE, ParticipantId
from einvoice.network.registry import AccessPoints
from einvoice.network.types import AccessPoint, Registration
from einvoice.services.participants import lookup
from einvoice.store import db, outbox, tenants
from einvoice.store.directory import checks
from einvoice.store.directory.checks import Check

# An import of thousands must not keep polls and retries, which share the lane, waiting.
A_SECOND = 20
AT_ONCE = 8
SOONEST, ASK_FOR = timedelta(seconds=30), timedelta(days=1)


def owe(connection: Connection, tenant_id: str, entry_ids: Iterable[str], now: datetime) -> None:
    """Plan a lookup of each entry, so many a second, inside the caller's transaction."""
    spread = ((entry, now + timedelta(seconds=n // A_SECOND)) for n, entry in enumerate(entry_ids))
    outbox.add_many(connection, spread, kind=outbox.LOOKUP, lane=outbox.CHORES, tenant_id=tenant_id)


def environment_of(
    tenant_id: str, participant: ParticipantId | None, points: AccessPoints
) -> Environment:
    """Where a participant of a directory is looked up: entries have no environment of their own.

    Live for a tenant that owns a live participant, for it does business there; the sandbox for
    everybody else, and for participants that exist nowhere else.
    """
    live = any(owned.environment == Environment.LIVE for owned in tenants.owned(tenant_id))
    if live and not (participant and points.reserved(participant)):
        return Environment.LIVE
    return Environment.TEST


@dataclass(frozen=True, slots=True)
class _Question:
    check: Check
    participant: ParticipantId
    environment: Environment
    point: AccessPoint | None


@dataclass(frozen=True, slots=True)
class _Answer:
    question: _Question
    status: Reachability
    registration: Registration | None = None
    silent: bool = False  # the directory did not answer


def check(outbox_ids: Sequence[int], token: str, points: AccessPoints) -> None:
    """Look up what is due for the rows that the token holds; other kinds of work are left alone."""
    now = clock.now()
    held = checks.held(outbox_ids, token, now)
    _drop(outbox_ids, held, token, now)
    asked = [_question(c, c.peppol_id, points) for c in held if c.peppol_id]
    for start in range(0, len(asked), AT_ONCE):
        some = _still_held(asked[start : start + AT_ONCE], token)
        if some:
            with ThreadPoolExecutor(len(some)) as pool:
                _write(list(pool.map(_asked, some)), token)


def _question(found: Check, peppol_id: str, points: AccessPoints) -> _Question:
    participant = ParticipantId.parse(peppol_id)
    environment = environment_of(found.tenant_id, participant, points)
    return _Question(found, participant, environment, points.serving(participant, environment))


def _asked(question: _Question) -> _Answer:
    """No transaction is open while the directory thinks."""
    if question.point is None:
        return _Answer(question, Reachability.UNKNOWN)
    try:
        found = lookup.ask(question.point, question.participant)
    except AccessPointUnavailable:
        return _Answer(question, Reachability.UNKNOWN, silent=True)
    return _Answer(question, _status(question.check.kind, found), found)


def _status(kind: DirectoryKind, found: Registration | None) -> Reachability:
    """A customer is reached by an invoice; of a supplier it is enough that the network knows it."""
    if found is None or (
        kind is DirectoryKind.CUSTOMER and BIS_INVOICE not in found.document_types
    ):
        return Reachability.NOT_REACHABLE
    return Reachability.REACHABLE


def _still_held(asked: Sequence[_Question], token: str) -> list[_Question]:
    """Those whose lease has not ended, prolonged for as long as the directories may take."""
    points = [question.point for question in asked if question.point]
    longest = max((point.capabilities.timeout for point in points), default=0.0)
    margin = current_app.extensions["settings"].lease_margin
    with db.writing() as connection:
        now = clock.now()
        until = now + timedelta(seconds=longest + margin)
        ids = [question.check.outbox_id for question in asked]
        held = outbox.extend(connection, ids, token, until, now)
    return [question for question in asked if question.check.outbox_id in held]


def _write(answers: Sequence[_Answer], token: str) -> None:
    """Keep the references to send by, then the statuses, with the end of the work."""
    for answer in answers:
        question = answer.question
        if question.point is not None and not answer.silent:
            lookup.keep(
                question.participant, question.point, answer.registration,
                question.check.tenant_id, question.environment,
            )  # fmt: skip
    now = clock.now()
    by_kind: dict[DirectoryKind, list[tuple[str, str, str]]] = defaultdict(list)
    for answer in answers:
        found, participant = answer.question.check, answer.question.participant
        by_kind[found.kind].append((found.entry_id, participant.canonical, answer.status.value))
    next_try = {answer.question.check.outbox_id: _next(answer, now) for answer in answers}
    again = [(row, outbox.CHORES, at) for row, at in next_try.items() if at is not None]
    with db.writing() as connection:
        for kind, statuses in by_kind.items():
            checks.write(connection, kind, statuses, now)
        outbox.later(connection, again, token)
        outbox.done(connection, [row for row, at in next_try.items() if at is None], token)


def _next(answer: _Answer, now: datetime) -> datetime | None:
    """When to ask a silent directory again: after as long as it has been silent."""
    asked_at = answer.question.check.asked_at
    if not answer.silent or asked_at is None or now - asked_at > ASK_FOR:
        return None
    return now + max(SOONEST, now - asked_at)


def _drop(outbox_ids: Sequence[int], held: Sequence[Check], token: str, now: datetime) -> None:
    """Entries that are gone, or have no participant any more, owe no lookup."""
    due = {found.outbox_id for found in held if found.peppol_id}
    with db.writing() as connection:
        checks.drop(connection, [row for row in outbox_ids if row not in due], token, now)
