"""Legal holds of tenants and of single invoices."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import func, select, tuple_, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import ArchiveHold, Invoice, Tenant


@dataclass(frozen=True, slots=True)
class HoldRecord:
    """A hold; without an invoice it is of everything that the tenant has.

    placed_by, released_by  the subject of a person; None: the operator
    """

    id: str
    tenant_id: str
    invoice_id: str | None
    reason: str
    placed_at: datetime
    released_at: datetime | None
    placed_by: str | None = None
    released_by: str | None = None


@dataclass(frozen=True, slots=True)
class HoldFilter:
    """Which holds are listed; None: any.

    invoice_id  only what holds this invoice, itself or with everything of the tenant
    active      only those that last, or only those that have ended
    """

    invoice_id: str | None = None
    active: bool | None = None


_HOLD = RecordColumns(HoldRecord, ArchiveHold)


def lock_tenants(connection: Connection, tenant_ids: Collection[str]) -> None:
    """Keep holds of these tenants as they are until the commit."""
    query = select(Tenant.id).where(rows.in_values(Tenant.id, sorted(set(tenant_ids))))
    connection.execute(query.order_by(Tenant.id).with_for_update())


def is_purged(connection: Connection, tenant_id: str) -> bool:
    """Whether the purge of the tenant has begun."""
    query = select(Tenant.id).where(Tenant.id == tenant_id, Tenant.purge_begun_at.is_not(None))
    return connection.execute(query).one_or_none() is not None


def has_invoice(connection: Connection, tenant_id: str, invoice_id: str) -> bool:
    """Whether the invoice is one of the tenant."""
    query = select(Invoice.id).where(Invoice.id == invoice_id, Invoice.tenant_id == tenant_id)
    return connection.execute(query).one_or_none() is not None


def add(connection: Connection, hold: HoldRecord) -> None:
    """Store a hold. The caller has locked the tenant."""
    values = {name: getattr(hold, name) for name in HoldRecord.__slots__}
    connection.execute(sa.insert(ArchiveHold).values(values))


def count_active(connection: Connection, tenant_id: str) -> int:
    """How many holds of the tenant last."""
    query = select(func.count()).where(
        ArchiveHold.tenant_id == tenant_id, ArchiveHold.released_at.is_(None)
    )
    return connection.execute(query).scalar_one()


def find(connection: Connection, hold_id: str, tenant_id: str | None = None) -> HoldRecord | None:
    """A hold, of this tenant if one is given."""
    query = _HOLD.select().where(ArchiveHold.id == hold_id)
    if tenant_id is not None:
        query = query.where(ArchiveHold.tenant_id == tenant_id)
    return _HOLD.one_or_none(connection.execute(query))


def release(
    connection: Connection, hold_id: str, now: datetime, by: str | None
) -> HoldRecord | None:
    """End a hold; None if there is none that lasts."""
    ended = connection.execute(
        update(ArchiveHold)
        .where(ArchiveHold.id == hold_id, ArchiveHold.released_at.is_(None))
        .values(released_at=now, released_by=by)
        .returning(*_HOLD.returning())
    )
    return _HOLD.one_or_none(ended)


def page(
    tenant_id: str, wanted: HoldFilter, after: tuple[datetime, str] | None, limit: int
) -> list[HoldRecord]:
    """Holds of the tenant, newest first, after a position (placed_at, id)."""
    query = (
        _HOLD.select()
        .where(ArchiveHold.tenant_id == tenant_id, *_conditions(wanted))
        .order_by(ArchiveHold.placed_at.desc(), ArchiveHold.id.desc())
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(ArchiveHold.placed_at, ArchiveHold.id) < after)
    with db.reading() as connection:
        return _HOLD.all(connection.execute(query))


@dataclass(frozen=True, slots=True)
class ListedHold:
    """A hold with the name of its tenant."""

    hold: HoldRecord
    tenant_name: str


def page_of_all(
    active: bool | None, before: tuple[datetime, str] | None, limit: int
) -> list[ListedHold]:
    """Holds of all tenants, newest first, after a position (placed_at, id)."""
    query = (
        select(ArchiveHold, Tenant.name)
        .join(Tenant, Tenant.id == ArchiveHold.tenant_id)
        .where(*_conditions(HoldFilter(active=active)))
        .order_by(ArchiveHold.placed_at.desc(), ArchiveHold.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(tuple_(ArchiveHold.placed_at, ArchiveHold.id) < before)
    with db.reading_session() as session:
        return [ListedHold(_HOLD.of(hold), name) for hold, name in session.execute(query)]


def _conditions(wanted: HoldFilter) -> Iterator[sa.ColumnElement[bool]]:
    if wanted.invoice_id is not None:
        own = ArchiveHold.invoice_id == wanted.invoice_id
        yield sa.or_(own, ArchiveHold.invoice_id.is_(None))
    if wanted.active is not None:
        lasts = ArchiveHold.released_at.is_(None)
        yield lasts if wanted.active else ~lasts


def of_tenant(tenant_id: str) -> list[HoldRecord]:
    """All holds of the tenant, also those that have ended, oldest first."""
    query = (
        _HOLD.select()
        .where(ArchiveHold.tenant_id == tenant_id)
        .order_by(ArchiveHold.placed_at, ArchiveHold.id)
    )
    with db.reading() as connection:
        return _HOLD.all(connection.execute(query))


def held(connection: Connection, tenant_ids: Collection[str]) -> tuple[set[str], set[str]]:
    """Ids of the tenants among these that are held as a whole, and of their held invoices."""
    query = select(ArchiveHold.tenant_id, ArchiveHold.invoice_id).where(
        rows.in_values(ArchiveHold.tenant_id, sorted(set(tenant_ids))),
        ArchiveHold.released_at.is_(None),
    )
    found = connection.execute(query).all()
    tenants = {tenant for tenant, invoice in found if invoice is None}
    return tenants, {invoice for _, invoice in found if invoice is not None}
