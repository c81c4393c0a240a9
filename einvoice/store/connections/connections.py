"""Connections: administration by models, changes of their secrets by compare-and-set.

Queries that serve a tenant name it; queries of operators and of the duty read all tenants.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import and_, delete, func, literal, or_, select, true, tuple_, update
from sqlalchemy.engine import Connection as DatabaseConnection
from sqlalchemy.orm import Session

from einvoice import clock
from einvoice.domain.connections import State
from einvoice.store import outbox
from einvoice.store.connections import links, shared_consents
from einvoice.store.connections.shared_consents import SealedConsent
from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Connection, ConnectionConsent, Outbox

LEAVE_PREFIX = "lve_"  # of the outbox row of a connection whose network is to be left


@dataclass(frozen=True, slots=True)
class ConnectionRecord:
    """A connection as its owner sees it, without its secrets."""

    id: str
    tenant_id: str
    environment: str
    access_point: str
    network: str
    account: str
    name: str
    state: str
    reason: str | None
    consent_by: str | None
    consent_at: datetime | None
    consent_id: str | None
    expires_at: datetime | None
    valid_until: datetime | None
    renewed_at: datetime | None
    created_at: datetime
    updated_at: datetime
    checked_at: datetime | None
    gl_account_code: str | None


@dataclass(frozen=True, slots=True)
class SealedConnection:
    """The sealed values of a connection, and the version they belong to.

    consent      the shared consent, which has the credentials then; None: the connection has them
    lease_token  of who has it
    """

    id: str
    tenant_id: str
    environment: str
    access_point: str
    account: str
    name: str
    state: str
    reason: str | None
    version: int
    state_version: int | None
    expires_at: datetime | None
    throttled_until: datetime | None
    consent_id: str | None
    gl_account_code: str | None
    credentials: bytes | None = field(repr=False)
    plugin_state: bytes | None = field(repr=False)
    lease_token: str | None = field(default=None, repr=False)
    consent: SealedConsent | None = None


@dataclass(frozen=True, slots=True)
class ConsentRecord:
    """A consent that a person gives in the browser."""

    tenant_id: str
    connection_id: str
    subject: str
    browser: str
    expires_at: datetime
    link_id: str | None


_RECORD = RecordColumns(ConnectionRecord, Connection)
_SEALED = RecordColumns(SealedConnection, Connection)
_CONSENT = RecordColumns(ConsentRecord, ConnectionConsent)
_IS_REVOKED = Connection.state == State.REVOKED.value
_OPEN_STATES = [state.value for state in State if state is not State.REVOKED]


def record(connection: Connection) -> ConnectionRecord:
    """The record of a model."""
    return _RECORD.of(connection)


def sealed(connection: Connection) -> SealedConnection:
    """The sealed values of a model."""
    return _SEALED.of(connection)


def find(
    session: Session, tenant_id: str, connection_id: str, *, locked: bool = False
) -> Connection | None:
    """The tenant's connection in any state; `locked` until the end of the transaction."""
    query = select(Connection).where(
        Connection.tenant_id == tenant_id, Connection.id == connection_id
    )
    return session.scalar(query.with_for_update() if locked else query)


def of_account(
    session: Session, tenant_id: str, environment: str, access_point: str, account: str
) -> Connection | None:
    """The tenant's connection for the account that is not revoked."""
    return session.scalar(
        select(Connection).where(
            Connection.tenant_id == tenant_id,
            Connection.environment == environment,
            Connection.access_point == access_point,
            Connection.account == account,
            Connection.state.in_(_OPEN_STATES),
        )
    )


def account_of_bills(connection_id: str) -> str | None:
    """The GL account of bills that come by a connection of any tenant, for workers."""
    query = select(Connection.gl_account_code).where(Connection.id == connection_id)
    with db.reading() as connection:
        found: str | None = connection.execute(query).scalar()
    return found


def count_open(session: Session, tenant_id: str, environment: str) -> int:
    """How many of the tenant's connections in the environment are not revoked."""
    query = select(func.count()).where(
        Connection.tenant_id == tenant_id,
        Connection.environment == environment,
        Connection.state.in_(_OPEN_STATES),
    )
    return session.execute(query).scalar_one()


