"""Stored lookups; the id of one is an accessPointRef."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, update

from einvoice.store import db, rows
from einvoice.store.records import RecordColumns
from einvoice.store.tables import Registration
from einvoice.store.upserts import upsert


@dataclass(frozen=True, slots=True)
class RegistrationRecord:
    """The directory's data on a participant at `checked_at`."""

    id: str
    participant: str
    access_point: str
    registered: bool
    document_types: Sequence[str]
    checked_at: datetime


_RECORD = RecordColumns(RegistrationRecord, Registration)


def remember(record: RegistrationRecord, tenant_id: str, environment: str) -> str:
    """Store a lookup; a repeated one keeps its reference. Returns the reference."""
    values = {name: getattr(record, name) for name in RegistrationRecord.__slots__}
    fresh = {name: values[name] for name in values if name not in {"id", "participant"}}
    with db.writing() as connection:
        stored = upsert(connection, Registration).values(
            tenant_id=tenant_id, environment=environment, created_at=record.checked_at, **values
        )
        stored = stored.on_conflict_do_update(
            index_elements=["tenant_id", "environment", "participant"], set_=fresh
        )
        reference: str = connection.execute(stored.returning(Registration.id)).scalar_one()
    return reference


# Statements that sends need are built once: building one takes 200 us.
_OF_OWNER = _RECORD.select().where(
    Registration.tenant_id == bindparam("tenant_id"),
    Registration.environment == bindparam("environment"),
)
_BY_REFERENCE = _OF_OWNER.where(Registration.id == bindparam("reference"))
_BY_PARTICIPANT = _OF_OWNER.where(Registration.participant == bindparam("participant"))


def find(reference: str, tenant_id: str, environment: str) -> RegistrationRecord | None:
    """The lookup with this reference, if it is this tenant's in this environment."""
    given = {"tenant_id": tenant_id, "environment": environment, "reference": reference}
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(_BY_REFERENCE, given))


def of_participant(participant: str, tenant_id: str, environment: str) -> RegistrationRecord | None:
    """The stored lookup of a participant."""
    given = {"tenant_id": tenant_id, "environment": environment, "participant": participant}
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(_BY_PARTICIPANT, given))


def of_participants(
    participants: Iterable[str], tenant_id: str, environment: str
) -> dict[str, RegistrationRecord]:
    """The stored lookups of many participants, by participant."""
    query = _RECORD.select().where(
        Registration.tenant_id == tenant_id,
        Registration.environment == environment,
        rows.in_values(Registration.participant, participants),
    )
    with db.reading_by_key() as connection:
        found = _RECORD.all(connection.execute(query))
    return {record.participant: record for record in found}


def refresh(
    reference: str, *, registered: bool, document_types: Sequence[str], now: datetime
) -> None:
    """Replace the stored data by that of a new lookup."""
    with db.writing() as connection:
        connection.execute(
            update(Registration)
            .where(Registration.id == reference)
            .values(registered=registered, document_types=list(document_types), checked_at=now)
        )
