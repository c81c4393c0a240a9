"""Rows of the outbox that wait for a connection, outside of the lanes.

The caller has locked the connection in the same transaction: while it can be used, none of its
rows is parked.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, literal, or_, select, update
from sqlalchemy.engine import Connection

from einvoice.domain.connections import RESUMING
from einvoice.store import outbox, tables
from einvoice.store.core import db, rows
from einvoice.store.core.types import Moment
from einvoice.store.tables import Outbox


def _parked(connection_id: str, now: datetime) -> dict[str, Any]:
    return {
        "lane": outbox.PARKED,
        "parked_by": connection_id,
        "paused_at": func.coalesce(Outbox.paused_at, literal(now, Moment())),
        "token": None,
        "lease_until": None,
    }


def park(
    connection: Connection, ids: Iterable[int], token: str, connection_id: str, now: datetime
) -> None:
    """Park rows that the token holds."""
    held = update(Outbox).where(rows.in_values(Outbox.id, ids), Outbox.token == token)
    connection.execute(held.values(_parked(connection_id, now)))


def park_all(connection: Connection, connection_id: str, now: datetime) -> int:
    """Park all rows of the connection that are not leased; returns how many."""
    free = update(Outbox).where(
        Outbox.connection_id == connection_id,
        Outbox.token.is_(None),
        Outbox.parked_by.is_(None),
        Outbox.waits_for.is_(None),
        Outbox.lane != outbox.PUSHED,
    )
    return connection.execute(free.values(_parked(connection_id, now))).rowcount


_RESUMED = {"lane": outbox.CHORES, "parked_by": None}


def resume_all(connection: Connection, connection_id: str, now: datetime) -> int:
    """Make all parked rows of the connection due; returns how many."""
    parked = update(Outbox).where(Outbox.parked_by == connection_id)
    return connection.execute(parked.values(_RESUMED | {"due_at": now})).rowcount


def resume_of_tenant(connection: Connection, tenant_id: str, now: datetime) -> None:
    """Make all parked rows of the tenant's connections due."""
    mine = select(tables.Connection.id).where(tables.Connection.tenant_id == tenant_id)
    parked = update(Outbox).where(rows.in_subquery(Outbox.parked_by, mine))
    connection.execute(parked.values(_RESUMED | {"due_at": now}))


_RESUMING = sorted(state.value for state in RESUMING)


def wrongly() -> list[str]:
    """The ids of connections for which rows wait, though they can be used or are revoked."""
    state = tables.Connection.state
    query = (
        select(Outbox.parked_by)
        .outerjoin(tables.Connection, tables.Connection.id == Outbox.parked_by)
        .where(Outbox.parked_by.is_not(None), or_(state.is_(None), state.in_(_RESUMING)))
        .distinct()
    )
    with db.reading_by_key() as connection:
        return [found for found in connection.execute(query).scalars() if found is not None]


def count(connection_ids: Iterable[str]) -> dict[str, int]:
    """How many rows wait for each of the connections; those without any are missing."""
    query = (
        select(Outbox.parked_by, func.count().label("rows"))
        .where(rows.in_values(Outbox.parked_by, connection_ids), Outbox.parked_by.is_not(None))
        .group_by(Outbox.parked_by)
    )
    with db.reading_by_key() as connection:
        return {row.parked_by: row.rows for row in connection.execute(query)}


def since(connection_ids: Iterable[str]) -> dict[str, datetime]:
    """When the first row of each of the connections was parked; those without any are missing."""
    query = (
        select(Outbox.parked_by, func.min(Outbox.paused_at).label("since"))
        .where(rows.in_values(Outbox.parked_by, connection_ids), Outbox.parked_by.is_not(None))
        .group_by(Outbox.parked_by)
    )
    with db.reading_by_key() as connection:
        return {row.parked_by: row.since for row in connection.execute(query)}


_END_PAUSE = (
    update(Outbox)
    .where(rows.in_parameter(Outbox.id, "ids"), Outbox.token == bindparam("holder"))
    .values(paused_at=None)
)


def end_pause(connection: Connection, ids: Iterable[int], token: str) -> None:
    """Note that the time outside of the lanes has been added to `retry_until`."""
    connection.execute(_END_PAUSE, {"ids": list(ids), "holder": token})