def page(
    tenant_id: str,
    matching: Mapping[str, str],
    after: tuple[datetime, str] | None,
    limit: int,
) -> list[ConnectionRecord]:
    """The tenant's connections, oldest first, after a position (created_at, id).

    matching  values of the columns environment and state
    """
    query = select(Connection).where(Connection.tenant_id == tenant_id)
    for column, value in matching.items():
        query = query.where(getattr(Connection, column) == value)
    if after is not None:
        query = query.where(tuple_(Connection.created_at, Connection.id) > after)
    query = query.order_by(Connection.created_at, Connection.id).limit(limit)
    with db.reading_session() as session:
        return [record(connection) for connection in session.scalars(query)]


def drop_oldest_revoked(session: Session, tenant_id: str, environment: str, keep: int) -> None:
    """Delete the tenant's revoked connections in the environment but for the newest ones."""
    oldest = (
        select(Connection)
        .where(
            Connection.tenant_id == tenant_id, Connection.environment == environment, _IS_REVOKED
        )
        .order_by(Connection.updated_at.desc(), Connection.id)
        .offset(keep)
    )
    for connection in session.scalars(oldest).all():
        session.execute(
            delete(ConnectionConsent).where(ConnectionConsent.connection_id == connection.id)
        )
        links.forget_connection(session, connection.id)
        session.delete(connection)


def revoke(
    session: Session, connection: Connection, reason: str, now: datetime, *, leaves: bool = False
) -> None:
    """Revoke a locked connection: its credentials, state and consents are deleted, links end.

    leaves  a worker calls the network before; credentials and state are kept until then
    """
    leaves = leaves and connection.credentials is not None
    _set(connection, _revoked(reason, now, keep=leaves))
    if leaves:
        _leave(
            session.connection(), connection.id, connection.tenant_id, connection.access_point, now
        )
    connection.version += 1
    links.revoke_of_connection(session, connection.id, now)
    session.execute(
        delete(ConnectionConsent).where(ConnectionConsent.connection_id == connection.id)
    )


def ids_of(session: Session, tenant_id: str) -> list[str]:
    """The ids of all connections of the tenant."""
    return list(session.scalars(select(Connection.id).where(Connection.tenant_id == tenant_id)))


def revoke_all(
    session: Session, tenant_id: str, reason: str, now: datetime, leaving: Collection[str] = ()
) -> None:
    """Revoke all connections of the tenant, and the links to open them.

    leaving  access points of which a worker calls the network before it deletes the credentials
    """
    session.execute(delete(ConnectionConsent).where(ConnectionConsent.tenant_id == tenant_id))
    leaves = and_(Connection.access_point.in_(list(leaving)), Connection.credentials.is_not(None))
    options = {"synchronize_session": False}
    for keep, which in ((True, leaves), (False, true())):
        revoked = (
            update(Connection)
            .where(Connection.tenant_id == tenant_id, ~_IS_REVOKED, which)
            .values(version=Connection.version + 1, **_revoked(reason, now, keep=keep))
            .returning(Connection.id, Connection.access_point)
        )
        for one in session.execute(revoked, execution_options=options).all():
            if keep:
                _leave(session.connection(), one.id, tenant_id, one.access_point, now)
    links.revoke_all(session, tenant_id, now)


def _revoked(reason: str, now: datetime, *, keep: bool) -> dict[str, Any]:
    """`keep`: credentials and state stay until the network was left."""
    secrets = () if keep else ("credentials", "plugin_state")
    nothing = dict.fromkeys((*secrets, "lease_token", "lease_until"))
    return {"state": State.REVOKED.value, "reason": reason, "updated_at": now, **nothing}


def _leave(
    connection: DatabaseConnection, connection_id: str, tenant_id: str, point: str, now: datetime
) -> None:
    outbox.enqueue(
        connection,
        kind=outbox.LEAVE,
        lane=outbox.PLUGINS,
        subject_id=LEAVE_PREFIX + connection_id,
        tenant_id=tenant_id,
        due_at=now,
        access_point=point,
    )


