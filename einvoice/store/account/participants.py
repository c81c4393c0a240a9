"""The participant ids of tenants, and claims of them (decisions 20.1).

Administration uses models, what runs for every send executes statements (store/core/db).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    Select,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    select,
    tuple_,
    update,
)
from sqlalchemy.orm import Session, aliased

from einvoice.domain.claims import ClaimStatus
from einvoice.domain.publication import Publication, Published
from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Participant, Tenant


@dataclass(frozen=True, slots=True)
class OwnedParticipant:
    """A participant id that a tenant claims; its own if the status is verified."""

    environment: str
    participant: str
    created_at: datetime
    status: str = ClaimStatus.VERIFIED
    decided_at: datetime | None = None
    decided_by: str | None = None
    reason: str | None = None
    publication: str = Publication.NONE
    publication_reason: str | None = None
    publication_since: datetime | None = None
    publication_checked_at: datetime | None = None
    publication_text: str | None = None


@dataclass(frozen=True, slots=True)
class DueQuestion:
    """A verified participant id about which the networks are to be asked.

    answered_at  of the last answer, or when the id was added
    is_open      whether its tenant is
    """

    id: str
    environment: str
    participant: str
    due_at: datetime | None
    answered_at: datetime
    is_open: bool


@dataclass(frozen=True, slots=True)
class MovedParticipant:
    """A participant id whose network does not name this service any more."""

    tenant_id: str
    tenant_name: str
    environment: str
    participant: str
    reason: str | None
    since: datetime | None


@dataclass(frozen=True, slots=True)
class PendingClaim:
    """A claim that waits for a decision.

    `contested`: another tenant has the participant id, or an open one claims it too.
    """

    id: str
    tenant_id: str
    tenant_name: str
    environment: str
    participant: str
    created_at: datetime
    contested: bool


_OWNED = RecordColumns(OwnedParticipant, Participant)

# Written out, so that every plan of the statement may use the partial indexes.
_IS_VERIFIED = Participant.status == literal_column("'verified'")
_IS_PENDING = Participant.status == literal_column("'pending'")
_IS_MOVED = Participant.publication == literal_column("'moved'")

_OWNER = (
    select(Participant.tenant_id)
    .join(Tenant, Tenant.id == Participant.tenant_id)
    .where(
        Participant.environment == bindparam("environment"),
        Participant.participant == bindparam("participant"),
        _IS_VERIFIED,
        Tenant.closed_at.is_(None),
    )
)


def record(row: Participant) -> OwnedParticipant:
    """The model as a record."""
    return _OWNED.of(row)


def owner(environment: str, participant: str) -> str | None:
    """The tenant that owns the participant id in the environment, unless it is closed."""
    key = {"environment": environment, "participant": participant}
    with db.reading() as connection:
        found: str | None = connection.execute(_OWNER, key).scalar()
    return found


def lock(
    session: Session, tenant_id: str, environment: str, participant: str
) -> Participant | None:
    """The tenant's row of the participant id, locked until the end of the transaction."""
    query = _own_row(tenant_id, environment, participant)
    return session.scalar(query.with_for_update())


def lock_by_id(session: Session, claim_id: str) -> Participant | None:
    """The row with this id, locked until the end of the transaction."""
    return session.scalar(select(Participant).where(Participant.id == claim_id).with_for_update())


def find(tenant_id: str, environment: str, participant: str) -> OwnedParticipant | None:
    """The tenant's participant id, of any status."""
    with db.reading_session() as session:
        row = session.scalar(_own_row(tenant_id, environment, participant))
        return None if row is None else record(row)


def _own_row(tenant_id: str, environment: str, participant: str) -> Select[Participant]:
    return select(Participant).where(
        Participant.tenant_id == tenant_id,
        Participant.environment == environment,
        Participant.participant == participant,
    )


def owned(tenant_id: str) -> list[OwnedParticipant]:
    """The tenant's participant ids of any status, sorted."""
    query = (
        select(Participant)
        .where(Participant.tenant_id == tenant_id)
        .order_by(Participant.environment, Participant.participant)
    )
    with db.reading_session() as session:
        return [record(row) for row in session.scalars(query)]


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


def count(session: Session, tenant_id: str, environment: str) -> int:
    """How many ids the tenant has or claims."""
    query = select(func.count()).where(
        Participant.tenant_id == tenant_id, Participant.environment == environment
    )
    return session.scalar(query) or 0


def count_open(session: Session, tenant_id: str, environment: str) -> int:
    """How many claims of the tenant are not verified."""
    query = select(func.count()).where(
        Participant.tenant_id == tenant_id,
        Participant.environment == environment,
        Participant.status != ClaimStatus.VERIFIED,
    )
    return session.scalar(query) or 0


def pending_of(session: Session, tenant_id: str) -> Sequence[Participant]:
    """The tenant's pending claims, locked until the end of the transaction."""
    query = (
        select(Participant)
        .where(Participant.tenant_id == tenant_id, _IS_PENDING)
        .order_by(Participant.id)
    )
    return session.scalars(query.with_for_update()).all()


