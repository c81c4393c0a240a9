"""Entries of participant ids in the directories of networks, and the work on them.

A transaction that changes whose a participant id is asks for its entry to be settled (`ask`). What
the entry should be is read from the claims when the work is done, never from the request for it.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Select, and_, exists, func, literal_column, or_, select
from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

from einvoice import clock
from einvoice.domain.claims import ClaimStatus
from einvoice.domain.entries import EntryState
from einvoice.domain.publication import WITHDRAWN_REASON, Answer, Publication
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import Outbox, Participant, ParticipantEntry, Tenant

KIND, LANE = outbox.ENTRY, outbox.PLUGINS


@dataclass(frozen=True, slots=True)
class LateEntry:
    """An entry that its network has refused, or has not answered about."""

    tenant_id: str
    tenant_name: str
    environment: str
    participant: str
    access_point: str | None
    since: datetime
    fault: str | None


# -- asking ----------------------------------------------------------------------------------------


def ask(
    connection: Connection,
    tenant_id: str,
    environment: str,
    participant: str,
    after: timedelta = timedelta(0),
) -> str:
    """Have the entry of a participant id settled, in the caller's transaction; the entry's id.

    A row is added also where another one waits: its worker may have read the claim already.
    """
    entry_id = _made(connection, tenant_id, environment, participant)
    outbox.enqueue(
        connection,
        kind=KIND,
        lane=LANE,
        subject_id=entry_id,
        tenant_id=tenant_id,
        due_at=clock.now() + after,
    )
    return entry_id


def of(connection: Connection, environment: str, participant: str) -> str | None:
    """The id of the entry of a participant id; None if there is none."""
    query = select(ParticipantEntry.id).where(_is(environment, participant))
    found: str | None = connection.execute(query).scalar()
    return found


def ask_again(connection: Connection, environment: str, participant: str) -> None:
    """`ask` for a participant id whose entry somebody has begun; others have none to change."""
    query = select(ParticipantEntry.tenant_id).where(
        _is(environment, participant), ParticipantEntry.access_point.is_not(None)
    )
    tenant_id = connection.execute(query).scalar()
    if tenant_id is not None:
        ask(connection, tenant_id, environment, participant)


def ask_all_of(connection: Connection, tenant_id: str) -> None:
    """`ask` for each verified participant id of the tenant."""
    query = select(Participant.environment, Participant.participant).where(
        Participant.tenant_id == tenant_id, Participant.status == ClaimStatus.VERIFIED
    )
    for environment, participant in connection.execute(query).all():
        ask(connection, tenant_id, environment, participant)


def _made(connection: Connection, tenant_id: str, environment: str, participant: str) -> str:
    """The id of the row, inserted if there is none."""
    made = upsert(connection, ParticipantEntry).values(
        id=str(uuid.uuid4()),
        tenant_id=tenant_id,
        environment=environment,
        participant=participant,
        state=EntryState.NEW.value,
        failures=0,
        changed_at=clock.now(),
    )
    key = [ParticipantEntry.environment, ParticipantEntry.participant]
    changed = made.on_conflict_do_update(index_elements=key, set_={"tenant_id": tenant_id})
    return str(connection.execute(changed.returning(ParticipantEntry.id)).scalar_one())


def _is(environment: str, participant: str) -> ColumnElement[bool]:
    return and_(
        ParticipantEntry.environment == environment, ParticipantEntry.participant == participant
    )


# -- working ---------------------------------------------------------------------------------------


def lock(session: Session, entry_id: str) -> ParticipantEntry | None:
    """The row, locked until the end of the transaction."""
    query = select(ParticipantEntry).where(ParticipantEntry.id == entry_id)
    return session.scalar(query.with_for_update())


def owner(
    session: Session, environment: str, participant: str
) -> tuple[Participant, Tenant] | None:
    """The verified claim of the participant id with its tenant, unless that is closed."""
    query = (
        select(Participant, Tenant)
        .join(Tenant, Tenant.id == Participant.tenant_id)
        .where(
            Participant.environment == environment,
            Participant.participant == participant,
            Participant.status == literal_column("'verified'"),
            Tenant.closed_at.is_(None),
        )
    )
    found = session.execute(query.with_for_update(of=Participant)).one_or_none()
    return None if found is None else (found[0], found[1])


# -- publishing again ------------------------------------------------------------------------------


def outdated(
    environment: str, access_point: str, form: str, after: str, limit: int
) -> list[tuple[str, str, str]]:
    """(claim id, tenant, participant) of verified ids whose entry is not of this form.

    Sorted by claim id, after that one. Without those that are refused, or that are being settled.
    """
    query = (
        _without_entry(environment, access_point, form)
        .where(Participant.id > after)
        .order_by(Participant.id)
        .limit(limit)
    )
    with db.reading() as connection:
        return [(row[0], row[1], row[2]) for row in connection.execute(query)]


def count_outdated(environment: str, access_point: str, form: str) -> int:
    """How many verified ids have no entry of this form."""
    query = _without_entry(environment, access_point, form).subquery()
    with db.reading() as connection:
        return connection.execute(select(func.count()).select_from(query)).scalar_one()


def _without_entry(environment: str, access_point: str, form: str) -> Select[str, str, str]:
    entry = ParticipantEntry
    here = and_(
        entry.environment == Participant.environment, entry.participant == Participant.participant
    )
    current = and_(
        entry.access_point == access_point,
        entry.state == EntryState.LISTED.value,
        entry.form == form,
    )
    is_done = or_(current, entry.state == EntryState.REFUSED.value)
    is_asked = exists().where(Outbox.subject_id == entry.id)
    reason = func.coalesce(Participant.publication_reason, "")
    has_left = and_(
        Participant.publication == Publication.MOVED.value, reason == Answer.ELSEWHERE.value
    )
    return (
        select(Participant.id, Participant.tenant_id, Participant.participant)
        .join(Tenant, Tenant.id == Participant.tenant_id)
        .where(
            Participant.environment == environment,
            Participant.status == literal_column("'verified'"),
            Tenant.closed_at.is_(None),
            reason != WITHDRAWN_REASON,
            ~has_left,
            ~exists().where(here, or_(is_done, is_asked)),
        )
    )


# -- for operators ---------------------------------------------------------------------------------

_LATE = (
    select(
        ParticipantEntry.tenant_id,
        Tenant.name,
        ParticipantEntry.environment,
        ParticipantEntry.participant,
        ParticipantEntry.access_point,
        func.coalesce(ParticipantEntry.failing_since, ParticipantEntry.changed_at),
        ParticipantEntry.fault,
    )
    .join(Tenant, Tenant.id == ParticipantEntry.tenant_id)
    .order_by(ParticipantEntry.changed_at, ParticipantEntry.id)
)
_IS_REFUSED = ParticipantEntry.state == literal_column("'refused'")


def refused(limit: int) -> list[LateEntry]:
    """Entries that their network refuses, the longest ago first."""
    with db.reading() as connection:
        found = connection.execute(_LATE.where(_IS_REFUSED).limit(limit))
        return [LateEntry(*row) for row in found]


def late(before: datetime, limit: int) -> list[LateEntry]:
    """Entries that have not been answered about since before that moment."""
    with db.reading() as connection:
        found = connection.execute(_LATE.where(_is_late(before)).limit(limit))
        return [LateEntry(*row) for row in found]


def count_refused() -> int:
    """How many entries their network refuses."""
    query = select(func.count()).select_from(ParticipantEntry).where(_IS_REFUSED)
    with db.reading() as connection:
        return connection.execute(query).scalar_one()


def count_late(before: datetime) -> int:
    """How many entries have not been answered about since before that moment."""
    query = select(func.count()).select_from(ParticipantEntry).where(_is_late(before))
    with db.reading() as connection:
        return connection.execute(query).scalar_one()


def _is_late(before: datetime) -> ColumnElement[bool]:
    return and_(literal_column("failures > 0"), ParticipantEntry.failing_since < before)
