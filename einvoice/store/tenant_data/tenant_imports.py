"""Imports of tenants: how far they have come, and inserting their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from einvoice.domain.trace import Trace
from einvoice.store import tables
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.types import Moment, Money, TraceText
from einvoice.store.core.upserts import upsert
from einvoice.store.tenant_data.tenant_data import Family


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """An import.

    entries      how many entries of the file are stored, in their order
    received_at  of a tenant that moves: when all of the file were, and another one follows
    """

    tenant_id: str
    manifest: str
    entries: int
    started_at: datetime
    finished_at: datetime | None = None
    received_at: datetime | None = None


_RECORD = RecordColumns(ImportRecord, tables.TenantImport)
_TABLE = tables.TenantImport


def find(tenant_id: str) -> ImportRecord | None:
    """The import of a tenant."""
    with db.reading() as connection:
        found = connection.execute(_RECORD.select().where(_TABLE.tenant_id == tenant_id))
        return _RECORD.one_or_none(found)


def add(connection: Connection, new: ImportRecord) -> None:
    """Register an import."""
    connection.execute(sa.insert(_TABLE).values(**asdict(new)))


def advance(connection: Connection, tenant_id: str, before: int) -> bool:
    """Count one more stored entry; False if another process has stored it."""
    changed = sa.update(_TABLE).where(
        _TABLE.tenant_id == tenant_id,
        _TABLE.entries == before,
        _TABLE.finished_at.is_(None),
    )
    return connection.execute(changed.values(entries=before + 1)).rowcount > 0


def note_events(connection: Connection, tenant_id: str) -> None:
    """Remember which sequences the imported events have."""
    event = tables.Event
    first, last = connection.execute(
        sa.select(sa.func.min(event.sequence), sa.func.max(event.sequence)).where(
            event.tenant_id == tenant_id
        )
    ).one()
    changed = sa.update(_TABLE).where(_TABLE.tenant_id == tenant_id)
    connection.execute(changed.values(events_from=first, events_to=last))


def finish(connection: Connection, tenant_id: str, now: datetime) -> None:
    """End an import."""
    changed = sa.update(_TABLE).where(_TABLE.tenant_id == tenant_id)
    connection.execute(changed.values(finished_at=now))


def receive(connection: Connection, tenant_id: str, now: datetime) -> None:
    """Note that all of a file is stored, and another one follows."""
    changed = sa.update(_TABLE).where(_TABLE.tenant_id == tenant_id)
    connection.execute(changed.values(received_at=now))


def begin_next(connection: Connection, tenant_id: str, follows: str, manifest: str) -> bool:
    """Begin with the file that follows the one with this manifest, all of which is stored; False if
    that is not so."""
    changed = sa.update(_TABLE).where(
        _TABLE.tenant_id == tenant_id,
        _TABLE.manifest == follows,
        _TABLE.received_at.is_not(None),
        _TABLE.finished_at.is_(None),
    )
    changed = changed.values(manifest=manifest, entries=0, received_at=None)
    return connection.execute(changed).rowcount > 0


def forget(connection: Connection, tenant_id: str) -> None:
    """Delete an import."""
    connection.execute(sa.delete(_TABLE).where(_TABLE.tenant_id == tenant_id))


def has_tenant(tenant_id: str) -> bool:
    """Whether there is such a tenant."""
    with db.reading() as connection:
        query = sa.select(tables.Tenant.id).where(tables.Tenant.id == tenant_id)
        return connection.execute(query).one_or_none() is not None


@dataclass(frozen=True, slots=True)
class Remains:
    """The row of a tenant that a purge leaves beside its audit log."""

    purge_begun_at: datetime
    purged_at: datetime


_REMAINS = RecordColumns(Remains, tables.Tenant)


def remains(tenant_id: str) -> Remains | None:
    """The row of a purged tenant; None if there is none, or it was not purged."""
    query = _REMAINS.select().where(
        tables.Tenant.id == tenant_id, tables.Tenant.purged_at.is_not(None)
    )
    with db.reading() as connection:
        return _REMAINS.one_or_none(connection.execute(query))


@dataclass(frozen=True, slots=True)
class LoggedEntry:
    """By what an entry of an audit log is known at another installation."""

    at: datetime
    actor: str
    action: str
    target: str


_LOGGED = RecordColumns(LoggedEntry, tables.AuditEntry)


def logged(tenant_id: str) -> frozenset[LoggedEntry]:
    """The entries of a tenant's audit log."""
    with db.reading() as connection:
        query = _LOGGED.select().where(tables.AuditEntry.tenant_id == tenant_id)
        return frozenset(_LOGGED.all(connection.execute(query)))


