"""API keys, found by their fingerprint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, or_, select, update
from sqlalchemy.engine import Connection

from einvoice.store import db
from einvoice.store.records import RecordColumns
from einvoice.store.tables import ApiKey


@dataclass(frozen=True, slots=True)
class ApiKeyRecord:
    """An API key's metadata. The secret is never stored."""

    id: str
    tenant_id: str
    environment: str
    name: str
    prefix: str
    last4: str
    scopes: Sequence[str]
    allowed_ips: Sequence[str]
    allowed_receivers: Sequence[str]
    get_per_minute: int | None
    post_per_minute: int | None
    created_by: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    last_used_ip: str | None


_RECORD = RecordColumns(ApiKeyRecord, ApiKey)


def add(connection: Connection, record: ApiKeyRecord, digest: str) -> None:
    values = {name: getattr(record, name) for name in ApiKeyRecord.__slots__}
    connection.execute(insert(ApiKey).values(digest=digest, **values))


def find_live(digest: str, now: datetime) -> ApiKeyRecord | None:
    """The key of this fingerprint, unless revoked or expired."""
    query = _RECORD.select().where(
        ApiKey.digest == digest,
        or_(ApiKey.revoked_at.is_(None), ApiKey.revoked_at > now),
        or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > now),
    )
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def find(tenant_id: str, key_id: str) -> ApiKeyRecord | None:
    """The tenant's key of this id, in any state."""
    query = _RECORD.select().where(ApiKey.id == key_id, ApiKey.tenant_id == tenant_id)
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def expire(connection: Connection, key: ApiKeyRecord, at: datetime, now: datetime) -> bool:
    """Let a key that works end then; False where it does not work, or not as `key` says."""
    changed = connection.execute(
        update(ApiKey)
        .where(
            ApiKey.id == key.id,
            or_(ApiKey.revoked_at.is_(None), ApiKey.revoked_at > now),
            or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > now),
            ApiKey.expires_at.is_not_distinct_from(key.expires_at),
        )
        .values(expires_at=at)
    )
    return bool(changed.rowcount)


def of_tenant(tenant_id: str) -> list[ApiKeyRecord]:
    query = _RECORD.select().where(ApiKey.tenant_id == tenant_id).order_by(ApiKey.created_at)
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query))


def ending(now: datetime, until: datetime) -> list[ApiKeyRecord]:
    """Keys that work now and end by then, of all tenants."""
    query = _RECORD.select().where(
        ApiKey.revoked_at.is_(None), ApiKey.expires_at > now, ApiKey.expires_at <= until
    )
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query.order_by(ApiKey.expires_at)))


def lock(connection: Connection, key_id: str) -> None:
    """Lock the row of the key until the transaction ends."""
    connection.execute(select(ApiKey.id).where(ApiKey.id == key_id).with_for_update())


def change(connection: Connection, tenant_id: str, key_id: str, values: Mapping[str, Any]) -> None:
    connection.execute(
        update(ApiKey).where(ApiKey.id == key_id, ApiKey.tenant_id == tenant_id).values(**values)
    )


def revoke(connection: Connection, tenant_id: str, key_id: str, now: datetime) -> None:
    """Revoke from now on, unless it is already."""
    connection.execute(
        update(ApiKey)
        .where(ApiKey.id == key_id, ApiKey.tenant_id == tenant_id, ApiKey.revoked_at.is_(None))
        .values(revoked_at=now)
    )


def limit(tenant_id: str, key_id: str, get: int | None, post: int | None) -> bool:
    """Set requests a minute, None for the default; False where the tenant has no such key."""
    with db.writing() as connection:
        changed = connection.execute(
            update(ApiKey)
            .where(ApiKey.id == key_id, ApiKey.tenant_id == tenant_id)
            .values(get_per_minute=get, post_per_minute=post)
        )
        return bool(changed.rowcount)


def used(key_id: str, now: datetime, address: str | None) -> None:
    """Note when and from where the key was last seen."""
    with db.writing() as connection:
        connection.execute(
            update(ApiKey).where(ApiKey.id == key_id).values(last_used_at=now, last_used_ip=address)
        )
