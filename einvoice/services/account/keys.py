"""Create, change, limit, rotate and revoke API keys (decisions 9).

`by` is the person at the dashboard; None is the operator (account/audit).
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.security import api_keys
from einvoice.services.account import audit, credential_terms
from einvoice.services.principal import Session
from einvoice.store import api_keys as stored
from einvoice.store import budgets, db, tenants
from einvoice.store.api_keys import ApiKeyRecord as ApiKeyRecord


@dataclass(frozen=True, slots=True)
class NewKey:
    """A stored key and its secret, which is shown only now."""

    record: ApiKeyRecord
    key: str


def create(
    tenant_id: str,
    name: str,
    environment: Environment,
    *,
    scopes: Sequence[str] = api_keys.DEFAULT_SCOPES,
    expires_at: datetime | None = None,
    allowed_ips: Sequence[str] = (),
    allowed_receivers: Sequence[str] = (),
    by: Session | None = None,
) -> NewKey:
    """Make a key for the tenant. Raises NotFound, InvalidField, InvalidParticipant."""
    if tenants.find(tenant_id) is None:
        raise NotFound(f"There is no tenant {tenant_id}.")
    now = clock.now()
    credential_terms.check(scopes, allowed_ips, expires_at, now)
    key = api_keys.new(environment)
    record = ApiKeyRecord(
        id=str(uuid.uuid4()),
        tenant_id=tenant_id,
        environment=environment.value,
        name=name,
        prefix=api_keys.shown_prefix(key),
        last4=key[-4:],
        scopes=credential_terms.unique(scopes),
        allowed_ips=credential_terms.unique(allowed_ips),
        allowed_receivers=credential_terms.canonical_receivers(allowed_receivers),
        get_per_minute=None,
        post_per_minute=None,
        created_by=credential_terms.creator(by),
        created_at=now,
        expires_at=expires_at,
        revoked_at=None,
        last_used_at=None,
        last_used_ip=None,
    )
    with db.writing() as connection:
        stored.add(connection, record, api_keys.fingerprint(key))
        detail = {"name": name, "environment": environment.value, "scopes": record.scopes}
        audit.record(connection, tenant_id, by, "key.created", record.id, detail)
    return NewKey(record, key)


def of_tenant(tenant_id: str) -> list[ApiKeyRecord]:
    """All keys of a tenant, oldest first, including revoked and expired ones."""
    return stored.of_tenant(tenant_id)


def get(tenant_id: str, key_id: str) -> ApiKeyRecord:
    """One key, in any state. Raises NotFound."""
    found = stored.find(tenant_id, key_id)
    if found is None:
        raise NotFound(f"There is no key {key_id[:40]}.")
    return found


def change(
    tenant_id: str, key_id: str, changes: Mapping[str, Any], by: Session | None
) -> ApiKeyRecord:
    """Change name, scopes, allowed_ips or allowed_receivers, at once and for all processes.

    Raises NotFound, InvalidField, Conflict (the key is revoked).
    """
    old = get(tenant_id, key_id)
    if old.revoked_at is not None:
        raise Conflict(f"The key {key_id} is revoked: create a new one.")
    changes = credential_terms.checked_changes(changes)
    with db.writing() as connection:
        if changes:
            stored.change(connection, tenant_id, key_id, changes)
            audit.record(connection, tenant_id, by, "key.changed", key_id, changes)
    budgets.stamp(key_id)
    return get(tenant_id, key_id)


def rotate(
    tenant_id: str,
    key_id: str,
    grace_seconds: int = credential_terms.DEFAULT_GRACE_SECONDS,
    by: Session | None = None,
) -> NewKey:
    """A new key with the rights of the old one, which expires after the grace.

    If the old key expires, the new one has a lifetime of the same length. Raises NotFound,
    InvalidField (grace), Conflict (the key is revoked or expired, or is being rotated now).
    """
    credential_terms.check_grace(grace_seconds)
    old = get(tenant_id, key_id)
    now = clock.now()
    key = api_keys.new(Environment(old.environment))
    record = _successor(old, key, now)
    ends = now + timedelta(seconds=grace_seconds)
    with db.writing() as connection:
        if not stored.expire(connection, old, min(ends, old.expires_at or ends), now):
            raise Conflict(f"The key {key_id} is revoked or expired: create a new one.")
        stored.add(connection, record, api_keys.fingerprint(key))
        detail = {"newKeyId": record.id, "gracePeriodSeconds": grace_seconds}
        audit.record(connection, tenant_id, by, "key.rotated", old.id, detail)
    budgets.stamp(old.id)
    return NewKey(record, key)


def _successor(old: ApiKeyRecord, key: str, now: datetime) -> ApiKeyRecord:
    return replace(
        old,
        id=str(uuid.uuid4()),
        prefix=api_keys.shown_prefix(key),
        last4=key[-4:],
        created_at=now,
        expires_at=now + (old.expires_at - old.created_at) if old.expires_at else None,
        last_used_at=None,
        last_used_ip=None,
    )


def revoke(tenant_id: str, key_id: str, by: Session | None = None) -> None:
    """The key stops working at once; within a second if Redis is not available. Raises NotFound."""
    if get(tenant_id, key_id).revoked_at is None:
        with db.writing() as connection:
            stored.revoke(connection, tenant_id, key_id, clock.now())
            audit.record(connection, tenant_id, by, "key.revoked", key_id)
    budgets.stamp(key_id)


def limit(tenant_id: str, key_id: str, get: int | None, post: int | None) -> None:
    """Set the key's requests a minute; None is the default of the settings. Raises NotFound."""
    if not stored.limit(tenant_id, key_id, get, post):
        raise NotFound(f"There is no key {key_id}.")
    budgets.stamp(key_id)
