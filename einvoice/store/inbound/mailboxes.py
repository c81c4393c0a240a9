"""Mailboxes: cursors, which change by compare-and-set, and how the last fetches ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, update
from sqlalchemy.engine import Connection

from einvoice.domain.connections import State
from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import Connection as ConnectionTable
from einvoice.store.tables import MailboxCursor


@dataclass(frozen=True, slots=True)
class MailboxRecord:
    """The mailbox of a connection, and the account it belongs to."""

    connection_id: str
    tenant_id: str
    access_point: str
    account: str
    cursor: str | None
    version: int
    every_seconds: float
    not_before: datetime | None
    fetched_at: datetime | None
    changed_at: datetime | None
    documents: int
    failures: int
    fault: str | None
    created_at: datetime


_RECORD = RecordColumns(MailboxRecord, MailboxCursor, account=ConnectionTable.account)
_SELECT = _RECORD.select().join(ConnectionTable, ConnectionTable.id == MailboxCursor.connection_id)


def add(
    connection: Connection,
    connection_id: str,
    tenant_id: str,
    access_point: str,
    every: float,
    now: datetime,
) -> None:
    """Insert the mailbox of a connection, unless it is there. `every` in seconds."""
    values = {
        "connection_id": connection_id,
        "tenant_id": tenant_id,
        "access_point": access_point,
        "every_seconds": every,
        "version": 0,
        "documents": 0,
        "failures": 0,
        "created_at": now,
    }
    connection.execute(upsert(connection, MailboxCursor).values(values).on_conflict_do_nothing())


def find(connection_id: str) -> MailboxRecord | None:
    """The mailbox of a connection of any tenant."""
    with db.reading() as connection:
        return _RECORD.one_or_none(
            connection.execute(_SELECT.where(MailboxCursor.connection_id == connection_id))
        )


def all_of(tenant_id: str | None, limit: int) -> list[MailboxRecord]:
    """The mailboxes of a tenant, or of all; those that were not fetched for the longest first."""
    query = _SELECT if tenant_id is None else _SELECT.where(MailboxCursor.tenant_id == tenant_id)
    order = (func.coalesce(MailboxCursor.fetched_at, MailboxCursor.created_at),)
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query.order_by(*order).limit(limit)))


def not_fetched_since(before: datetime, limit: int) -> list[MailboxRecord]:
    """Mailboxes of connections that are not revoked, without a successful fetch since then."""
    last = func.coalesce(MailboxCursor.fetched_at, MailboxCursor.created_at)
    query = _SELECT.where(last < before, ConnectionTable.state != State.REVOKED.value)
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query.order_by(last).limit(limit)))


def begin(connection: Connection, connection_id: str, every: float, not_before: datetime) -> None:
    """Record that a fetch begins, and when the next one may begin at the earliest."""
    connection.execute(
        update(MailboxCursor)
        .where(MailboxCursor.connection_id == connection_id)
        .values(every_seconds=every, not_before=not_before)
    )


def advance(
    connection: Connection, seen: MailboxRecord, cursor: str, documents: int, now: datetime
) -> bool:
    """Compare-and-set: move the cursor on, if it is still the one of `seen`; whether it was."""
    moved = {"cursor": cursor, "version": seen.version + 1, "changed_at": now}
    changed = connection.execute(
        update(MailboxCursor)
        .where(
            MailboxCursor.connection_id == seen.connection_id, MailboxCursor.version == seen.version
        )
        .values(
            fetched_at=now,
            documents=MailboxCursor.documents + documents,
            failures=0,
            fault=None,
            **(moved if cursor != seen.cursor else {}),
        )
    )
    return bool(changed.rowcount)


def delay(connection: Connection, connection_id: str, not_before: datetime) -> None:
    """Record that the network wants no fetch before then."""
    connection.execute(
        update(MailboxCursor)
        .where(MailboxCursor.connection_id == connection_id)
        .values(not_before=not_before)
    )


def record_failure(connection: Connection, connection_id: str, fault: str) -> None:
    """Record a fetch that failed."""
    connection.execute(
        update(MailboxCursor)
        .where(MailboxCursor.connection_id == connection_id)
        .values(failures=MailboxCursor.failures + 1, fault=fault[:300])
    )


def remove(connection: Connection, connection_id: str) -> None:
    """Delete the mailbox of a connection that is revoked."""
    connection.execute(delete(MailboxCursor).where(MailboxCursor.connection_id == connection_id))
