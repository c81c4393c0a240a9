"""Platforms, and the tenants that they own (decisions 21.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, bindparam, func, or_, select, tuple_, update
from sqlalchemy.orm import Session

from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Platform, Tenant


@dataclass(frozen=True, slots=True)
class PlatformRecord:
    """A platform with the name of its account."""

    id: str
    name: str
    verifies_numbers: bool
    created_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class OwnedTenant:
    """A tenant of a platform, as the platform sees it."""

    id: str
    platform_id: str
    external_id: str
    name: str
    sandbox_only: bool
    created_at: datetime
    suspended_at: datetime | None
    suspension_reason: str | None
    closed_at: datetime | None
    get_per_minute: int | None
    post_per_minute: int | None
    plan: Mapping[str, Any] | None
    verified_numbers: Any
    seats: Mapping[str, float] | None
    purge_begun_at: datetime | None
    purged_at: datetime | None

    @property
    def state(self) -> str:
        """active, suspended or closed."""
        return state_of(self.suspended_at, self.closed_at)


def state_of(suspended_at: datetime | None, closed_at: datetime | None) -> str:
    """active, suspended or closed."""
    if closed_at is not None:
        return "closed"
    return "active" if suspended_at is None else "suspended"


_PLATFORM = RecordColumns(PlatformRecord, Platform, name=Tenant.name, closed_at=Tenant.closed_at)
_OWNED = RecordColumns(OwnedTenant, Tenant)
STATES: Mapping[str, Any] = {
    "active": Tenant.closed_at.is_(None) & Tenant.suspended_at.is_(None),
    "suspended": Tenant.closed_at.is_(None) & Tenant.suspended_at.is_not(None),
    "closed": Tenant.closed_at.is_not(None),
}


def _platforms() -> Select[Any]:
    return _PLATFORM.select().join(Tenant, Tenant.id == Platform.id)


_BY_ID = _platforms().where(Platform.id == bindparam("platform_id"))
# A name is the tenant's id, or the platform's own id of it; an id of ours comes first.
_NAMED = (
    select(Tenant.id)
    .where(
        Tenant.platform_id == bindparam("platform_id"),
        or_(Tenant.id == bindparam("id"), Tenant.external_id == bindparam("name")),
    )
    .order_by(Tenant.id != bindparam("id"))
    .limit(1)
)


def find(platform_id: str) -> PlatformRecord | None:
    with db.reading() as connection:
        return _PLATFORM.one_or_none(connection.execute(_BY_ID, {"platform_id": platform_id}))


def page(after: tuple[datetime, str] | None, limit: int) -> list[PlatformRecord]:
    """Platforms in the order of their creation, after that place."""
    query = _platforms().order_by(Platform.created_at, Platform.id).limit(limit)
    if after is not None:
        query = query.where(tuple_(Platform.created_at, Platform.id) > after)
    with db.reading() as connection:
        return _PLATFORM.all(connection.execute(query))


def is_platform(session: Session, account_id: str) -> bool:
    """Whether an account is a platform's."""
    return session.get(Platform, account_id) is not None


def set_verifies_numbers(session: Session, platform_id: str, *, verifies: bool) -> bool:
    """Whether there is such a platform; its setting is changed."""
    changed = (
        update(Platform)
        .where(Platform.id == platform_id)
        .values(verifies_numbers=verifies)
        .returning(Platform.id)
    )
    return session.execute(changed).scalar() is not None


# -- tenants ---------------------------------------------------------------------------------------


def tenant_named(platform_id: str, name: str) -> str | None:
    """The id of the platform's tenant with this id or external id."""
    with db.reading() as connection:
        values = {"platform_id": platform_id, "name": name, "id": name.lower()}
        found = connection.execute(_NAMED, values)
        return found.scalar()


def owned(platform_id: str, tenant_id: str) -> OwnedTenant | None:
    """The platform's tenant."""
    query = _OWNED.select().where(Tenant.id == tenant_id, Tenant.platform_id == platform_id)
    with db.reading() as connection:
        return _OWNED.one_or_none(connection.execute(query))


def record(tenant: Tenant) -> OwnedTenant:
    """The model as a record."""
    return _OWNED.of(tenant)


def lock_owned(session: Session, platform_id: str, tenant_id: str) -> Tenant | None:
    """The platform's tenant, its row locked until the end of the transaction."""
    query = select(Tenant).where(Tenant.id == tenant_id, Tenant.platform_id == platform_id)
    return session.scalar(query.with_for_update(key_share=True))


def tenant_of_external_id(platform_id: str, external_id: str) -> str | None:
    """The id of the tenant with this external id."""
    query = select(Tenant.id).where(
        Tenant.platform_id == platform_id, Tenant.external_id == external_id
    )
    with db.reading() as connection:
        return connection.execute(query).scalar()


def owned_page(
    platform_id: str,
    *,
    state: str | None,
    external_id: str | None,
    after: tuple[datetime, str] | None,
    limit: int,
) -> list[OwnedTenant]:
    """Tenants of the platform in the order of their creation, after that place."""
    query = _OWNED.select().where(Tenant.platform_id == platform_id)
    if state is not None:
        query = query.where(STATES[state])
    if external_id is not None:
        query = query.where(Tenant.external_id == external_id)
    if after is not None:
        query = query.where(tuple_(Tenant.created_at, Tenant.id) > after)
    with db.reading() as connection:
        return _OWNED.all(
            connection.execute(query.order_by(Tenant.created_at, Tenant.id).limit(limit))
        )


def count_owned(platform_ids: list[str]) -> dict[str, int]:
    """The number of tenants of each platform."""
    query = (
        select(Tenant.platform_id, func.count())
        .where(Tenant.platform_id.in_(platform_ids))
        .group_by(Tenant.platform_id)
    )
    with db.reading() as connection:
        return {str(row[0]): row[1] for row in connection.execute(query)}