def insert(connection: Connection, table: sa.Table, found: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows. Raises IntegrityError if one is there."""
    if found:
        connection.execute(sa.insert(table), list(found))


def of_others(
    connection: Connection, family: Family, tenant_id: str, batch: Sequence[Mapping[str, Any]]
) -> bool:
    """Whether a row with one of these primary keys is another tenant's."""
    table = family.table
    if "tenant_id" not in table.c or not batch:
        return False
    primary = list(table.primary_key.columns)
    place = primary[0] if len(primary) == 1 else sa.tuple_(*primary)
    keys = [tuple(row[column.name] for column in primary) for row in batch]
    wanted = [key[0] for key in keys] if len(primary) == 1 else keys
    query = sa.select(sa.literal(1)).where(place.in_(wanted), table.c.tenant_id != tenant_id)
    return connection.execute(query.limit(1)).one_or_none() is not None


def put(
    connection: Connection, family: Family, tenant_id: str, alike: Sequence[Mapping[str, Any]]
) -> None:
    """Insert rows, or give the tenant's rows with their primary keys all of their values.

    alike  rows with the same names; what they do not have becomes NULL
    """
    table = family.table
    primary = [column.name for column in table.primary_key.columns]
    written = {column.name for column in family.columns} | set(family.files)
    if "archived_at" in table.c:
        written.add("archived_at")
    made = upsert(connection, table)
    values: dict[str, Any] = {
        name: made.excluded[name] if name in alike[0] else sa.null()
        for name in sorted(written - set(primary))
    }
    own = table.c.tenant_id == tenant_id if "tenant_id" in table.c else None
    if values:
        statement = made.on_conflict_do_update(index_elements=primary, set_=values, where=own)
    else:
        statement = made.on_conflict_do_nothing(index_elements=primary)
    connection.execute(statement, [dict(row) for row in alike])


def forget_parts(connection: Connection, tenant_id: str, owner_ids: Sequence[str]) -> None:
    """Forget where the bytes of rows lie that are given again: they are in their rows then."""
    part = tables.ArchivePart
    connection.execute(
        sa.delete(part).where(
            part.tenant_id == tenant_id, rows.in_values(part.owner_id, sorted(owner_ids))
        )
    )


@dataclass(frozen=True, slots=True)
class DroppedPart:
    """A part whose bytes were dropped before the tenant was exported."""

    owner_id: str
    part: str
    tenant_id: str
    invoice_id: str
    kind: str
    sha256: str
    size: int
    dropped_at: datetime
    dropped_rule: str


def add_dropped(connection: Connection, found: Sequence[DroppedPart]) -> None:
    """Store what was dropped, when and why. Raises IntegrityError if one is there."""
    if found:
        connection.execute(sa.insert(tables.ArchivePart), [asdict(each) for each in found])


def open_tenant(connection: Connection, tenant_id: str, closed_at: datetime | None) -> None:
    """Give an imported tenant its own `closed_at`: while it is imported it is closed. One that has
    come back is neither purged nor held or elsewhere any more."""
    changed = sa.update(tables.Tenant).where(tables.Tenant.id == tenant_id)
    changed = changed.values(
        closed_at=closed_at, held_at=None, moved_to=None, purge_begun_at=None, purged_at=None
    )
    connection.execute(changed)


def verified_elsewhere(
    connection: Connection, tenant_id: str, pairs: Sequence[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Which of these (environment, participant id) other tenants have verified."""
    model = tables.Participant
    query = sa.select(model.environment, model.participant).where(
        sa.tuple_(model.environment, model.participant).in_(pairs),
        model.status == "verified",
        model.tenant_id != tenant_id,
    )
    return {(row[0], row[1]) for row in connection.execute(query)} if pairs else set()


def value_of(column: sa.Column[Any], value: Any) -> Any:
    """A value of an export as its column takes it. Raises ValueError for another type."""
    if value is None:
        if not column.nullable:
            raise ValueError(f"{column.name} is missing")
        return None
    if isinstance(column.type, sa.JSON):
        return value
    kind = _text_kind(column)
    if kind is not None:
        return kind(_of_type(column, value, str))
    expected = column.type.python_type
    return _of_type(column, value, expected)


def _text_kind(column: sa.Column[Any]) -> Any:
    """How a value that is text in an export is read."""
    match column.type:
        case Moment():
            return _moment
        case Money():
            return _money
        case TraceText():
            return Trace.parse
        case sa.Date():
            return date.fromisoformat
    return None


def _of_type(column: sa.Column[Any], value: Any, expected: type[Any]) -> Any:
    if type(value) is not expected and not (expected is float and type(value) is int):
        raise ValueError(f"{column.name} is no {expected.__name__}")
    length = getattr(column.type, "length", None)
    if isinstance(value, str) and length is not None and len(value) > length:
        raise ValueError(f"{column.name} is longer than {length} characters")
    return value


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a time without its zone")
    return moment


def _money(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or len(text) > 40:
        raise ValueError("an amount that is not a number")
    return amount
