"""Sequences: documents of one key of a connection are sent one at a time.

A sequence has a row while any of its documents is not final. Documents that join or leave lock the
row, so the order in the outbox is the order of acceptance. Several are locked in the order of their
keys.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus
from einvoice.store import outbox, tables
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import Outbox, Transmission


@dataclass(frozen=True, slots=True)
class Place:
    """A transmission with the key of its sequence."""

    transmission_id: str
    tenant_id: str
    access_point: str
    connection_id: str
    key: str


def join(connection: Connection, places: Iterable[Place], now: datetime) -> dict[str, str]:
    """Put transmissions into their sequences, in the transaction that inserts them.

    Returns the sequence of each that has to wait. The first of a sequence becomes its holder.
    """
    waiting: dict[str, str] = {}
    # Sorting is stable: documents of one key stay in their order.
    for place in sorted(places, key=lambda one: (one.connection_id, one.access_point, one.key)):
        sequence_id, holder = _join_one(connection, place, now)
        if holder != place.transmission_id:
            waiting[place.transmission_id] = sequence_id
    return waiting


def _join_one(connection: Connection, place: Place, now: datetime) -> tuple[str, str]:
    """The id and the holder of the sequence, locked; made with this holder if there is none."""
    table = tables.Sequence
    made = upsert(connection, table).values(
        id=str(uuid.uuid4()),
        tenant_id=place.tenant_id,
        access_point=place.access_point,
        connection_id=place.connection_id,
        key=place.key,
        holder=place.transmission_id,
        created_at=now,
    )
    unique = [table.connection_id, table.access_point, table.key]
    locked = made.on_conflict_do_update(index_elements=unique, set_={"key": made.excluded.key})
    row = connection.execute(locked.returning(table.id, table.holder)).one()
    return row.id, row.holder


# Built once: a document that is followed by another one executes each of them.
_ORDER = (tables.Sequence.connection_id, tables.Sequence.access_point, tables.Sequence.key)
_HELD_BY = (
    select(tables.Sequence.id)
    .where(rows.in_parameter(tables.Sequence.holder, "holders"))
    .order_by(*_ORDER)
    .with_for_update()
)
_END = delete(tables.Sequence).where(rows.in_parameter(tables.Sequence.id, "ids"))
_FIRST = (
    select(func.min(Outbox.id))
    .where(rows.in_parameter(Outbox.waits_for, "ids"), Outbox.waits_for.is_not(None))
    .group_by(Outbox.waits_for)
)
_FOLLOWING = select(Outbox.waits_for, Outbox.id, Outbox.subject_id).where(
    rows.in_subquery(Outbox.id, _FIRST)
)
_HAND_ON = "UPDATE sequences SET holder = x.holder FROM {rows} WHERE sequences.id = x.id"
_HANDED_ON = {"id": rows.TEXT, "holder": rows.TEXT}
_DUE = (
    update(Outbox)
    .where(rows.in_parameter(Outbox.id, "ids"))
    .values(lane=outbox.BULK, waits_for=None, due_at=bindparam("now"))
)


def leave(connection: Connection, transmission_ids: Iterable[str], now: datetime) -> None:
    """Make the next document the holder of each sequence that one of these held, and due.

    They are final in this transaction. A sequence without a next one ends.
    """
    given = {"holders": sorted(transmission_ids)}
    ids = list(connection.execute(_HELD_BY, given).scalars())
    if not ids:
        return
    found = connection.execute(_FOLLOWING, {"ids": ids})
    following = {row.waits_for: (row.id, row.subject_id) for row in found}
    ended = [each for each in ids if each not in following]
    if ended:
        connection.execute(_END, {"ids": ended})
    if following:
        _hand_on(connection, following, now)


def _hand_on(connection: Connection, following: dict[str, tuple[int, str]], now: datetime) -> None:
    holders = ({"id": sequence, "holder": subject} for sequence, (_, subject) in following.items())
    rows.execute(connection, _HAND_ON, _HANDED_ON, holders)
    connection.execute(_DUE, {"ids": [row for row, _ in following.values()], "now": now})


_NEXT = (
    select(Outbox.id)
    .join(tables.Sequence, tables.Sequence.holder == Outbox.subject_id)
    .where(
        rows.in_parameter(tables.Sequence.connection_id, "connections"),
        rows.in_parameter(tables.Sequence.access_point, "points"),
        rows.in_parameter(tables.Sequence.key, "keys"),
        Outbox.lane == outbox.BULK,
        Outbox.token.is_(None),
        Outbox.due_at <= bindparam("now"),
        ~outbox.IS_HELD,
    )
    .with_for_update(of=Outbox, skip_locked=True)
)
_LEASE_NEXT = (
    update(Outbox)
    .where(rows.in_subquery(Outbox.id, _NEXT))
    .values(token=bindparam("holder"), lease_until=bindparam("until"))
    .returning(Outbox.id)
)


def claim_next(
    connection: Connection,
    places: Iterable[tuple[str, str, str]],
    *,
    token: str,
    now: datetime,
    lease: timedelta,
) -> list[int]:
    """Lease the rows of the documents that are next in these sequences and due; their ids.

    A sequence is named by connection, access point and key; one with such parts of several of them
    may be among them. None while deliveries are held.
    """
    connections, points, keys = (sorted(set(part)) for part in zip(*places, strict=True))
    given: dict[str, Any] = {"connections": connections, "points": points, "keys": keys}
    given |= {"holder": token, "now": now, "until": now + lease}
    return list(connection.execute(_LEASE_NEXT, given).scalars())


def end_all(connection: Connection, connection_ids: Iterable[str], now: datetime) -> None:
    """End the sequences of connections that are revoked: nothing is sent by them any more."""
    ids = list(connection_ids)
    mine = rows.in_values(tables.Sequence.connection_id, ids)
    locked = select(tables.Sequence.id).where(mine).order_by(*_ORDER).with_for_update()
    connection.execute(_END, {"ids": list(connection.execute(locked).scalars())})
    waiting = update(Outbox).where(
        rows.in_values(Outbox.connection_id, ids), Outbox.waits_for.is_not(None)
    )
    connection.execute(waiting.values(lane=outbox.CHORES, waits_for=None, due_at=now))


# -- for operators and the relay -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SequenceRecord:
    """A sequence with its holder, and how many documents wait for it."""

    id: str
    tenant_id: str
    access_point: str
    connection_id: str
    key: str
    holder: str
    phase: str
    attention: bool
    reason: str | None
    since: datetime
    waiting: int


_WAITING = (
    select(func.count())
    .where(Outbox.waits_for == tables.Sequence.id)
    .correlate(tables.Sequence)
    .scalar_subquery()
)
_RECORD = RecordColumns(
    SequenceRecord,
    tables.Sequence,
    phase=Transmission.phase,
    attention=Transmission.attention,
    reason=Transmission.reason,
    since=Transmission.created_at,
    waiting=_WAITING,
)


def blocking(limit: int) -> list[SequenceRecord]:
    """Sequences for which documents wait, those with the oldest holder first."""
    some = sa.exists().where(Outbox.waits_for == tables.Sequence.id)
    query = (
        _RECORD.select()
        .join(Transmission, Transmission.id == tables.Sequence.holder)
        .where(some)
        .order_by(Transmission.created_at)
        .limit(limit)
    )
    with db.reading_by_key() as connection:
        return _RECORD.all(connection.execute(query))


def holder_of(transmission_id: str) -> str | None:
    """The transmission for which another one of its sequence waits; None if it does not wait."""
    query = (
        select(tables.Sequence.holder)
        .join(Outbox, Outbox.waits_for == tables.Sequence.id)
        .where(Outbox.subject_id == transmission_id)
    )
    with db.reading_by_key() as connection:
        return connection.execute(query).scalar_one_or_none()


def left_holders(limit: int) -> list[str]:
    """Holders that are final, which no transaction should leave behind."""
    query = (
        select(tables.Sequence.holder)
        .join(Transmission, Transmission.id == tables.Sequence.holder)
        .where(Transmission.status != NetworkStatus.PROCESSING.value)
        .limit(limit)
    )
    with db.reading_by_key() as connection:
        return list(connection.execute(query).scalars())
