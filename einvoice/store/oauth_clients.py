"""OAuth clients, found by their id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.engine import Connection

from einvoice.store import db
from einvoice.store.records import RecordColumns
from einvoice.store.tables import OAuthClient


@dataclass(frozen=True, slots=True)
class OAuthClientRecord:
    """An OAuth client's metadata. Secrets are never stored."""

    id: str
    tenant_id: str
    environment: str
    name: str
    last4: str
    scopes: Sequence[str]
    allowed_ips: Sequence[str]
    allowed_receivers: Sequence[str]
    get_per_minute: int | None
    post_per_minute: int | None
    created_by: str | None
    created_at: datetime
    revoked_at: datetime | None
    old_until: datetime | None
    last_used_at: datetime | None
    last_used_ip: str | None


_RECORD = RecordColumns(OAuthClientRecord, OAuthClient)


def add(connection: Connection, record: OAuthClientRecord, digest: str) -> None:
    values = {name: getattr(record, name) for name in OAuthClientRecord.__slots__}
    connection.execute(insert(OAuthClient).values(digest=digest, **values))


def find(tenant_id: str, client_id: str) -> OAuthClientRecord | None:
    """The tenant's client of this id, in any state."""
    query = _RECORD.select().where(OAuthClient.id == client_id, OAuthClient.tenant_id == tenant_id)
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def find_live(client_id: str) -> OAuthClientRecord | None:
    """The client that presents this id, unless it is revoked. Its tenant is part of the answer."""
    query = _RECORD.select().where(OAuthClient.id == client_id, OAuthClient.revoked_at.is_(None))
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def digests(client_id: str, now: datetime) -> list[str]:
    """The fingerprints of the secrets accepted now, the newest first."""
    columns = (OAuthClient.digest, OAuthClient.old_digest, OAuthClient.old_until)
    with db.reading() as connection:
        row = connection.execute(select(*columns).where(OAuthClient.id == client_id)).one_or_none()
    if row is None:
        return []
    old = row.old_digest and row.old_until and row.old_until > now
    return [row.digest, row.old_digest] if old else [row.digest]


def of_tenant(tenant_id: str) -> list[OAuthClientRecord]:
    query = _RECORD.select().where(OAuthClient.tenant_id == tenant_id)
    with db.reading() as connection:
        ordered = query.order_by(OAuthClient.created_at, OAuthClient.id)
        return _RECORD.all(connection.execute(ordered))


def change(
    connection: Connection, tenant_id: str, client_id: str, values: Mapping[str, Any]
) -> bool:
    """Change columns of a client that is not revoked; False where there is none."""
    changed = connection.execute(
        update(OAuthClient)
        .where(
            OAuthClient.id == client_id,
            OAuthClient.tenant_id == tenant_id,
            OAuthClient.revoked_at.is_(None),
        )
        .values(**values)
    )
    return bool(changed.rowcount)


def replace_secret(
    connection: Connection, tenant_id: str, client_id: str, digest: str, last4: str, until: datetime
) -> bool:
    """A new secret; the present one counts until then. False where there is no such client."""
    values = {
        "digest": digest,
        "last4": last4,
        "old_digest": OAuthClient.digest,
        "old_until": until,
    }
    return change(connection, tenant_id, client_id, values)


def used(client_id: str, now: datetime, address: str | None) -> None:
    """Note when and from where a token was last asked for."""
    with db.writing() as connection:
        connection.execute(
            update(OAuthClient)
            .where(OAuthClient.id == client_id)
            .values(last_used_at=now, last_used_ip=address)
        )
