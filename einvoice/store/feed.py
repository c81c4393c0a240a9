"""Events as a feed: in the order in which they happened, from any place on.

The sequence is given out before the commit, so on PostgreSQL an event may turn up behind a later
one. Who reads up to the newest would never see it: the youngest few seconds are held back there.
SQLite writes one transaction at a time, and holds nothing back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import merge
from itertools import islice, takewhile
from operator import attrgetter
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.engine import Connection

from einvoice.store import db
from einvoice.store.records import RecordColumns
from einvoice.store.tables import Event

# Longer than any transaction takes from recording an event to its commit.
COMMIT_MARGIN = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class EventEntry:
    """One event and its place."""

    sequence: int
    id: str
    type: str
    environment: str
    invoice_id: str | None
    payload: Mapping[str, Any]
    created_at: datetime


_ENTRY = RecordColumns(EventEntry, Event)


def behind(
    tenant_id: str, environments: Iterable[str], after: int, limit: int, now: datetime
) -> list[EventEntry]:
    """Up to `limit` events behind a place, oldest first; each environment by its own index."""
    with db.reading() as connection:
        found = [_of_one(connection, tenant_id, each, after, limit) for each in environments]
        held_back = now - COMMIT_MARGIN if connection.dialect.name == "postgresql" else None
    entries = islice(merge(*found, key=attrgetter("sequence")), limit)
    return list(takewhile(lambda e: held_back is None or e.created_at <= held_back, entries))


def _of_one(
    connection: Connection, tenant_id: str, environment: str, after: int, limit: int
) -> list[EventEntry]:
    query = (
        _ENTRY.select()
        .where(
            Event.tenant_id == tenant_id,
            Event.environment == environment,
            Event.sequence > after,
        )
        .order_by(Event.sequence)
        .limit(limit)
    )
    return _ENTRY.all(connection.execute(query))


def place_before(moment: datetime) -> int:
    """A place shortly before what happened then, found by halving: no index knows the times."""
    moment -= timedelta(minutes=1)  # sequence and time do not agree to the second
    with db.reading() as connection:
        low, high = connection.execute(
            select(func.min(Event.sequence), func.max(Event.sequence))
        ).one()
        if low is None:
            return 0
        while low < high:
            middle = (low + high) // 2
            if _time_from(connection, middle) < moment:
                low = middle + 1
            else:
                high = middle
    return int(low) - 1


def _time_from(connection: Connection, sequence: int) -> datetime:
    """When the first event from this place on happened."""
    query = (
        select(Event.created_at).where(Event.sequence >= sequence).order_by(Event.sequence).limit(1)
    )
    return connection.execute(query).scalar_one()


def forget_before(connection: Connection, moment: datetime, limit: int) -> int:
    """Delete those of the `limit` oldest events that happened before the moment."""
    oldest = select(Event.sequence).order_by(Event.sequence).limit(limit).subquery()
    old = (
        select(Event.sequence)
        .where(Event.sequence.in_(select(oldest.c.sequence)), Event.created_at < moment)
        .with_for_update(skip_locked=True)
    )
    return connection.execute(delete(Event).where(Event.sequence.in_(old))).rowcount
