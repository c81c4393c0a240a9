"""Create, change, limit, rotate and revoke API keys (decisions 9).

`by` is the person at the dashboard; without one it is the operator (services/audit)."""

from __future__ import annotations

import ipaddress
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FieldError, InvalidField, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.security import api_keys
from einvoice.services.account import audit
from einvoice.services.principal import Session
from einvoice.store import api_keys as stored
from einvoice.store import budgets, db, tenants
from einvoice.store.api_keys import ApiKeyRecord as ApiKeyRecord

# How long a rotated key may still be used, in seconds.
DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS = 86_400, 604_800


@dataclass(frozen=True, slots=True)
class NewKey:
    """A stored key with the key itself, to be shown this once."""

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
    check_rights(scopes, allowed_ips, expires_at, now)
    key = api_keys.new(environment)
    record = ApiKeyRecord(
        id=str(uuid.uuid4()),
        tenant_id=tenant_id,
        environment=environment.value,
        name=name,
        prefix=api_keys.shown_prefix(key),
        last4=key[-4:],
        scopes=once(scopes),
        allowed_ips=once(allowed_ips),
        allowed_receivers=canonical(allowed_receivers),
        get_per_minute=None,
        post_per_minute=None,
        created_by=name_of(by),
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


def canonical(receivers: Sequence[str]) -> list[str]:
    return once([ParticipantId.parse(receiver).canonical for receiver in receivers])


def once(values: Sequence[str]) -> list[str]:
    """Each value where it first stands."""
    return list(dict.fromkeys(values))


def rights(changes: Mapping[str, Any]) -> dict[str, Any]:
    """What is changed of a key or client, checked, as it is kept. Raises InvalidField."""
    check_rights(changes.get("scopes", ()), changes.get("allowed_ips", ()))
    kept = {"scopes": once, "allowed_ips": once, "allowed_receivers": canonical}
    return {name: kept[name](value) if name in kept else value for name, value in changes.items()}


def name_of(by: Session | None) -> str:
    return "cli" if by is None else by.email or by.subject


def of_tenant(tenant_id: str) -> list[ApiKeyRecord]:
    """All keys there were, oldest first, revoked and expired ones too."""
    return stored.of_tenant(tenant_id)


def get(tenant_id: str, key_id: str) -> ApiKeyRecord:
    """One key, in whatever state. Raises NotFound."""
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
    changes = rights(changes)
    with db.writing() as connection:
        if changes:
            stored.change(connection, tenant_id, key_id, changes)
            audit.record(connection, tenant_id, by, "key.changed", key_id, changes)
    budgets.stamp(key_id)
    return get(tenant_id, key_id)


def rotate(
    tenant_id: str,
    key_id: str,
    grace_seconds: int = DEFAULT_GRACE_SECONDS,
    by: Session | None = None,
) -> NewKey:
    """A new key with the rights of the old one, which expires after the grace.

    Where the old one was made to expire, the new one lives as long anew. Raises NotFound,
    InvalidField (grace), Conflict (the key is revoked or expired, or is being rotated now).
    """
    check_grace(grace_seconds)
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


def check_grace(seconds: int) -> None:
    if not 0 <= seconds <= MAX_GRACE_SECONDS:
        words = f"must be 0 to {MAX_GRACE_SECONDS} seconds"
        raise InvalidField([FieldError("/gracePeriodSeconds", "out-of-range", words)])


def check_rights(
    scopes: Sequence[str],
    allowed_ips: Sequence[str],
    expires_at: datetime | None = None,
    now: datetime | None = None,
) -> None:
    wrong = [
        FieldError(
            f"/scopes/{i}", "unknown-scope", f"{scope} is none of {', '.join(api_keys.SCOPES)}"
        )
        for i, scope in enumerate(scopes)
        if scope not in api_keys.SCOPES
    ]
    for i, network in enumerate(allowed_ips):
        if words := _no_network(network):
            wrong.append(FieldError(f"/allowedIps/{i}", "not-a-network", words))
    if expires_at is not None and now is not None and expires_at <= now:
        wrong.append(FieldError("/expiresAt", "in-the-past", "must be a moment to come"))
    if wrong:
        raise InvalidField(wrong)


def _no_network(text: str) -> str | None:
    """What is wrong with an address or network; None where nothing is."""
    try:
        meant = ipaddress.ip_network(text, strict=False)
    except ValueError:
        return f"{text} is neither an address nor a network like 192.0.2.0/24"
    if "/" in text and str(ipaddress.ip_interface(text).ip) != str(meant.network_address):
        return f"{text} is an address inside a network: write {meant} for the network"
    return None


def revoke(tenant_id: str, key_id: str, by: Session | None = None) -> None:
    """The key stops working at once; within a second where Redis is away. Raises NotFound."""
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
