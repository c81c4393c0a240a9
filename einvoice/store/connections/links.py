"""Connection links: making, finding and ending them.

A transaction that locks a connection and a link locks the connection first, and one that locks the
tenant locks it before both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import delete, func, or_, select, tuple_, update
from sqlalchemy.orm import Session, aliased

from einvoice.domain.connection_links import LinkState
from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import ConnectionConsent, ConnectionLink, Tenant


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """A link as its makers see it, without its token."""

    id: str
    tenant_id: str
    environment: str
    access_point: str
    network: str
    account: str | None
    name: str
    connection_id: str | None
    attempts: int
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None

    def state(self, now: datetime) -> LinkState:
        """Whether it can be opened at this moment."""
        return LinkState.of(
            used_at=self.used_at, revoked_at=self.revoked_at, expires_at=self.expires_at, now=now
        )


_RECORD = RecordColumns(LinkRecord, ConnectionLink)
_HAS_TOKEN = ConnectionLink.digest.is_not(None)
_OPTIONS = {"synchronize_session": False}


def record(link: ConnectionLink) -> LinkRecord:
    """The record of a model."""
    return _RECORD.of(link)


def find(tenant_id: str, link_id: str) -> LinkRecord | None:
    """The tenant's link, in any state."""
    query = _RECORD.select().where(
        ConnectionLink.tenant_id == tenant_id, ConnectionLink.id == link_id
    )
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def page(
    tenant_id: str,
    environments: Sequence[str],
    after: tuple[datetime, str] | None,
    limit: int,
) -> list[LinkRecord]:
    """The tenant's links, oldest first, after a position (created_at, id)."""
    query = _RECORD.select().where(
        ConnectionLink.tenant_id == tenant_id, ConnectionLink.environment.in_(environments)
    )
    if after is not None:
        query = query.where(tuple_(ConnectionLink.created_at, ConnectionLink.id) > after)
    query = query.order_by(ConnectionLink.created_at, ConnectionLink.id).limit(limit)
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query))


def count_open(session: Session, tenant_id: str, environment: str, now: datetime) -> int:
    """How many of the tenant's links in the environment can be opened."""
    query = select(func.count()).where(*_open_of(tenant_id, environment, now))
    return session.execute(query).scalar_one()


def _open_of(tenant_id: str, environment: str, now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        ConnectionLink.tenant_id == tenant_id,
        ConnectionLink.environment == environment,
        _HAS_TOKEN,
        ConnectionLink.expires_at > now,
    )


def drop_oldest_ended(
    session: Session, tenant_id: str, environment: str, now: datetime, keep: int
) -> None:
    """Delete the tenant's links in the environment that have ended, but for the newest ones."""
    ended = or_(~_HAS_TOKEN, ConnectionLink.expires_at <= now)
    oldest = (
        select(ConnectionLink.id)
        .where(
            ConnectionLink.tenant_id == tenant_id, ConnectionLink.environment == environment, ended
        )
        .order_by(ConnectionLink.created_at.desc(), ConnectionLink.id)
        .offset(keep)
    )
    ids = list(session.scalars(oldest))
    if ids:
        gone = delete(ConnectionLink).where(ConnectionLink.id.in_(ids))
        session.execute(gone, execution_options=_OPTIONS)


# -- by its token ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PresentedLink:
    """An open link, with the names of its tenant and, where it has one, of its platform."""

    link: LinkRecord
    tenant: str
    platform: str | None


_PLATFORM = aliased(Tenant)


def find_open(digest: str, now: datetime) -> PresentedLink | None:
    """The link with this digest, if it can be opened and its tenant is not closed."""
    query = (
        _RECORD.select()
        .add_columns(Tenant.name, _PLATFORM.name)
        .join(Tenant, Tenant.id == ConnectionLink.tenant_id)
        .outerjoin(_PLATFORM, _PLATFORM.id == Tenant.platform_id)
        .where(
            ConnectionLink.digest == digest,
            ConnectionLink.expires_at > now,
            Tenant.closed_at.is_(None),
        )
    )
    with db.reading() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        return None
    *values, tenant, platform = row
    return PresentedLink(_RECORD.of_values(values), tenant, platform)


def lock_open(session: Session, link_id: str, now: datetime) -> ConnectionLink | None:
    """The link, locked until the end of the transaction, if it can still be opened."""
    query = (
        select(ConnectionLink)
        .where(ConnectionLink.id == link_id, _HAS_TOKEN, ConnectionLink.expires_at > now)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return session.scalar(query)


# -- the end ---------------------------------------------------------------------------------------


def use(session: Session, connection_id: str, now: datetime, grace: timedelta) -> str | None:
    """End the connection's open link, as used; its id.

    grace  how long ago it may have expired: a consent that was begun in time may end later
    """
    used = (
        update(ConnectionLink)
        .where(
            ConnectionLink.connection_id == connection_id,
            _HAS_TOKEN,
            ConnectionLink.expires_at > now - grace,
        )
        .values(digest=None, used_at=now)
        .returning(ConnectionLink.id)
    )
    return session.execute(used, execution_options=_OPTIONS).scalars().first()


def revoke(session: Session, link_id: str, now: datetime) -> bool:
    """Revoke a link, with the consent that was begun by it; whether it had not ended before."""
    return bool(_revoke(session, now, ConnectionLink.id == link_id))


def revoke_of_connection(session: Session, connection_id: str, now: datetime) -> None:
    """Revoke the open links of a connection."""
    _revoke(session, now, ConnectionLink.connection_id == connection_id)


def revoke_of_account(
    session: Session, tenant_id: str, access_point: str, account: str, now: datetime
) -> None:
    """Revoke the tenant's open links for an account at an access point."""
    _revoke(
        session,
        now,
        ConnectionLink.tenant_id == tenant_id,
        ConnectionLink.access_point == access_point,
        ConnectionLink.account == account,
    )


def revoke_all(session: Session, tenant_id: str, now: datetime) -> None:
    """Revoke all open links of the tenant."""
    _revoke(session, now, ConnectionLink.tenant_id == tenant_id)


def _revoke(session: Session, now: datetime, *which: sa.ColumnElement[bool]) -> list[str]:
    ended = (
        update(ConnectionLink)
        .where(*which, _HAS_TOKEN)
        .values(digest=None, revoked_at=now)
        .returning(ConnectionLink.id)
    )
    ids = list(session.execute(ended, execution_options=_OPTIONS).scalars())
    if ids:
        begun = delete(ConnectionConsent).where(ConnectionConsent.link_id.in_(ids))
        session.execute(begun, execution_options=_OPTIONS)
    return ids


def forget_connection(session: Session, connection_id: str) -> None:
    """Delete the links of a connection whose row is deleted."""
    gone = delete(ConnectionLink).where(ConnectionLink.connection_id == connection_id)
    session.execute(gone, execution_options=_OPTIONS)
