"""Keys of operators' programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, insert, or_, select, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import OperatorKey

MAX_LISTED = 1_000


@dataclass(frozen=True, slots=True)
class OperatorKeyRecord:
    """A key's metadata. The secret is never stored."""

    id: str
    name: str
    prefix: str
    last4: str
    scopes: Sequence[str]
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    last_used_ip: str | None


_RECORD = RecordColumns(OperatorKeyRecord, OperatorKey)


def _is_active(now: datetime) -> ColumnElement[bool]:
    return OperatorKey.revoked_at.is_(None) & or_(
        OperatorKey.expires_at.is_(None), OperatorKey.expires_at > now
    )


def add(connection: Connection, record: OperatorKeyRecord, digest: str) -> None:
    """Add a key."""
    connection.execute(insert(OperatorKey).values(**asdict(record), digest=digest))


def count_active(connection: Connection, now: datetime) -> int:
    """How many keys work."""
    return connection.execute(select(func.count()).where(_is_active(now))).scalar_one()


def all_keys() -> list[OperatorKeyRecord]:
    """The keys, the oldest first; at most MAX_LISTED."""
    query = _RECORD.select().order_by(OperatorKey.created_at, OperatorKey.id).limit(MAX_LISTED)
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query))


def find_live(digest: str, now: datetime) -> OperatorKeyRecord | None:
    """The key of this digest, unless revoked or expired."""
    query = _RECORD.select().where(OperatorKey.digest == digest, _is_active(now))
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def revoke(connection: Connection, key_id: str, now: datetime) -> bool | None:
    """Whether this has ended the key; None if there is no such key."""
    ended = (
        update(OperatorKey)
        .where(OperatorKey.id == key_id, OperatorKey.revoked_at.is_(None))
        .values(revoked_at=now)
    )
    if connection.execute(ended).rowcount:
        return True
    known = select(OperatorKey.id).where(OperatorKey.id == key_id)
    return False if connection.execute(known).scalar() else None


def note_use(key_id: str, now: datetime, address: str | None) -> None:
    """Store when and from which address the key was last used."""
    statement = (
        update(OperatorKey)
        .where(OperatorKey.id == key_id)
        .values(last_used_at=now, last_used_ip=address)
    )
    with db.writing() as connection:
        connection.execute(statement)
