"""Moves of tenants to another installation, as the installation that they leave has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from einvoice.store import outbox, tables
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns

SEAL_SECONDS = 10
_MAX_DELETED = 10_000  # rows of one statement
# Work that goes on while the tenant is held: it tells others what has happened already.
_GOES_ON = (outbox.WEBHOOK, outbox.LETTER, outbox.EXPORT, outbox.ARCHIVE)
# Work that is left to do here after the tenant has moved: its entries in networks are withdrawn.
_STAYS = (*_GOES_ON, outbox.ENTRY)
# Lanes that no relay serves: the lane of a row with this before it.
_HELD = "held-"


@dataclass(frozen=True, slots=True)
class MoveRecord:
    """A move that has begun.

    files          how many files are written
    manifest       SHA-256 of the manifest of the newest one
    sealed_at      when the last file began: nothing of the tenant's documents changes after it
    transport_key  the key of the credentials in the last file, sealed; None: it is not written
    released_at    when that key was given out: the other installation may open the tenant
    """

    tenant_id: str
    id: str
    begun_at: datetime
    files: int = 0
    manifest: str | None = None
    sealed_at: datetime | None = None
    transport_key: bytes | None = field(default=None, repr=False)
    released_at: datetime | None = None


_RECORD = RecordColumns(MoveRecord, tables.TenantMove)
_TABLE = tables.TenantMove


def find(tenant_id: str) -> MoveRecord | None:
    """The move of a tenant."""
    with db.reading() as connection:
        found = connection.execute(_RECORD.select().where(_TABLE.tenant_id == tenant_id))
        return _RECORD.one_or_none(found)


def add(connection: Connection, new: MoveRecord) -> None:
    """Register a move. Raises IntegrityError if there is one."""
    connection.execute(sa.insert(_TABLE).values(**asdict(new)))


def written(
    connection: Connection,
    tenant_id: str,
    before: int,
    manifest: str,
    changes: Sequence[int],
    transport_key: bytes | None,
) -> bool:
    """Count one more file, which has these changes; False if another process has written it.

    transport_key  of the last file, sealed
    """
    changed = sa.update(_TABLE).where(
        _TABLE.tenant_id == tenant_id, _TABLE.files == before, _TABLE.released_at.is_(None)
    )
    changed = changed.values(files=before + 1, manifest=manifest, transport_key=transport_key)
    if connection.execute(changed).rowcount == 0:
        return False
    forget_changes(connection, changes)
    return True


def seal(connection: Connection, tenant_id: str, now: datetime) -> None:
    """Let nothing of the tenant's documents change any more.

    Waits for the transactions that change something: each has locked the row by its trigger. Raises
    OperationalError if one of them takes longer than SEAL_SECONDS.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text(f"SET LOCAL lock_timeout = '{SEAL_SECONDS}s'"))
    changed = sa.update(_TABLE).where(_TABLE.tenant_id == tenant_id, _TABLE.sealed_at.is_(None))
    connection.execute(changed.values(sealed_at=now))


def release(connection: Connection, tenant_id: str, now: datetime) -> bool:
    """Note that the key is given out; False if the last file is not written."""
    first = sa.func.coalesce(_TABLE.released_at, now)
    changed = sa.update(_TABLE).where(
        _TABLE.tenant_id == tenant_id, _TABLE.transport_key.is_not(None)
    )
    return connection.execute(changed.values(released_at=first)).rowcount > 0


def unseal(connection: Connection, tenant_id: str, *, discarded: bool) -> bool:
    """Let the tenant's documents change again, and forget the key; False if it was given out.

    discarded  the copy at the other installation is deleted: do it nevertheless
    """
    changed = sa.update(_TABLE).where(_TABLE.tenant_id == tenant_id)
    if not discarded:
        changed = changed.where(_TABLE.released_at.is_(None))
    changed = changed.values(sealed_at=None, transport_key=None, released_at=None)
    return connection.execute(changed).rowcount > 0


