"""Consents that connections of a tenant share: their sealed credentials, and who may use them now.

A transaction that locks a consent and connections locks the consent first, then the connections in
the order of their ids.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.engine import Connection as DatabaseConnection
from sqlalchemy.orm import Session

from einvoice import clock
from einvoice.domain.connections import State
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Connection, SharedConsent

PREFIX = "wdr_"  # of the outbox row that withdraws a consent


@dataclass(frozen=True, slots=True)
class SealedConsent:
    """The sealed credentials of a consent, and the version they belong to."""

    id: str
    version: int
    credentials: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class EndedConsent:
    """A consent without connections, which is to be withdrawn at its network."""

    id: str
    tenant_id: str
    environment: str
    access_point: str
    ended_at: datetime


_SEALED = RecordColumns(SealedConsent, SharedConsent)
_ENDED = RecordColumns(EndedConsent, SharedConsent)


def find(connection: DatabaseConnection, consent_id: str) -> SealedConsent | None:
    """The sealed credentials of a consent."""
    query = _SEALED.select().where(SharedConsent.id == consent_id)
    return _SEALED.one_or_none(connection.execute(query))


def lock(session: Session, consent_id: str) -> SealedConsent | None:
    """The consent, locked until the end of the transaction."""
    query = _SEALED.select().where(SharedConsent.id == consent_id).with_for_update()
    return _SEALED.one_or_none(session.execute(query))


def lease(
    connection: DatabaseConnection, consent_id: str, token: str, now: datetime, until: datetime
) -> SealedConsent | None:
    """Take the consent for one caller; None while another has it, or if it is gone."""
    free = or_(SharedConsent.lease_until.is_(None), SharedConsent.lease_until <= now)
    taken = (
        update(SharedConsent)
        .where(SharedConsent.id == consent_id, free)
        .values(lease_token=token, lease_until=until)
        .returning(*_SEALED.returning())
    )
    return _SEALED.one_or_none(connection.execute(taken))


def release(connection: DatabaseConnection, consent_id: str, token: str) -> None:
    """Give up the lease, unless another caller has it by now."""
    connection.execute(
        update(SharedConsent)
        .where(SharedConsent.id == consent_id, SharedConsent.lease_token == token)
        .values(lease_token=None, lease_until=None)
    )


def change(session: Session, seen: SealedConsent, credentials: bytes) -> bool:
    """Compare-and-set: replace the credentials if the version is the one of `seen`; whether it was.

    Also of a consent that has ended: the last ones are withdrawn.
    """
    options = {"synchronize_session": False}
    changed = (
        update(SharedConsent)
        .where(SharedConsent.id == seen.id, SharedConsent.version == seen.version)
        .values(credentials=credentials, version=seen.version + 1)
        .returning(SharedConsent.id)
    )
    if session.execute(changed, execution_options=options).scalar_one_or_none() is None:
        return False
    users = update(Connection).where(
        Connection.consent_id == seen.id, Connection.state != State.REVOKED.value
    )
    session.execute(users.values(renewed_at=clock.now()), execution_options=options)
    return True


def connections(session: Session, consent_id: str, but: str) -> list[Connection]:
    """The connections that use the consent and are not revoked, locked; `but`: without this one."""
    query = (
        select(Connection)
        .where(
            Connection.consent_id == consent_id,
            Connection.id != but,
            Connection.state != State.REVOKED.value,
        )
        .order_by(Connection.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return list(session.scalars(query))


# -- the end ---------------------------------------------------------------------------------------


def end_unused(session: Session, tenant_id: str, now: datetime) -> None:
    """End the tenant's consents that no connection uses: a worker withdraws them.

    Those that were not given are deleted.
    """
    used = (
        select(Connection.id)
        .where(
            Connection.consent_id == SharedConsent.id, Connection.state != State.REVOKED.value
        )
        .exists()
    )  # fmt: skip
    unused = (SharedConsent.tenant_id == tenant_id, SharedConsent.ended_at.is_(None), ~used)
    options = {"synchronize_session": False}
    session.execute(
        delete(SharedConsent).where(*unused, SharedConsent.credentials.is_(None)),
        execution_options=options,
    )
    ended = update(SharedConsent).where(*unused).values(ended_at=now)
    returning = ended.returning(*_ENDED.returning())
    for one in _ENDED.all(session.execute(returning, execution_options=options)):
        outbox.enqueue(
            session.connection(),
            kind=outbox.CONSENT,
            lane=outbox.PLUGINS,
            subject_id=PREFIX + one.id,
            tenant_id=tenant_id,
            due_at=now,
            access_point=one.access_point,
        )


def ended(consent_id: str) -> EndedConsent | None:
    """A consent that is to be withdrawn."""
    query = _ENDED.select().where(
        SharedConsent.id == consent_id, SharedConsent.ended_at.is_not(None)
    )
    with db.reading() as connection:
        return _ENDED.one_or_none(connection.execute(query))


def count_ended(before: datetime) -> int:
    """For operators: consents of all tenants that ended before then and are not withdrawn yet."""
    query = select(func.count()).where(SharedConsent.ended_at < before)
    with db.reading() as connection:
        return connection.execute(query).scalar_one()


def lease_ended(
    consent_id: str, token: str, now: datetime, until: datetime
) -> SealedConsent | None:
    """As `lease`, in a transaction of its own."""
    with db.writing() as connection:
        return lease(connection, consent_id, token, now, until)


def remove(connection: DatabaseConnection, consent_id: str) -> None:
    """Delete a consent and its credentials."""
    connection.execute(delete(SharedConsent).where(SharedConsent.id == consent_id))
