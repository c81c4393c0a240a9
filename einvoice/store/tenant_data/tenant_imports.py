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
from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.types import Moment, Money, TraceText


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """An import. `entries`: how many entries of the file are stored, in their order."""

    tenant_id: str
    manifest: str
    entries: int
    started_at: datetime
    finished_at: datetime | None = None


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


def has_tenant(tenant_id: str) -> bool:
    """Whether there is such a tenant."""
    with db.reading() as connection:
        query = sa.select(tables.Tenant.id).where(tables.Tenant.id == tenant_id)
        return connection.execute(query).one_or_none() is not None


def insert(connection: Connection, table: sa.Table, found: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows. Raises IntegrityError if one is there."""
    if found:
        connection.execute(sa.insert(table), list(found))


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
    """Give an imported tenant its own `closed_at`: while it is imported it is closed."""
    changed = sa.update(tables.Tenant).where(tables.Tenant.id == tenant_id)
    connection.execute(changed.values(closed_at=closed_at))


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