def is_verified(session: Session, environment: str, participant: str) -> bool:
    """Whether some tenant, open or closed, has the participant id."""
    query = select(Participant.id).where(
        Participant.environment == environment,
        Participant.participant == participant,
        _IS_VERIFIED,
    )
    return session.scalar(query) is not None


def _pending_claims() -> Select[Participant, str, bool]:
    """(claim, name of the tenant, contested) of open tenants, the oldest claim first."""
    rival, owner = aliased(Participant), aliased(Tenant)
    closed = owner.closed_at.is_not(None)
    contested = exists().where(
        rival.environment == Participant.environment,
        rival.participant == Participant.participant,
        rival.tenant_id != Participant.tenant_id,
        owner.id == rival.tenant_id,
        case(
            (closed, rival.status == ClaimStatus.VERIFIED),
            else_=rival.status != ClaimStatus.REJECTED,
        ),
    )
    return (
        select(Participant, Tenant.name, contested)
        .join(Tenant, Tenant.id == Participant.tenant_id)
        .where(_IS_PENDING, Tenant.closed_at.is_(None))
        .order_by(Participant.created_at, Participant.id)
    )


def pending(limit: int) -> list[PendingClaim]:
    """Pending claims of open tenants, the oldest first."""
    with db.reading_session() as session:
        found = session.execute(_pending_claims().limit(limit))
        return [_pending(*row) for row in found]


def pending_by_id(claim_id: str) -> PendingClaim | None:
    """The claim, if it is pending and its tenant open."""
    with db.reading_session() as session:
        query = _pending_claims().where(Participant.id == claim_id)
        found = session.execute(query).one_or_none()
        return None if found is None else _pending(*found)


def _pending(row: Participant, name: str, contested: bool) -> PendingClaim:
    return PendingClaim(
        row.id, row.tenant_id, name, row.environment, row.participant, row.created_at, contested
    )


# -- publication -----------------------------------------------------------------------------------


def without_question(limit: int) -> list[str]:
    """Ids of verified rows for which no question is planned."""
    query = select(Participant.id).where(_IS_VERIFIED, Participant.publication_due_at.is_(None))
    with db.reading() as connection:
        return list(connection.execute(query.limit(limit)).scalars())


def due_questions(now: datetime, limit: int) -> list[DueQuestion]:
    """The verified participant ids that are due, the longest due first."""
    answered_at = func.coalesce(
        Participant.publication_doubted_at,
        Participant.publication_checked_at,
        Participant.created_at,
        type_=Participant.created_at.type,
    )
    query = (
        select(
            Participant.id,
            Participant.environment,
            Participant.participant,
            Participant.publication_due_at,
            answered_at,
            Tenant.closed_at.is_(None),
        )
        .join(Tenant, Tenant.id == Participant.tenant_id)
        .where(_IS_VERIFIED, Participant.publication_due_at <= now)
        .order_by(Participant.publication_due_at)
        .limit(limit)
    )
    with db.reading() as connection:
        return [DueQuestion(*row) for row in connection.execute(query)]


def plan_questions(due: Mapping[str, datetime]) -> None:
    """Store when the networks are asked about these rows, by their ids."""
    changed = (
        update(Participant)
        .where(Participant.id == bindparam("row_id"))
        .values(publication_due_at=bindparam("at"))
    )
    if due:
        with db.writing() as connection:
            given = [{"row_id": row_id, "at": at} for row_id, at in sorted(due.items())]
            connection.execute(changed, given)


def published(row: Participant) -> Published:
    """The known state of the publication."""
    return Published(
        Publication(row.publication),
        row.publication_reason,
        row.publication_since,
        row.publication_checked_at,
        row.publication_doubted_at,
        row.publication_text,
    )


def set_published(row: Participant, known: Published) -> None:
    """Change the model to what is known of the publication."""
    row.publication, row.publication_reason = known.status.value, known.reason
    row.publication_since, row.publication_checked_at = known.since, known.checked_at
    row.publication_doubted_at, row.publication_text = known.doubted_at, known.text


_MOVED = (
    select(
        Participant.tenant_id,
        Tenant.name,
        Participant.environment,
        Participant.participant,
        Participant.publication_reason,
        Participant.publication_since,
    )
    .join(Tenant, Tenant.id == Participant.tenant_id)
    .where(_IS_MOVED, Tenant.closed_at.is_(None))
    .order_by(Participant.publication_since, Participant.id)
)
_COUNT_MOVED = (
    select(func.count())
    .select_from(Participant)
    .join(Tenant, Tenant.id == Participant.tenant_id)
    .where(_IS_MOVED, Tenant.closed_at.is_(None))
)


def moved(limit: int) -> list[MovedParticipant]:
    """Participant ids of open tenants that have moved, the longest ago first."""
    with db.reading() as connection:
        return [MovedParticipant(*row) for row in connection.execute(_MOVED.limit(limit))]


def count_moved() -> int:
    """How many participant ids of open tenants have moved."""
    with db.reading() as connection:
        return connection.execute(_COUNT_MOVED).scalar_one()