@dataclass(frozen=True, slots=True)
class Leaving:
    """A revoked connection whose network is still to be left. `ended_at`: when it was revoked."""

    connection: SealedConnection
    ended_at: datetime


def leaving(connection_id: str) -> Leaving | None:
    """The connection of any tenant; None if its network was left, or given up."""
    with db.reading_session() as session:
        found = session.scalar(
            select(Connection).where(
                Connection.id == connection_id, _IS_REVOKED, Connection.credentials.is_not(None)
            )
        )
        return None if found is None else Leaving(sealed(found), found.updated_at)


def left(connection: DatabaseConnection, connection_id: str) -> None:
    """Delete the credentials and state of a revoked connection."""
    connection.execute(
        update(Connection)
        .where(Connection.id == connection_id, _IS_REVOKED)
        .values(credentials=None, plugin_state=None)
    )


def _set(connection: Connection, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(connection, name, value)


# -- exclusive use and compare-and-set -------------------------------------------------------------


def lease(
    tenant_id: str, connection_id: str, token: str, now: datetime, until: datetime
) -> SealedConnection | None:
    """Take the connection and its consent for one caller.

    None while another has one of them, or if the connection is revoked.
    """
    place = (tenant_id, connection_id, token, now, until)
    with db.writing() as connection:
        taken = _taken(connection, None, *place)
        if taken is not None:
            return taken
        consent_id = connection.execute(
            select(Connection.consent_id).where(
                Connection.tenant_id == tenant_id, Connection.id == connection_id
            )
        ).scalar_one_or_none()
        if consent_id is None:
            return None
        consent = shared_consents.lease(connection, consent_id, token, now, until)
        if consent is None:
            return None
        taken = _taken(connection, consent_id, *place)
        if taken is None:
            shared_consents.release(connection, consent_id, token)
        return None if taken is None else replace(taken, consent=consent)


def _taken(
    connection: DatabaseConnection,
    consent_id: str | None,
    tenant_id: str,
    connection_id: str,
    token: str,
    now: datetime,
    until: datetime,
) -> SealedConnection | None:
    free = or_(Connection.lease_until.is_(None), Connection.lease_until <= now)
    taken = (
        update(Connection)
        .where(
            Connection.tenant_id == tenant_id,
            Connection.id == connection_id,
            Connection.consent_id.is_not_distinct_from(consent_id),
            ~_IS_REVOKED,
            free,
        )
        .values(lease_token=token, lease_until=until)
        .returning(*_SEALED.returning())
    )
    return _SEALED.one_or_none(connection.execute(taken))


def release(connection_id: str, token: str, consent_id: str | None = None) -> None:
    """Give up the lease of the row and of its consent, unless another caller has it by now."""
    given = (
        update(Connection)
        .where(Connection.id == connection_id, Connection.lease_token == token)
        .values(lease_token=None, lease_until=None)
    )
    with db.writing() as connection:
        if consent_id is not None:
            shared_consents.release(connection, consent_id, token)
        connection.execute(given)


def change(session: Session, seen: SealedConnection, values: Mapping[str, Any]) -> bool:
    """Compare-and-set: change columns if the row still has version and lease of `seen`; whether.

    Whose lease ran out while it called, and is another's by now, changes nothing.

    A `plugin_state` that documents have changed meanwhile is kept. The credentials of a connection
    with a consent are those of the consent, which are changed although it was revoked meanwhile.
    """
    if seen.consent is not None and "credentials" in values:
        if not shared_consents.change(session, seen.consent, values["credentials"]):
            return False
        values = {name: value for name, value in values.items() if name != "credentials"}
    elif "credentials" in values:
        values = {**values, "renewed_at": clock.now()}
    same = and_(
        Connection.version == seen.version,
        Connection.lease_token.is_not_distinct_from(seen.lease_token),
    )
    changed = _change_where(seen, same, values)
    if "plugin_state" not in values:
        return session.execute(changed).scalar_one_or_none() is not None
    with_state = _change_where(
        seen,
        and_(same, _has_state_of(seen)),
        {**values, "state_version": (seen.state_version or 0) + 1},
    )
    if session.execute(with_state).scalar_one_or_none() is not None:
        return True
    rest = {name: value for name, value in values.items() if name != "plugin_state"}
    changed = _change_where(seen, same, rest)
    return session.execute(changed).scalar_one_or_none() is not None


def _has_state_of(seen: SealedConnection) -> sa.ColumnElement[bool]:
    return func.coalesce(Connection.state_version, 0) == (seen.state_version or 0)


def _change_where(
    seen: SealedConnection, where: sa.ColumnElement[bool], values: Mapping[str, Any]
) -> sa.Executable:
    mine = and_(
        Connection.tenant_id == seen.tenant_id, Connection.id == seen.id, ~_IS_REVOKED, where
    )
    changed = update(Connection).where(mine).values(version=seen.version + 1, **values)
    returning = changed.returning(Connection.id)
    return returning.execution_options(synchronize_session=False)


def has_credentials_of(session: Session, found: Connection, seen: SealedConnection) -> bool:
    """Whether the credentials are still the ones of `seen`."""
    if seen.consent is None:
        return found.credentials == seen.credentials
    known = shared_consents.find(session.connection(), seen.consent.id)
    return known is not None and known.version == seen.consent.version


def change_state(connection: DatabaseConnection, seen: SealedConnection, state: bytes) -> bool:
    """Compare-and-set: replace `plugin_state` if it is the one of `seen`; whether it was."""
    changed = (
        update(Connection)
        .where(Connection.id == seen.id, ~_IS_REVOKED, _has_state_of(seen))
        .values(plugin_state=state, state_version=(seen.state_version or 0) + 1)
    )
    return connection.execute(changed).rowcount == 1


# -- documents -------------------------------------------------------------------------------------


def for_sending(connection_id: str) -> SealedConnection | None:
    """A connection of any tenant, for workers."""
    query = _SEALED.select().where(Connection.id == connection_id)
    with db.reading() as connection:
        found = _SEALED.one_or_none(connection.execute(query))
        if found is None or found.consent_id is None:
            return found
        return replace(found, consent=shared_consents.find(connection, found.consent_id))


def sealed_at(access_point: str, limit: int) -> list[SealedConnection]:
    """Connections of all tenants at an access point that are not revoked, oldest first; without
    those that share a consent."""
    query = _SEALED.select().where(
        Connection.access_point == access_point,
        Connection.state.in_(_OPEN_STATES),
        Connection.consent_id.is_(None),
    )
    order = (Connection.created_at, Connection.id)
    with db.reading() as connection:
        return _SEALED.all(connection.execute(query.order_by(*order).limit(limit)))


def count_in(states: Sequence[State]) -> dict[str, int]:
    """How many connections of all tenants are in one of these states, by access point."""
    query = (
        select(Connection.access_point, func.count())
        .where(Connection.state.in_(states))
        .group_by(Connection.access_point)
    )
    with db.reading() as connection:
        return {point: count for point, count in connection.execute(query)}  # noqa: C416


def locked_state(connection: DatabaseConnection, connection_id: str) -> State:
    """The state, locked until the end of the transaction; one that is deleted was revoked."""
    query = select(Connection.state).where(Connection.id == connection_id).with_for_update()
    found = connection.execute(query).scalar_one_or_none()
    return State.REVOKED if found is None else State(found)


def throttle(connection_id: str, until: datetime) -> None:
    """Note until when the network takes nothing from the account."""
    later = or_(Connection.throttled_until.is_(None), Connection.throttled_until < until)
    given = update(Connection).where(Connection.id == connection_id, later)
    with db.writing() as connection:
        connection.execute(given.values(throttled_until=until))


def open_at(tenant_id: str, environment: str, access_point: str) -> list[ConnectionRecord]:
    """The tenant's connections at the access point that are not revoked, oldest first."""
    query = _RECORD.select().where(
        Connection.tenant_id == tenant_id,
        Connection.environment == environment,
        Connection.access_point == access_point,
        Connection.state.in_(_OPEN_STATES),
    )
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query.order_by(Connection.created_at, Connection.id)))


