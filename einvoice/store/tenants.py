"""Tenants and their participant ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

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


@dataclass(frozen=True, slots=True)
class OwnedParticipant:
    """A participant id of a tenant."""

    environment: str
    participant: str
    created_at: datetime


_RECORD = RecordColumns(TenantRecord, Tenant)
_OWNED = RecordColumns(OwnedParticipant, Participant)


def add(connection: Connection, tenant_id: str, name: str, now: datetime) -> None:
    connection.execute(insert(Tenant).values(id=tenant_id, name=name, profile={}, created_at=now))


def find(tenant_id: str) -> TenantRecord | None:
    with db.reading() as connection:
        query = _RECORD.select().where(Tenant.id == tenant_id)
        return _RECORD.one_or_none(connection.execute(query))


def find_locked(connection: Connection, tenant_id: str) -> TenantRecord | None:
    """The tenant, its row locked until the commit."""
    query = _RECORD.select().where(Tenant.id == tenant_id).with_for_update()
    return _RECORD.one_or_none(connection.execute(query))


def all_tenants() -> list[TenantRecord]:
    with db.reading() as connection:
        return _RECORD.all(connection.execute(_RECORD.select().order_by(Tenant.created_at)))


def change(connection: Connection, tenant_id: str, values: Mapping[str, Any]) -> bool:
    """Set columns of the tenant; False if it does not exist."""
    changed = connection.execute(update(Tenant).where(Tenant.id == tenant_id).values(**values))
    return bool(changed.rowcount)


def own(connection: Connection, new: OwnedParticipant, tenant_id: str, row_id: str) -> bool:
    """Assign a participant id to the tenant; False if it has an owner."""
    insert_into = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    values = {**asdict(new), "id": row_id, "tenant_id": tenant_id}
    statement = insert_into(Participant).values(**values).on_conflict_do_nothing()
    given = connection.execute(statement.returning(Participant.id))
    return given.scalar() is not None


def disown(connection: Connection, tenant_id: str, environment: str, participant: str) -> bool:
    """Remove a participant id from the tenant; False if the tenant does not own it."""
    gone = connection.execute(
        delete(Participant).where(
            Participant.tenant_id == tenant_id,
            Participant.environment == environment,
            Participant.participant == participant,
        )
    )
    return bool(gone.rowcount)


def owner(environment: str, participant: str) -> str | None:
    """The tenant that owns the participant id in the environment."""
    query = select(Participant.tenant_id).where(
        Participant.environment == environment, Participant.participant == participant
    )
    with db.reading() as connection:
        found: str | None = connection.execute(query).scalar()
    return found


def owned(tenant_id: str) -> list[OwnedParticipant]:
    """The tenant's participant ids, sorted."""
    query = (
        _OWNED.select()
        .where(Participant.tenant_id == tenant_id)
        .order_by(Participant.environment, Participant.participant)
    )
    with db.reading() as connection:
        return _OWNED.all(connection.execute(query))
