"""The tenants of the whole installation, as operators list them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import or_, select, tuple_
from sqlalchemy.orm import aliased

from einvoice.store.account.platforms import STATES, state_of
from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Platform, Tenant


@dataclass(frozen=True, slots=True)
class ListedTenant:
    """A tenant, or the account of a platform (`is_platform`)."""

    id: str
    name: str
    created_at: datetime
    closed_at: datetime | None
    suspended_at: datetime | None
    suspension_reason: str | None
    platform_id: str | None
    external_id: str | None
    sandbox_only: bool
    verified_numbers: Any
    plan: Mapping[str, Any] | None
    seats: Mapping[str, float] | None
    platform_name: str | None
    is_platform: bool

    @property
    def state(self) -> str:
        """active, suspended or closed."""
        return state_of(self.suspended_at, self.closed_at)


_Owner = aliased(Tenant)
_IS_PLATFORM = select(Platform.id).where(Platform.id == Tenant.id).exists()
_TENANT = RecordColumns(ListedTenant, Tenant, platform_name=_Owner.name, is_platform=_IS_PLATFORM)
_ALL = _TENANT.select().outerjoin(_Owner, _Owner.id == Tenant.platform_id)


def find(tenant_id: str) -> ListedTenant | None:
    """The tenant of this id."""
    with db.reading() as connection:
        return _TENANT.one_or_none(connection.execute(_ALL.where(Tenant.id == tenant_id)))


def names(tenant_ids: Collection[str]) -> dict[str, str]:
    """The names of those that there are, by their ids."""
    query = select(Tenant.id, Tenant.name).where(Tenant.id.in_(sorted(tenant_ids)))
    with db.reading() as connection:
        return {str(row[0]): row[1] for row in connection.execute(query)}


def page(
    *,
    text: str | None,
    state: str | None,
    platform_id: str | None,
    before: tuple[datetime, str] | None,
    limit: int,
) -> list[ListedTenant]:
    """Tenants, the newest first, before that place; `text`: part of a name, or a whole id."""
    query = _ALL
    if text:
        has_text = Tenant.name.icontains(text, autoescape=True)
        query = query.where(or_(has_text, Tenant.id == text, Tenant.external_id == text))
    if state is not None:
        query = query.where(STATES[state])
    if platform_id is not None:
        query = query.where(Tenant.platform_id == platform_id)
    if before is not None:
        query = query.where(tuple_(Tenant.created_at, Tenant.id) < before)
    ordered = query.order_by(Tenant.created_at.desc(), Tenant.id.desc()).limit(limit)
    with db.reading() as connection:
        return _TENANT.all(connection.execute(ordered))
