"""Tenants: administration by models, reads of sends by statements.

See store/core/db for the reasons.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Tenant


@dataclass(frozen=True, slots=True)
class TenantRecord:
    """A tenant with its switches and profile."""

    id: str
    name: str
    strict_idempotency: bool = False
    reject_duplicate_numbers: bool = False
    profile: Mapping[str, Any] = field(default_factory=dict)
    closed_at: datetime | None = None
    session_ends: Mapping[str, float] | None = None
    verified_numbers: Sequence[str] | None = None
    platform_id: str | None = None
    external_id: str | None = None
    sandbox_only: bool = False
    suspended_at: datetime | None = None
    suspension_reason: str | None = None
    get_per_minute: int | None = None
    post_per_minute: int | None = None
    plan: Mapping[str, Any] | None = None
    seats: Mapping[str, float] | None = None
    held_at: datetime | None = None
    moved_to: str | None = None


_RECORD = RecordColumns(TenantRecord, Tenant)


def record(tenant: Tenant) -> TenantRecord:
    """The model as a record."""
    return _RECORD.of(tenant)


_BY_ID = _RECORD.select().where(Tenant.id == bindparam("tenant_id"))


def find(tenant_id: str) -> TenantRecord | None:
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(_BY_ID, {"tenant_id": tenant_id}))


def plans_of(tenant_ids: Collection[str]) -> dict[str, Mapping[str, Any]]:
    """The plans of tenants, of those that have one."""
    query = select(Tenant.id, Tenant.plan).where(
        rows.in_values(Tenant.id, sorted(tenant_ids)), Tenant.plan.is_not(None)
    )
    with db.reading() as connection:
        return {row[0]: row[1] for row in connection.execute(query)}


def lock(session: Session, tenant_id: str) -> Tenant | None:
    """The tenant, its row locked until the end of the transaction.

    Rows that refer to the tenant can be added meanwhile by others.
    """
    query = select(Tenant).where(Tenant.id == tenant_id)
    return session.scalar(query.with_for_update(key_share=True))


def all_tenants() -> list[TenantRecord]:
    with db.reading_session() as session:
        return [record(t) for t in session.scalars(select(Tenant).order_by(Tenant.created_at))]


def ids_after(after: str, limit: int) -> list[str]:
    """The next ids of tenants in their order."""
    query = select(Tenant.id).where(Tenant.id > after).order_by(Tenant.id).limit(limit)
    with db.reading() as connection:
        return list(connection.execute(query).scalars())
