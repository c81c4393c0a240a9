"""Recoveries after a restore: the hold of all deliveries, and what may have been sent meanwhile.

A document that is not final has an outbox row, unless it needs an operator; so documents are found
by the rows of the outbox, which are few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, func, insert, or_, select, update
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.store import outbox
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Artefact, Outbox, Recovery, Tenant, Transmission

# How far the numbers of events are advanced: more than any database has between two backups.
SKIPPED_EVENTS = 1_000_000_000

# Rows that a relay may hand out.
_FREE = (Outbox.token.is_(None), Outbox.parked_by.is_(None), Outbox.waits_for.is_(None))


@dataclass(frozen=True, slots=True)
class RecoveryRecord:
    """A hold of deliveries, and the recovery that ends it.

    since  the moment to which the database was restored; None until the recovery has begun
    """

    id: str
    held_at: datetime
    since: datetime | None


_RECOVERY = RecordColumns(RecoveryRecord, Recovery)


def is_held() -> bool:
    """Whether deliveries are held."""
    with db.reading() as connection:
        return bool(connection.execute(select(outbox.IS_HELD)).scalar_one())


def held() -> RecoveryRecord | None:
    """The newest hold that is not finished."""
    query = _RECOVERY.select().where(Recovery.finished_at.is_(None))
    query = query.order_by(Recovery.held_at.desc(), Recovery.id.desc())
    with db.reading() as connection:
        return _RECOVERY.one_or_none(connection.execute(query.limit(1)))


def hold(connection: Connection, recovery_id: str, now: datetime) -> None:
    """Hold all deliveries, and end all leases: jobs that are queued or running change nothing."""
    connection.execute(insert(Recovery).values(id=recovery_id, held_at=now))
    end_leases(connection)


def end_leases(connection: Connection) -> None:
    """End the leases of all rows."""
    leased = update(Outbox).where(Outbox.token.is_not(None))
    connection.execute(leased.values(token=None, lease_until=None))


def begin(connection: Connection, recovery_id: str, since: datetime) -> bool:
    """Note the moment of the restore; False if a recovery since then has begun before."""
    other = or_(Recovery.since.is_(None), Recovery.since != since)
    begun = update(Recovery).where(Recovery.id == recovery_id, other)
    return bool(connection.execute(begun.values(since=since)).rowcount)


def finish(connection: Connection, report: Any, now: datetime) -> None:
    """End all holds."""
    held = update(Recovery).where(Recovery.finished_at.is_(None))
    connection.execute(held.values(finished_at=now, report=report))


def skip_event_numbers(connection: Connection) -> None:
    """Let the numbers of new events begin above all that were used after the moment.

    SQLite has no sequence to advance: there numbers are used again.
    """
    if connection.dialect.name == "postgresql":
        serial = "pg_get_serial_sequence('events', 'sequence')"
        ahead = sa.text(f"SELECT setval({serial}, nextval({serial}) + :skipped)")
        connection.execute(ahead, {"skipped": SKIPPED_EVENTS})


def make_due(connection: Connection, since: datetime, held_at: datetime, now: datetime) -> None:
    """Make everything due that was when deliveries were held, and mailboxes and connections.

    The time since the moment does not count against the time for which a document is tried.
    """
    tried = update(Outbox).where(
        Outbox.kind.in_(outbox.DELIVERIES), Outbox.due_at <= held_at, *_FREE
    )
    paused = func.coalesce(Outbox.paused_at, sa.literal(since, Outbox.paused_at.type))
    connection.execute(tried.values(due_at=now, paused_at=paused))
    fetched = update(Outbox).where(Outbox.kind.in_((outbox.MAILBOX, outbox.CONNECTION)), *_FREE)
    connection.execute(fetched.values(due_at=now))


# -- what may have been sent after the moment ------------------------------------------------------

_BEFORE_FENCE = (Phase.QUEUED.value, Phase.SUBMITTING.value)
UNCERTAIN = (*_BEFORE_FENCE, Phase.UNKNOWN.value)


@dataclass(frozen=True, slots=True)
class UncertainCount:
    """How many documents of an access point may have been sent.

    kind     outbox.TRANSMISSION or outbox.MESSAGE
    waiting  of these, those that wait for a connection or for another document
    """

    kind: str
    access_point: str
    environment: str
    count: int
    waiting: int


def _uncertain(held_at: datetime, phases: Sequence[str], *columns: Any) -> Any:
    """Transmissions of before the hold that are not known to be with the network."""
    return (
        select(*columns)
        .select_from(Outbox)
        .join(Transmission, Transmission.id == Outbox.subject_id)
        .where(
            Outbox.kind.in_(outbox.DELIVERIES),
            Transmission.status == NetworkStatus.PROCESSING.value,
            Transmission.phase.in_(phases),
            Transmission.created_at <= held_at,
        )
    )


def count_uncertain(held_at: datetime) -> list[UncertainCount]:
    """The documents and messages that may have been sent after the moment, by access point."""
    aside = or_(Outbox.parked_by.is_not(None), Outbox.waits_for.is_not(None))
    groups = (Outbox.kind, Transmission.access_point, Transmission.environment)
    waiting = func.sum(sa.case((aside, 1), else_=0))
    query = _uncertain(held_at, UNCERTAIN, *groups, func.count(), waiting)
    with db.reading() as connection:
        found = connection.execute(query.group_by(*groups).order_by(Outbox.kind.desc(), *groups))
        return [UncertainCount(*row) for row in found]


def mark(
    connection: Connection,
    scope: UncertainCount,
    held_at: datetime,
    reason: str,
    limit: int,
    now: datetime,
    *,
    attention: bool,
) -> Counter[str]:
    """Make up to `limit` of these documents `unknown`; how many of each tenant.

    attention  they need an operator: their rows are deleted. Otherwise they are due, for the
               network to be asked, unless they wait for a connection or another document

    Raising the fence discards what a worker of before may still write.
    """
    phases = UNCERTAIN if attention else _BEFORE_FENCE
    query = _uncertain(held_at, phases, Transmission.id).where(
        Outbox.kind == scope.kind,
        Transmission.access_point == scope.access_point,
        Transmission.environment == scope.environment,
    )
    some = query.order_by(Transmission.id).limit(limit)
    fence = Transmission.fence + 1
    changed = connection.execute(
        update(Transmission)
        .where(rows.in_subquery(Transmission.id, some))
        .values(phase=Phase.UNKNOWN.value, fence=fence, reason=reason, attention=attention)
        .returning(Transmission.id, Transmission.tenant_id)
    ).all()
    theirs = rows.in_values(Outbox.subject_id, [row.id for row in changed])
    if attention:
        connection.execute(delete(Outbox).where(theirs))
    else:
        connection.execute(update(Outbox).where(theirs, *_FREE).values(due_at=now))
    return Counter(row.tenant_id or "" for row in changed)


def _to_ask(held_at: datetime, due: datetime, column: Any) -> Any:
    query = _uncertain(held_at, (Phase.UNKNOWN.value, Phase.SUBMITTING.value), column)
    return query.where(Outbox.due_at <= due, *_FREE)


def count_to_ask(held_at: datetime, due: datetime) -> int:
    """How many documents the network can be asked about now."""
    with db.reading() as connection:
        found = connection.execute(_to_ask(held_at, due, func.count()))
        return int(found.scalar_one())


def claim_to_ask(
    held_at: datetime, due: datetime, token: str, until: datetime, limit: int
) -> list[int]:
    """Lease rows of documents about which the network is asked; their ids."""
    ids = _to_ask(held_at, due, Outbox.id).order_by(Outbox.id).limit(limit)
    claimed = update(Outbox).where(rows.in_subquery(Outbox.id, ids), Outbox.token.is_(None))
    with db.writing() as connection:
        leased = claimed.values(token=token, lease_until=until).returning(Outbox.id)
        return list(connection.execute(leased).scalars())


def open_tenants() -> list[str]:
    """The ids of all tenants that are not closed."""
    query = select(Tenant.id).where(Tenant.closed_at.is_(None)).order_by(Tenant.id)
    with db.reading() as connection:
        return list(connection.execute(query).scalars())


# -- what networks have ----------------------------------------------------------------------------


def known_references(access_point: str, references: Sequence[str]) -> set[str]:
    """Those that a transmission of the access point has: as its id, or as the reference of what it
    waits for or of its evidence. Reads all evidence: it is for an operator's report."""
    of_point = Transmission.access_point == access_point
    waited_for = Transmission.pending["reference"].as_string()
    queries = [
        select(column).where(of_point, rows.in_values(column, references))
        for column in (Transmission.id, waited_for)
    ]
    evidence = select(Artefact.authority_reference).join(
        Transmission, Transmission.id == Artefact.transmission_id
    )
    wanted = rows.in_values(Artefact.authority_reference, references)
    queries.append(evidence.where(of_point, wanted))
    with db.reading() as connection:
        return {found for query in queries for found in connection.execute(query).scalars()}
