"""API keys and OAuth clients: administration by models, authentication by statements."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, bindparam, func, select, update
from sqlalchemy.orm import Session

from einvoice.domain.credentials import (
    API_KEY,
    OAUTH_CLIENT,
    PLATFORM_CLIENT,
    PLATFORM_KEY,
    ApiKey,
    Credential,
    CredentialKind,
    OAuthClient,
)
from einvoice.store import tables
from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns

Model = tables.ApiKey | tables.OAuthClient

MODELS: dict[CredentialKind, type[Model]] = {
    API_KEY: tables.ApiKey,
    OAUTH_CLIENT: tables.OAuthClient,
    PLATFORM_KEY: tables.ApiKey,
    PLATFORM_CLIENT: tables.OAuthClient,
}

_COLUMNS: dict[CredentialKind, RecordColumns[Credential]] = {
    kind: RecordColumns(kind.credential, model) for kind, model in MODELS.items()
}
_KEYS = RecordColumns(ApiKey, tables.ApiKey)
_CLIENTS = RecordColumns(OAuthClient, tables.OAuthClient)


# -- administration --------------------------------------------------------------------------------


def record(kind: CredentialKind, model: Model) -> Credential:
    """The model as a credential of the domain."""
    return _COLUMNS[kind].of(model)


def find(
    session: Session,
    kind: CredentialKind,
    tenant_id: str,
    credential_id: str,
    *,
    locked: bool = False,
) -> Model | None:
    """The tenant's credential, in any state; `locked` until the end of the transaction."""
    model: Any = MODELS[kind]
    query = select(model).where(model.id == credential_id, model.tenant_id == tenant_id)
    found: Model | None = session.scalar(query.with_for_update() if locked else query)
    return found


def set_columns(model: Model, values: Mapping[str, Any]) -> None:
    """Change columns of the model, by name."""
    for name, value in values.items():
        setattr(model, name, value)


def count_active(
    session: Session, kind: CredentialKind, tenant_id: str, environment: str, now: datetime
) -> int:
    """How many of the tenant's credentials work in the environment."""
    model = MODELS[kind]
    query = select(func.count()).where(
        model.tenant_id == tenant_id, model.environment == environment, model.is_active(now)
    )
    return session.execute(query).scalar_one()


def active(
    session: Session, kind: CredentialKind, tenant_id: str, environment: str, now: datetime
) -> list[Model]:
    """The tenant's credentials that work in the environment."""
    model = MODELS[kind]
    query = select(model).where(
        model.tenant_id == tenant_id, model.environment == environment, model.is_active(now)
    )
    return list(session.scalars(query))


def newest_ended(
    session: Session,
    kind: CredentialKind,
    tenant_id: str,
    environment: str,
    now: datetime,
    limit: int,
) -> list[Model]:
    """The newest of the tenant's revoked and expired credentials in the environment."""
    model = MODELS[kind]
    query = (
        select(model)
        .where(
            model.tenant_id == tenant_id, model.environment == environment, ~model.is_active(now)
        )
        .order_by(model.created_at.desc(), model.id.desc())
        .limit(limit)
    )
    return list(session.scalars(query))


def revoke_all(session: Session, kind: CredentialKind, tenant_id: str, now: datetime) -> list[str]:
    """Revoke all credentials of the tenant; returns the ids of those that were not before."""
    model = MODELS[kind]
    ended = (
        update(model)
        .where(model.tenant_id == tenant_id, model.revoked_at.is_(None))
        .values(revoked_at=now)
        .returning(model.id)
        .execution_options(synchronize_session=False)
    )
    return list(session.scalars(ended))


def expiring_keys(session: Session, now: datetime, until: datetime) -> list[ApiKey]:
    """Keys of all tenants that work now and expire by then, the first to expire first."""
    model = tables.ApiKey
    query = (
        select(model)
        .where(model.is_active(now), model.expires_at <= until)
        .order_by(model.expires_at)
    )
    return [_KEYS.of(key) for key in session.scalars(query)]


# -- authentication --------------------------------------------------------------------------------


# Built once: building a statement takes four times as long as executing it (store/core/db).
_NOW: BindParameter[datetime] = bindparam("now")
_LIVE_KEY = _KEYS.select().where(
    tables.ApiKey.digest == bindparam("digest"), tables.ApiKey.is_active(_NOW)
)
_LIVE_CLIENT = _CLIENTS.select().where(
    tables.OAuthClient.id == bindparam("client_id"), tables.OAuthClient.is_active(_NOW)
)


def find_live_key(digest: str, now: datetime) -> ApiKey | None:
    """The key of this digest, unless revoked or expired."""
    with db.reading() as connection:
        found = connection.execute(_LIVE_KEY, {"digest": digest, "now": now})
        return _KEYS.one_or_none(found)


def owner_of_key(digest: str) -> tuple[str, str] | None:
    """Tenant and id of the key of this digest, also of one that has ended."""
    model = tables.ApiKey
    query = select(model.tenant_id, model.id).where(model.digest == digest)
    with db.reading() as connection:
        found = connection.execute(query).one_or_none()
        return None if found is None else (found.tenant_id, found.id)


def find_live_client(client_id: str, now: datetime) -> OAuthClient | None:
    """The client of this id, unless revoked. The record says which tenant it belongs to."""
    with db.reading() as connection:
        found = connection.execute(_LIVE_CLIENT, {"client_id": client_id, "now": now})
        return _CLIENTS.one_or_none(found)


def digests(client_id: str, now: datetime) -> list[str]:
    """The digests of the client's secrets that are accepted now, the newest first."""
    model = tables.OAuthClient
    query = select(
        model.digest, model.old_digest, model.old_until, model.older_digest, model.older_until
    ).where(model.id == client_id)
    with db.reading() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        return []
    earlier = ((row.old_digest, row.old_until), (row.older_digest, row.older_until))
    return [row.digest, *(digest for digest, until in earlier if until and until > now)]


def note_use(kind: CredentialKind, credential_id: str, now: datetime, address: str | None) -> None:
    """Store when and from which address the credential was last used."""
    model = MODELS[kind]
    statement = (
        update(model)
        .where(model.id == credential_id)
        .values(last_used_at=now, last_used_ip=address)
    )
    with db.writing() as connection:
        connection.execute(statement)