def delete(connection: Connection, tenant_id: str) -> None:
    """Forget a move with its changes."""
    connection.execute(
        sa.delete(tables.TenantChange).where(tables.TenantChange.tenant_id == tenant_id)
    )
    connection.execute(sa.delete(_TABLE).where(_TABLE.tenant_id == tenant_id))


# -- changes ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NotedChange:
    """A row that was inserted, changed or deleted. `key`: its primary key as a JSON array."""

    id: int
    family: str
    key: str


_CHANGE = RecordColumns(NotedChange, tables.TenantChange)


def changes(connection: Connection, tenant_id: str) -> list[NotedChange]:
    """The changes since the last file that the snapshot of the connection sees."""
    query = _CHANGE.select().where(tables.TenantChange.tenant_id == tenant_id)
    return _CHANGE.all(connection.execute(query.order_by(tables.TenantChange.id)))


def forget_changes(connection: Connection, ids: Sequence[int]) -> None:
    """Delete changes that a file has."""
    for first in range(0, len(ids), _MAX_DELETED):
        some = ids[first : first + _MAX_DELETED]
        connection.execute(
            sa.delete(tables.TenantChange).where(rows.in_values(tables.TenantChange.id, some))
        )


# -- work ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenWork:
    """Work of a tenant that has begun or is due.

    leased  rows that a worker has
    due     rows that are due now, and nobody has
    """

    leased: int
    due: int


def open_work(tenant_id: str, now: datetime) -> OpenWork:
    """The work of a tenant that is not done, without what goes on."""
    one = tables.Outbox
    of_tenant = sa.and_(one.tenant_id == tenant_id, one.kind.not_in(_GOES_ON))
    leased = sa.select(sa.func.count()).where(of_tenant, one.token.is_not(None))
    due = sa.select(sa.func.count()).where(
        of_tenant, one.token.is_(None), one.lane.in_(outbox.LANES), one.due_at <= now
    )
    with db.reading() as connection:
        return OpenWork(
            connection.execute(leased).scalar_one(), connection.execute(due).scalar_one()
        )


def hold_work(connection: Connection, tenant_id: str) -> None:
    """Take all work that nobody has out of its lane."""
    one = tables.Outbox
    changed = sa.update(one).where(
        one.tenant_id == tenant_id,
        one.kind.not_in(_GOES_ON),
        one.token.is_(None),
        one.lane.in_(outbox.LANES),
    )
    connection.execute(changed.values(lane=_HELD + one.lane))


def resume_work(connection: Connection, tenant_id: str) -> None:
    """Put work back into its lane."""
    one = tables.Outbox
    held = [_HELD + lane for lane in outbox.LANES]
    changed = sa.update(one).where(one.tenant_id == tenant_id, one.lane.in_(held))
    connection.execute(changed.values(lane=sa.func.substr(one.lane, len(_HELD) + 1)))


def drop_work(connection: Connection, tenant_id: str) -> None:
    """Delete the work that another installation goes on with."""
    one = tables.Outbox
    connection.execute(sa.delete(one).where(one.tenant_id == tenant_id, one.kind.not_in(_STAYS)))


def moves(kind: str) -> bool:
    """Whether work of this kind goes on at the other installation. Other kinds begin anew there."""
    return kind == outbox.TRANSMISSION


def lane_of(held: str) -> str:
    """The lane of a row that may be held."""
    return held.removeprefix(_HELD)


def open_messages(tenant_id: str) -> int:
    """Messages to networks without an outcome, such as responses and reports."""
    query = sa.select(sa.func.count()).where(
        tables.Outbox.tenant_id == tenant_id, tables.Outbox.kind == outbox.MESSAGE
    )
    with db.reading() as connection:
        return connection.execute(query).scalar_one()


def open_webhooks(tenant_id: str, now: datetime) -> int:
    """Events that are still to be posted to webhooks, without those that are tried again later."""
    soon = now + timedelta(minutes=1)
    query = sa.select(sa.func.count()).where(
        tables.Outbox.tenant_id == tenant_id,
        tables.Outbox.kind == outbox.WEBHOOK,
        tables.Outbox.due_at <= soon,
    )
    with db.reading() as connection:
        return connection.execute(query).scalar_one()
