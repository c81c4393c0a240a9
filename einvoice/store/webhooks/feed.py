"""Events as a feed: in the order of their sequence, from any position on.

A sequence number is assigned before the commit, so on PostgreSQL an event may become visible after
one with a higher number, and a reader of the newest events would miss it. So the feed ends a few
seconds ago there. SQLite serialises writing transactions and has no such delay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import islice, takewhile
from operator import attrgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, func, literal_column, select
from sqlalchemy.engine import Connection
from sqlalchemy.orm import aliased

from einvoice import clock
from einvoice.domain.events import TRANSACTION_SENT
from einvoice.domain.trace import Trace
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Event, TenantImport
from einvoice.store.webhooks import events

# Longer than any transaction takes from inserting an event to its commit.
COMMIT_MARGIN = timedelta(seconds=5)
# The type that the index of types leaves out: the event of every send.
UNINDEXED_TYPE = TRANSACTION_SENT
# By how much the order of sequences and that of times may differ.
_DISAGREEMENT = timedelta(minutes=1)
_BEGINNING = datetime.min.replace(tzinfo=UTC)


# Written out, because a partial index is used only where its condition is in the statement.
_OF_INDEXED_TYPE = Event.type != literal_column(f"'{UNINDEXED_TYPE}'")


@dataclass(frozen=True, slots=True)
class EventEntry:
    """One event with its position in the feed."""

    sequence: int
    id: str
    type: str
    environment: str
    invoice_id: str | None
    payload: Mapping[str, Any]
    created_at: datetime


_ENTRY = RecordColumns(EventEntry, Event)


@dataclass(frozen=True, slots=True)
class FeedSelection:
    """Which events of a tenant are read; None means any."""

    tenant_id: str
    environments: Sequence[str]
    event_type: str | None = None
    invoice_id: str | None = None

    @property
    def is_indexed(self) -> bool:
        """Whether an index has exactly these. `event_type` is applied only then."""
        return self.invoice_id is not None or self.event_type != UNINDEXED_TYPE


def behind(wanted: FeedSelection, after: int, limit: int, now: datetime) -> list[EventEntry]:
    """At most `limit` events after a position, oldest first; one index scan per environment."""
    with db.reading() as connection:
        found = [
            _ENTRY.all(connection.execute(_query(wanted, each, after, limit)))
            for each in wanted.environments
        ]
        held_back = now - COMMIT_MARGIN if connection.dialect.name == "postgresql" else None
    entries = islice(merge(*found, key=attrgetter("sequence")), limit)
    return list(takewhile(lambda e: held_back is None or e.created_at <= held_back, entries))


def _query(
    wanted: FeedSelection, environment: str, after: int, limit: int
) -> sa.Select[tuple[Any, ...]]:
    event: Any = Event
    if wanted.invoice_id is not None:
        event = aliased(Event, events.of_invoice(wanted.invoice_id))
    query = (
        RecordColumns(EventEntry, event)
        .select()
        .where(
            event.tenant_id == wanted.tenant_id,
            event.environment == environment,
            event.sequence > after,
        )
        .order_by(event.sequence)
        .limit(limit)
    )
    if wanted.event_type is None or not wanted.is_indexed:
        return query
    return query.where(
        event.type == wanted.event_type, *[] if wanted.invoice_id else [_OF_INDEXED_TYPE]
    )


def newest(tenant_id: str, environment: str, before: int | None, limit: int) -> list[EventEntry]:
    """At most `limit` events before a position, newest first; from the newest one by default."""
    query = _ENTRY.select().where(Event.tenant_id == tenant_id, Event.environment == environment)
    if before is not None:
        query = query.where(Event.sequence < before)
    with db.reading() as connection:
        return _ENTRY.all(connection.execute(query.order_by(Event.sequence.desc()).limit(limit)))


def find(tenant_id: str, environments: Iterable[str], event_id: str) -> EventEntry | None:
    """The tenant's event with this id, of one of these environments."""
    query = _ENTRY.select().where(
        Event.id == event_id,
        Event.tenant_id == tenant_id,
        Event.environment.in_(sorted(environments)),
    )
    with db.reading() as connection:
        return _ENTRY.one_or_none(connection.execute(query))


def traces_of(event_ids: Collection[str]) -> dict[str, Trace]:
    """The traces of the requests that caused these events, by event, for those that have one. The
    caller has checked whose they are."""
    if not event_ids:
        return {}
    query = select(Event.id, events.CAUSING_TRACE.label("trace")).where(
        rows.in_values(Event.id, sorted(event_ids))
    )
    with db.reading_by_key() as connection:
        return {row.id: row.trace for row in connection.execute(query) if row.trace}


def place_before(moment: datetime) -> int:
    """A position shortly before the moment, by binary search: no index has the times.

    Imported events are older than those before them. They count as of the end of their import, so
    that the search does not pass events of others because of them.
    """
    if moment < _BEGINNING + _DISAGREEMENT:  # programs write the year 1 for no time
        return 0
    moment -= _DISAGREEMENT
    with db.reading() as connection:
        low, high = connection.execute(
            select(func.min(Event.sequence), func.max(Event.sequence))
        ).one()
        if low is None:
            return 0
        imported = _imported(connection, clock.now())
        while low < high:
            middle = (low + high) // 2
            if max(_time_from(connection, middle), _end_of(imported, middle)) < moment:
                low = middle + 1
            else:
                high = middle
    return int(low) - 1


_Imported = Sequence[tuple[int, int, datetime]]  # first and last sequence, end of the import


def _imported(connection: Connection, now: datetime) -> _Imported:
    """The imports that have stored events; one that is going on ends now."""
    table = TenantImport
    query = select(table.events_from, table.events_to, table.finished_at)
    found = connection.execute(query.where(table.events_from.is_not(None)))
    return [(int(first or 0), int(last or 0), end or now) for first, last, end in found]


def _end_of(imported: _Imported, sequence: int) -> datetime:
    """The end of the import in whose range the sequence is."""
    return max((end for a, b, end in imported if a <= sequence <= b), default=_BEGINNING)


def _time_from(connection: Connection, sequence: int) -> datetime:
    """The time of the first event from this position on."""
    query = (
        select(Event.created_at).where(Event.sequence >= sequence).order_by(Event.sequence).limit(1)
    )
    return connection.execute(query).scalar_one()


def forget_before(connection: Connection, moment: datetime, limit: int) -> int:
    """Delete, of the `limit` oldest events, the ones before the moment."""
    oldest = select(Event.sequence).order_by(Event.sequence).limit(limit).subquery()
    old = (
        select(Event.sequence)
        .where(Event.sequence.in_(select(oldest.c.sequence)), Event.created_at < moment)
        .with_for_update(skip_locked=True)
    )
    return connection.execute(delete(Event).where(Event.sequence.in_(old))).rowcount
