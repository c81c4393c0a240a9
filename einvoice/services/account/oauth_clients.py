"""Create, change, limit, rotate and revoke OAuth clients (decisions 11).

`by` is the person at the dashboard; None is the operator (account/audit).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.security import api_keys, oauth
from einvoice.services.account import audit, credential_terms
from einvoice.services.principal import Session
from einvoice.store import db, tenants
from einvoice.store import oauth_clients as stored
from einvoice.store.oauth_clients import OAuthClientRecord as OAuthClientRecord


@dataclass(frozen=True, slots=True)
class NewClient:
    """A stored client and its secret, which is shown only now."""

    record: OAuthClientRecord
    secret: str


def create(
    tenant_id: str,
    name: str,
    environment: Environment,
    *,
    scopes: Sequence[str] = api_keys.DEFAULT_SCOPES,
    allowed_ips: Sequence[str] = (),
    allowed_receivers: Sequence[str] = (),
    by: Session | None = None,
) -> NewClient:
    """Make a client for the tenant. Raises NotFound, InvalidField, InvalidParticipant."""
    if tenants.find(tenant_id) is None:
        raise NotFound(f"There is no tenant {tenant_id}.")
    credential_terms.check(scopes, allowed_ips)
    secret = oauth.new_secret()
    record = OAuthClientRecord(
        id=oauth.new_client_id(environment),
        tenant_id=tenant_id,
        environment=environment.value,
        name=name,
        last4=secret[-4:],
        scopes=credential_terms.unique(scopes),
        allowed_ips=credential_terms.unique(allowed_ips),
        allowed_receivers=credential_terms.canonical_receivers(allowed_receivers),
        get_per_minute=None,
        post_per_minute=None,
        created_by=credential_terms.creator(by),
        created_at=clock.now(),
        revoked_at=None,
        old_until=None,
        last_used_at=None,
        last_used_ip=None,
    )
    with db.writing() as connection:
        stored.add(connection, record, oauth.fingerprint(secret))
        detail = {"name": name, "environment": environment.value, "scopes": record.scopes}
        audit.record(connection, tenant_id, by, "oauthClient.created", record.id, detail)
    return NewClient(record, secret)


def of_tenant(tenant_id: str) -> list[OAuthClientRecord]:
    """All clients of a tenant, oldest first, including revoked ones."""
    return stored.of_tenant(tenant_id)


def get(tenant_id: str, client_id: str) -> OAuthClientRecord:
    """One client, in any state. Raises NotFound."""
    found = stored.find(tenant_id, client_id)
    if found is None:
        raise NotFound(f"There is no OAuth client {client_id[:40]}.")
    return found


def change(
    tenant_id: str, client_id: str, changes: Mapping[str, Any], by: Session | None
) -> OAuthClientRecord:
    """Change name, scopes, allowed_ips or allowed_receivers; tokens follow within a second.

    Raises NotFound, InvalidField, Conflict (the client is revoked).
    """
    get(tenant_id, client_id)
    changes = credential_terms.checked_changes(changes)
    if changes:
        with db.writing() as connection:
            if not stored.change(connection, tenant_id, client_id, changes):
                raise _revoked(client_id)
            audit.record(connection, tenant_id, by, "oauthClient.changed", client_id, changes)
    return get(tenant_id, client_id)


def rotate(
    tenant_id: str,
    client_id: str,
    grace_seconds: int = credential_terms.DEFAULT_GRACE_SECONDS,
    by: Session | None = None,
) -> NewClient:
    """A new secret for the client; the old one is accepted during the grace period.

    Raises NotFound, InvalidField (grace), Conflict (the client is revoked).
    """
    credential_terms.check_grace(grace_seconds)
    get(tenant_id, client_id)
    secret = oauth.new_secret()
    until = clock.now() + timedelta(seconds=grace_seconds)
    with db.writing() as connection:
        digest = oauth.fingerprint(secret)
        if not stored.replace_secret(connection, tenant_id, client_id, digest, secret[-4:], until):
            raise _revoked(client_id)
        detail = {"gracePeriodSeconds": grace_seconds}
        audit.record(connection, tenant_id, by, "oauthClient.rotated", client_id, detail)
    return NewClient(get(tenant_id, client_id), secret)


def revoke(tenant_id: str, client_id: str, by: Session | None = None) -> None:
    """Issue no more tokens; existing ones end within a second. Raises NotFound."""
    get(tenant_id, client_id)
    with db.writing() as connection:
        if stored.change(connection, tenant_id, client_id, {"revoked_at": clock.now()}):
            audit.record(connection, tenant_id, by, "oauthClient.revoked", client_id)


def limit(tenant_id: str, client_id: str, get: int | None, post: int | None) -> None:
    """Set the client's requests a minute; None is the default of the settings. Raises NotFound."""
    values = {"get_per_minute": get, "post_per_minute": post}
    with db.writing() as connection:
        if not stored.change(connection, tenant_id, client_id, values):
            raise NotFound(f"There is no OAuth client {client_id}.")


def _revoked(client_id: str) -> Conflict:
    return Conflict(f"The OAuth client {client_id} is revoked: create a new one.")
