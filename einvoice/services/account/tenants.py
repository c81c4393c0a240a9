"""Tenants, their switches, and the participant ids they own."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain.claims import NOT_OWNED
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    AccountClosed,
    Conflict,
    NotFound,
    TenantMoved,
    TenantMoving,
    TenantSuspended,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import audit
from einvoice.services.caches import Caches
from einvoice.services.principal import Reader
from einvoice.store import outbox
from einvoice.store.account import entries, participants, platforms
from einvoice.store.account import tenants as stored
from einvoice.store.account.participants import OwnedParticipant as OwnedParticipant
from einvoice.store.account.tenants import TenantRecord
from einvoice.store.core import db
from einvoice.store.tables import Participant, Tenant


def create(name: str) -> str:
    """Create a tenant and return its id."""
    tenant_id = str(uuid.uuid4())
    with db.writing_session() as database:
        database.add(Tenant(id=tenant_id, name=name, profile={}, created_at=clock.now()))
        audit.record(database, tenant_id, None, "tenant.created", tenant_id, {"name": name})
    return tenant_id


def get(tenant_id: str, caches: Caches | None = None) -> TenantRecord:
    """The tenant with its switches and profile; with `caches` at most a second old.

    Raises NotFound.
    """
    if caches is None:
        found = stored.find(tenant_id)
    else:
        found = caches.tenants.get(tenant_id, lambda: stored.find(tenant_id))
    if found is None:
        raise unknown(tenant_id)
    return found


def unknown(tenant_id: str) -> NotFound:
    """The refusal of an id that no tenant has."""
    return NotFound(f"There is no tenant {tenant_id}.")


def check_open(tenant: Tenant | TenantRecord) -> None:
    """Raise AccountClosed for a closed tenant, and TenantMoved for one that is elsewhere."""
    if (refusal := moved(tenant)) is not None:
        raise refusal
    if tenant.closed_at is not None:
        raise AccountClosed(f"The account was closed on {tenant.closed_at:%Y-%m-%d}.")


def moved(tenant: Tenant | TenantRecord) -> TenantMoved | None:
    """The refusal of a tenant that is at another installation; None for any other."""
    to = tenant.moved_to
    if tenant.closed_at is None or to is None:
        return None
    return TenantMoved(f"The account has moved to {to}: the same keys work there.", to)


def check_changing(tenant: TenantRecord) -> None:
    """Raise TenantMoving for a tenant that changes nothing, because it moves."""
    if tenant.held_at is not None:
        raise TenantMoving(
            "The account moves to another installation, and changes nothing for a minute. Nothing "
            "was stored."
        )


def change(tenant_id: str, values: Mapping[str, Any]) -> None:
    """Set switches or profile. Raises NotFound."""
    with db.writing_session() as database:
        tenant = locked(database, tenant_id)
        for name, value in values.items():
            setattr(tenant, name, value)
        audit.record(database, tenant_id, None, "tenant.changed", tenant_id, values)


def give_to(platform_id: str, tenant_id: str, external_id: str) -> None:
    """Make the tenant one of a platform's. Raises NotFound, AccountClosed and Conflict (it is one
    already, or a platform itself; the platform uses the external id)."""
    try:
        with db.writing_session() as database:
            tenant = locked(database, tenant_id)
            if tenant.platform_id is not None or platforms.is_platform(database, tenant_id):
                raise Conflict(f"The tenant {tenant_id} is a platform's, or one itself.")
            tenant.platform_id, tenant.external_id = platform_id, external_id
            database.flush()
            detail = {"platform": platform_id, "externalId": external_id}
            audit.record(database, tenant_id, None, "tenant.adopted", tenant_id, detail)
    except IntegrityError:
        raise Conflict(f"The platform has a tenant {external_id!r} already.") from None


def suspend(tenant_id: str, reason: str | None, caches: Caches) -> None:
    """Let the tenant receive, and send nothing, by the operator. Raises NotFound, AccountClosed."""
    with db.writing_session() as database:
        tenant = locked(database, tenant_id)
        tenant.suspended_at, tenant.suspension_reason = tenant.suspended_at or clock.now(), reason
        detail = {"reason": reason}
        audit.record(database, tenant_id, None, "tenant.suspended", tenant_id, detail)
    caches.tenants.drop(tenant_id)


def resume(tenant_id: str, caches: Caches) -> None:
    """End a suspension. Raises NotFound, AccountClosed."""
    with db.writing_session() as database:
        tenant = locked(database, tenant_id)
        tenant.suspended_at = tenant.suspension_reason = None
        audit.record(database, tenant_id, None, "tenant.resumed", tenant_id)
    caches.tenants.drop(tenant_id)


def check_sending(tenant: TenantRecord) -> None:
    """Raise TenantSuspended for an account that receives only."""
    if tenant.suspended_at is not None:
        why = f": {tenant.suspension_reason}" if tenant.suspension_reason else ""
        raise TenantSuspended(
            f"The account is suspended since {tenant.suspended_at:%Y-%m-%d}{why}. It receives "
            "documents, and sends none until it is resumed."
        )


def locked(database: DatabaseSession, tenant_id: str) -> Tenant:
    """The tenant, its row locked until the end of the transaction.

    Raises NotFound and AccountClosed.
    """
    tenant = stored.lock(database, tenant_id)
    if tenant is None:
        raise unknown(tenant_id)
    check_open(tenant)
    return tenant


def find_locked(database: DatabaseSession, tenant_id: str) -> Tenant | None:
    """The tenant, also a closed one, its row locked until the end of the transaction."""
    return stored.lock(database, tenant_id)


def own_participant(
    tenant_id: str,
    environment: Environment,
    participant: ParticipantId,
    by: Reader | None = None,
    *,
    most: int | None = None,
) -> OwnedParticipant:
    """Assign a participant id to the tenant, verified (decisions 19.7).

    `most` is how many ids the tenant may have in the environment then; None: any number.

    Raises NotFound, AccountClosed, Conflict (another tenant has it, this one claims it, or has
    `most` already).
    """
    check_open(get(tenant_id))
    new = OwnedParticipant(environment.value, participant.canonical, clock.now())
    try:
        with db.writing_session() as database:
            if most is not None:
                locked(database, tenant_id)
                if participants.count(database, tenant_id, environment.value) >= most:
                    raise Conflict(f"You have {most:,} ids in {environment}: remove some of them.")
            row_id = str(uuid.uuid4())
            database.add(Participant(id=row_id, tenant_id=tenant_id, **asdict(new)))
            database.flush()
            entries.ask(database.connection(), tenant_id, new.environment, new.participant)
            audit.record(database, tenant_id, by, "participant.added", _named(new))
    except IntegrityError:
        message = f"{participant} has an owner in the {environment} environment."
        raise Conflict(message) from None
    return new


def disown_participant(
    tenant_id: str,
    environment: Environment,
    participant: ParticipantId,
    caches: Caches,
    by: Reader | None = None,
) -> None:
    """Remove a participant id of the tenant; its invoices stay. Raises NotFound."""
    canonical = participant.canonical
    with db.writing_session() as database:
        row = participants.lock(database, tenant_id, environment.value, canonical)
        if row is None:
            raise NotFound(NOT_OWNED)
        outbox.discard(database.connection(), row.id)
        database.delete(row)
        database.flush()
        entries.ask_again(database.connection(), environment.value, canonical)
        audit.record(database, tenant_id, by, "participant.removed", f"{environment}/{canonical}")
    caches.participant_owners.drop((environment.value, canonical))


def owned(tenant_id: str) -> list[OwnedParticipant]:
    """The participant ids of the tenant, in both environments and of any status."""
    return participants.owned(tenant_id)


def owned_page(
    tenant_id: str, environment: Environment | None, *, after: tuple[str, str] | None, limit: int
) -> list[OwnedParticipant]:
    """At most `limit` of them in the order of environment and participant id, after that place."""
    wanted = None if environment is None else environment.value
    return participants.owned_page(tenant_id, wanted, after, limit)


def _named(owned: OwnedParticipant) -> str:
    return f"{owned.environment}/{owned.participant}"


def owns(
    tenant_id: str, environment: Environment, participant: ParticipantId, caches: Caches
) -> bool:
    """Whether the participant id is the tenant's in the environment."""
    return owner_of(environment, participant, caches) == tenant_id


def owner_of(environment: Environment, participant: ParticipantId, caches: Caches) -> str | None:
    """The id of the tenant that owns the participant id in the environment, or None."""
    key = (environment.value, participant.canonical)
    return caches.participant_owners.get(key, lambda: participants.owner(*key))