# -- consents --------------------------------------------------------------------------------------


def take_consent(consent_id: str, browser: str, now: datetime) -> ConsentRecord | None:
    """Delete and return the consent that began in this browser; None if it has expired."""
    taken = (
        delete(ConnectionConsent)
        .where(
            ConnectionConsent.id == consent_id,
            ConnectionConsent.browser == browser,
            ConnectionConsent.expires_at > now,
        )
        .returning(*_CONSENT.returning())
    )
    with db.writing() as connection:
        return _CONSENT.one_or_none(connection.execute(taken))


def drop_consents(session: Session, connection_id: str, now: datetime) -> None:
    """Delete the connection's consents, and all consents that have expired, of any tenant."""
    session.execute(
        delete(ConnectionConsent).where(
            or_(
                ConnectionConsent.connection_id == connection_id,
                ConnectionConsent.expires_at <= now,
            )
        )
    )


# -- for operators and duties ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StateCount:
    """How many connections of all tenants have a state, and the soonest end of one of them."""

    state: str
    count: int
    soonest_end: datetime | None


def count_by_state() -> list[StateCount]:
    """The states of the connections of all tenants, those that are not revoked."""
    query = (
        select(Connection.state, func.count(), func.min(Connection.expires_at))
        .where(~_IS_REVOKED)
        .group_by(Connection.state)
        .order_by(Connection.state)
    )
    with db.reading() as connection:
        return [StateCount(*row) for row in connection.execute(query)]


