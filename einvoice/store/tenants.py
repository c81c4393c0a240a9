"""Tenants and their participant ids: administration by models, reads of sends by statements.

See store/db for the reasons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, tuple_
from sqlalchemy.orm import Session

from einvoice.store import db
from einvoice.store.records import RecordColumns
from einvoice.store.tables import Participant, Tenant


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


@dataclass(frozen=True, slots=True)
class OwnedParticipant:
    """A participant id of a tenant."""

    environment: str
    participant: str
    created_at: datetime


_RECORD = RecordColumns(TenantRecord, Tenant)
_OWNED = RecordColumns(OwnedParticipant, Participant)


def record(tenant: Tenant) -> TenantRecord:
    """The model as a record."""
    return _RECORD.of(tenant)


_BY_ID = _RECORD.select().where(Tenant.id == bindparam("tenant_id"))


def find(tenant_id: str) -> TenantRecord | None:
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(_BY_ID, {"tenant_id": tenant_id}))


def lock(session: Session, tenant_id: str) -> Tenant | None:
    """The tenant, its row locked until the end of the transaction.

    Rows that refer to the tenant can be added meanwhile by others.
    """
    query = select(Tenant).where(Tenant.id == tenant_id)
    return session.scalar(query.with_for_update(key_share=True))


def all_tenants() -> list[TenantRecord]:
    with db.reading_session() as session:
        return [record(t) for t in session.scalars(select(Tenant).order_by(Tenant.created_at))]


def lock_participant(
    session: Session, tenant_id: str, environment: str, participant: str
) -> Participant | None:
    """The tenant's row of the participant id, locked until the end of the transaction."""
    query = select(Participant).where(
        Participant.tenant_id == tenant_id,
        Participant.environment == environment,
        Participant.participant == participant,
    )
    return session.scalar(query.with_for_update())


_OWNER = (
    select(Participant.tenant_id)
    .join(Tenant, Tenant.id == Participant.tenant_id)
    .where(
        Participant.environment == bindparam("environment"),
        Participant.participant == bindparam("participant"),
        Tenant.closed_at.is_(None),
    )
)


def owner(environment: str, participant: str) -> str | None:
    """The tenant that owns the participant id in the environment, unless it is closed."""
    key = {"environment": environment, "participant": participant}
    with db.reading() as connection:
        found: str | None = connection.execute(_OWNER, key).scalar()
    return found


def owned(tenant_id: str) -> list[OwnedParticipant]:
    """The tenant's participant ids, sorted."""
    query = (
        select(Participant)
        .where(Participant.tenant_id == tenant_id)
        .order_by(Participant.environment, Participant.participant)
    )
    with db.reading_session() as session:
        return [_OWNED.of(row) for row in session.scalars(query)]


def owned_page(
    tenant_id: str, environment: str | None, after: tuple[str, str] | None, limit: int
) -> list[OwnedParticipant]:
    """Participant ids of the tenant after a place, sorted by environment and id."""
    place = (Participant.environment, Participant.participant)
    query = _OWNED.select().where(Participant.tenant_id == tenant_id)
    if environment is not None:
        query = query.where(Participant.environment == environment)
    if after is not None:
        query = query.where(tuple_(*place) > after)
    with db.reading() as connection:
        return _OWNED.all(connection.execute(query.order_by(*place).limit(limit)))
