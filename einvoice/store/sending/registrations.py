"""Stored lookups; the id of one is an accessPointRef."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import Registration


@dataclass(frozen=True, slots=True)
class RegistrationRecord:
    """The directory's data on a participant at `checked_at`."""

    id: str
    participant: str
    access_point: str
    registered: bool
    document_types: Sequence[str]
    checked_at: datetime


_PARTICIPANT = sa.func.coalesce(Registration.further_participant, Registration.participant)
_RECORD = RecordColumns(RegistrationRecord, Registration, participant=_PARTICIPANT)
_FIRST = ("tenant_id", "environment", "participant")
_FURTHER = ("tenant_id", "environment", "further_participant", "access_point")


def remember(record: RegistrationRecord, tenant_id: str, environment: str) -> str:
    """Store a lookup and return its reference.

    A repeated one at the same access point keeps its reference; those at others stay as they are.
    """
    values = {name: getattr(record, name) for name in RegistrationRecord.__slots__}
    values |= {"tenant_id": tenant_id, "environment": environment}
    further = values | {"participant": record.id, "further_participant": record.participant}
    with db.writing() as connection:
        if (first := _stored(connection, values, _FIRST)) is not None:
            return first
        return str(_stored(connection, further, _FURTHER))


def _stored(connection: Connection, values: Mapping[str, Any], unique: Sequence[str]) -> str | None:
    """Insert or refresh a row; None if the unique row is of another access point."""
    fresh = {name: values[name] for name in ("registered", "document_types", "checked_at")}
    stored = upsert(connection, Registration).values(created_at=values["checked_at"], **values)
    stored = stored.on_conflict_do_update(
        index_elements=unique,
        set_=fresh,
        where=Registration.access_point == stored.excluded.access_point,
    )
    return connection.execute(stored.returning(Registration.id)).scalar_one_or_none()


# Statements that sends need are built once: building one takes 200 us.
_OF_OWNER = _RECORD.select().where(
    Registration.tenant_id == bindparam("tenant_id"),
    Registration.environment == bindparam("environment"),
)
_BY_REFERENCE = _OF_OWNER.where(Registration.id == bindparam("reference"))
_BY_PARTICIPANT = _OF_OWNER.where(
    sa.or_(
        Registration.participant == bindparam("participant"),
        Registration.further_participant == bindparam("participant"),
    )
)


def find(reference: str, tenant_id: str, environment: str) -> RegistrationRecord | None:
    """The lookup with this reference, if it is this tenant's in this environment."""
    given = {"tenant_id": tenant_id, "environment": environment, "reference": reference}
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(_BY_REFERENCE, given))


def of_participant(
    participant: str, access_point: str, tenant_id: str, environment: str
) -> RegistrationRecord | None:
    """The stored lookup of a participant at an access point."""
    found = all_of_participant(participant, tenant_id, environment)
    return next((record for record in found if record.access_point == access_point), None)


def all_of_participant(
    participant: str, tenant_id: str, environment: str
) -> list[RegistrationRecord]:
    """The stored lookups of a participant, one for each access point that was asked."""
    given = {"tenant_id": tenant_id, "environment": environment, "participant": participant}
    with db.reading() as connection:
        return _RECORD.all(connection.execute(_BY_PARTICIPANT, given))


def of_participants(
    participants: Iterable[str], tenant_id: str, environment: str
) -> dict[tuple[str, str], RegistrationRecord]:
    """The stored lookups of many participants, by participant and access point."""
    wanted = list(participants)
    query = _RECORD.select().where(
        Registration.tenant_id == tenant_id,
        Registration.environment == environment,
        sa.or_(
            rows.in_values(Registration.participant, wanted),
            rows.in_values(Registration.further_participant, wanted),
        ),
    )
    with db.reading_by_key() as connection:
        found = _RECORD.all(connection.execute(query))
    return {(record.participant, record.access_point): record for record in found}


def refresh(
    reference: str, *, registered: bool, document_types: Sequence[str], now: datetime
) -> None:
    """Replace the stored data by the result of a new lookup."""
    with db.writing() as connection:
        connection.execute(
            update(Registration)
            .where(Registration.id == reference)
            .values(registered=registered, document_types=list(document_types), checked_at=now)
        )
