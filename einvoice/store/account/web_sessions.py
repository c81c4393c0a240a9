"""Sessions of people at the pages of the dashboard: by the digest of their token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import WebSession


@dataclass(frozen=True, slots=True)
class WebSessionRecord:
    """A session; `secrets` are sealed."""

    id: str
    issuer: str
    subject: str
    email: str | None
    name: str | None
    roles: Mapping[str, str]
    tenant_id: str | None
    environment: str
    language: str | None
    secrets: bytes | None = field(repr=False)
    issued_at: float
    created_at: datetime
    seen_at: datetime
    refreshed_at: datetime
    expires_at: datetime
    is_operator: bool = False
    dates: str | None = None


_COLUMNS = RecordColumns(WebSessionRecord, WebSession)


def find(session_id: str, *, is_operator: bool = False) -> WebSessionRecord | None:
    """The session with this digest, of a tenant's person or of an operator, also one that has
    ended by time."""
    query = _COLUMNS.select().where(
        WebSession.id == session_id, WebSession.is_operator == is_operator
    )
    with db.reading() as connection:
        return _COLUMNS.one_or_none(connection.execute(query))


def add(connection: Connection, record: Mapping[str, Any]) -> None:
    """Add a session with these columns."""
    connection.execute(insert(WebSession).values(record))


def change(session_id: str, values: Mapping[str, Any]) -> None:
    """Change columns of a session, if there still is one."""
    with db.writing() as connection:
        connection.execute(update(WebSession).where(WebSession.id == session_id).values(values))


def of_tenant(tenant_id: str, now: datetime, most: int) -> list[WebSessionRecord]:
    """The sessions in an account that have not expired, those used last first."""
    query = (
        _COLUMNS.select()
        .where(WebSession.tenant_id == tenant_id, WebSession.expires_at > now)
        .order_by(WebSession.seen_at.desc(), WebSession.id)
        .limit(most)
    )
    with db.reading() as connection:
        return _COLUMNS.all(connection.execute(query))


def claim_refresh(session_id: str, before: datetime, now: datetime) -> bool:
    """Set `refreshed_at`, unless another request did; whether this one did."""
    with db.writing() as connection:
        changed = connection.execute(
            update(WebSession)
            .where(WebSession.id == session_id, WebSession.refreshed_at == before)
            .values(refreshed_at=now)
        )
    return bool(changed.rowcount)


def remove(session_id: str) -> None:
    """End a session."""
    with db.writing() as connection:
        connection.execute(delete(WebSession).where(WebSession.id == session_id))


def make_room(
    connection: Connection, issuer: str, subject: str, most: int, now: datetime, sweep: int
) -> None:
    """Delete the person's oldest sessions beyond `most`, and up to `sweep` expired ones of all."""
    newest = (
        select(WebSession.id)
        .where(WebSession.issuer == issuer, WebSession.subject == subject)
        .order_by(WebSession.created_at.desc(), WebSession.id)
    )
    expired = select(WebSession.id).where(WebSession.expires_at < now).limit(sweep)
    for query in (newest.offset(most), expired):
        ids = list(connection.execute(query).scalars())
        connection.execute(delete(WebSession).where(WebSession.id.in_(ids)))
