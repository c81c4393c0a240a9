"""How API keys and OAuth clients are issued, counted and replaced."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session as DatabaseSession

from einvoice.domain import old_secrets
from einvoice.domain.credentials import (
    API_KEY,
    MAX_ACTIVE,
    OAUTH_CLIENT,
    PLATFORM_CLIENT,
    PLATFORM_KEY,
    CredentialKind,
)
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.security import api_keys, oauth
from einvoice.store.account import credentials as stored
from einvoice.store.account import platforms
from einvoice.store.account.credentials import Model
from einvoice.store.tables import ApiKey, OAuthClient


@dataclass(frozen=True, slots=True)
class Issuer:
    """How ids and secrets of a kind are made and stored.

    `rotate(database, old, secret, now, grace, lifetime)` puts `secret` in place of the old one,
    which is accepted for the grace period; a new credential lasts for the lifetime, None: for ever.
    """

    new_id: Callable[[Environment], str]
    new_secret: Callable[[Environment], str]
    secret_columns: Callable[[str], dict[str, str]]
    rotate: Callable[[DatabaseSession, Any, str, datetime, timedelta, timedelta | None], Model]


def check_account(database: DatabaseSession, kind: CredentialKind, account_id: str) -> None:
    """Raise NotFound for a kind of platforms where the account is none, Conflict for another one
    where it is."""
    is_platform = platforms.is_platform(database, account_id)
    if kind.of_platform and not is_platform:
        raise NotFound(f"There is no platform {account_id[:40]}.")
    if is_platform and not kind.of_platform:
        raise Conflict(f"{account_id[:40]} is a platform: create a platform {kind} for it.")


def check_count(
    database: DatabaseSession, kind: CredentialKind, tenant_id: str, environment: str, now: datetime
) -> None:
    """Raise Conflict if there is no room for one more; the tenant is locked."""
    if stored.count_active(database, kind, tenant_id, environment, now) >= MAX_ACTIVE:
        raise Conflict(
            f"There are {MAX_ACTIVE} active {kind}s in the {environment} environment already: "
            "revoke one first."
        )


def _key_columns(key: str) -> dict[str, str]:
    return {
        "prefix": api_keys.shown_prefix(key),
        "last4": key[-4:],
        "digest": api_keys.fingerprint(key),
    }


def _secret_columns(secret: str) -> dict[str, str]:
    return {"last4": secret[-4:], "digest": oauth.fingerprint(secret)}


def _replace_key(
    database: DatabaseSession,
    old: ApiKey,
    key: str,
    now: datetime,
    grace: timedelta,
    lifetime: timedelta | None,
) -> ApiKey:
    """A new key with the rights of the old one, which expires."""
    old.expires_at = min(now + grace, old.expires_at or now + grace)
    check_count(database, API_KEY, old.tenant_id, old.environment, now)
    inherited = {name: getattr(old, name) for name in _INHERITED}
    new = ApiKey(
        id=str(uuid.uuid4()),
        created_at=now,
        expires_at=now + min(lifetime, _END - now) if lifetime else None,
        **inherited,
        **_key_columns(key),
    )
    database.add(new)
    return new


_END = datetime.max.replace(microsecond=999_000, tzinfo=UTC)  # programs write it for no end
_INHERITED = (
    "tenant_id",
    "environment",
    "name",
    "scopes",
    "allowed_ips",
    "allowed_receivers",
    "get_per_minute",
    "post_per_minute",
    "created_by",
)


def _replace_secret(
    database: DatabaseSession,
    old: OAuthClient,
    secret: str,
    now: datetime,
    grace: timedelta,
    lifetime: timedelta | None,
) -> OAuthClient:
    """The client with another secret; the old one ends after the grace period, and the one before
    it when it was said that it would. Without a grace period all of them end. Raises Conflict."""
    earlier = ((old.old_digest, old.old_until), (old.older_digest, old.older_until))
    older = old_secrets.still_valid(earlier, now) if grace else old_secrets.NONE
    old.older_digest, old.older_until = older
    old.old_digest, old.old_until = old.digest, now + grace
    stored.set_columns(old, _secret_columns(secret))
    return old


ISSUERS: dict[CredentialKind, Issuer] = {
    API_KEY: Issuer(
        new_id=lambda _: str(uuid.uuid4()),
        new_secret=api_keys.new,
        secret_columns=_key_columns,
        rotate=_replace_key,
    ),
    OAUTH_CLIENT: Issuer(
        new_id=oauth.new_client_id,
        new_secret=lambda _: oauth.new_secret(),
        secret_columns=_secret_columns,
        rotate=_replace_secret,
    ),
}
ISSUERS |= {
    PLATFORM_KEY: replace(ISSUERS[API_KEY], new_secret=api_keys.new_of_platform),
    PLATFORM_CLIENT: replace(ISSUERS[OAUTH_CLIENT], new_id=oauth.new_platform_client_id),
}