def all_of(tenant_id: str | None, limit: int) -> list[ConnectionRecord]:
    """Connections of a tenant (None: of all, without revoked ones), the first to end first."""
    mine = ~_IS_REVOKED if tenant_id is None else Connection.tenant_id == tenant_id
    query = _RECORD.select().where(mine)
    order = (Connection.expires_at.is_(None), Connection.expires_at, Connection.id)
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query.order_by(*order).limit(limit)))


def with_tokens(limit: int) -> list[ConnectionRecord]:
    """Connections of all tenants that are valid until a time, the first of them first."""
    query = (
        _RECORD.select()
        .where(Connection.valid_until.is_not(None), ~_IS_REVOKED)
        .order_by(Connection.valid_until, Connection.id)
    )
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query.limit(limit)))


def by_id(connection_id: str) -> ConnectionRecord | None:
    """A connection of any tenant, in any state."""
    with db.reading() as connection:
        return _RECORD.one_or_none(
            connection.execute(_RECORD.select().where(Connection.id == connection_id))
        )


def without_row(
    prefix: str, limit: int, access_points: Sequence[str] | None = None
) -> list[ConnectionRecord]:
    """Connections of all tenants that were opened once, are not revoked, and have no outbox row
    of the subject `prefix` + id; `access_points`: only those of these."""
    opened = [state for state in _OPEN_STATES if state != State.SETTING_UP]
    row = select(Outbox.id).where(Outbox.subject_id == literal(prefix) + Connection.id)
    query = _RECORD.select().where(Connection.state.in_(opened), ~row.exists())
    if access_points is not None:
        query = query.where(Connection.access_point.in_(access_points))
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query.limit(limit)))


def of_access_point(access_point: str, limit: int) -> list[ConnectionRecord]:
    """Connections of all tenants at an access point that are not revoked, oldest first."""
    query = _RECORD.select().where(
        Connection.access_point == access_point, Connection.state.in_(_OPEN_STATES)
    )
    with db.reading() as connection:
        found = connection.execute(
            query.order_by(Connection.created_at, Connection.id).limit(limit)
        )
        return _RECORD.all(found)


def ending(until: datetime) -> list[ConnectionRecord]:
    """The usable connections of all tenants that end by then, the first to end first."""
    query = (
        _RECORD.select()
        .where(
            Connection.state.in_([State.ACTIVE.value, State.RENEWAL_DUE.value]),
            Connection.expires_at <= until,
        )
        .order_by(Connection.expires_at)
    )
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query))
