"""The client credentials grant (decisions 11): issuing tokens to clients, and verifying them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.credentials import OAUTH_CLIENT, OAuthClient
from einvoice.domain.environments import Environment
from einvoice.domain.errors import CredentialOwner, InvalidToken, SessionEnded
from einvoice.observability import logging
from einvoice.security import oauth
from einvoice.security.oauth import Grant, Tokens
from einvoice.services.account import authentication, platforms, session_ends, tenants
from einvoice.services.caches import Caches
from einvoice.services.principal import Principal
from einvoice.store.account import credentials as stored

log = logging.get(__name__)

_tokens = lru_cache(maxsize=4)(Tokens.of)


class InvalidClient(Exception):
    """The client is unknown or revoked, or the secret is wrong; callers do not learn which.

    owner  whose client it is, if it is known
    """

    def __init__(self, owner: CredentialOwner | None = None) -> None:
        super().__init__()
        self.owner = owner


class InvalidScope(Exception):
    """A requested scope is not one of the client's."""


@dataclass(frozen=True, slots=True)
class Granted:
    """An access token with its lifetime and scopes."""

    token: str
    scope: str


def grant(
    client_id: str, secret: str, scope: str | None, address: str | None, settings: Settings
) -> Granted:
    """Issue a token to the client, with the requested scopes or all of its own.

    Raises InvalidClient, InvalidScope, IpNotAllowed.
    """
    client = _authenticated(client_id, secret)
    authentication.check_address(_principal(client, frozenset()), address)
    scopes = _scopes(client, scope)
    environment = Environment(client.environment)
    token = _tokens(settings).mint(Grant(client.id, client.tenant_id, environment, scopes))
    stored.note_use(OAUTH_CLIENT, client.id, clock.now(), address)
    log.info("access token issued", client=client.id, scope=oauth.scope_of(scopes))
    return Granted(token, oauth.scope_of(scopes))


def _authenticated(client_id: str, secret: str) -> OAuthClient:
    now = clock.now()
    client = stored.find_live_client(client_id, now) if oauth.environment_of(client_id) else None
    digests = stored.digests(client_id, now) if client else [oauth.fingerprint("")]
    right = [oauth.same(secret, digest) for digest in digests]
    if client is None or not any(right):
        raise InvalidClient(None if client is None else _owner(client.tenant_id, client.id))
    return client


def _owner(tenant_id: str, client_id: str) -> CredentialOwner:
    return CredentialOwner(tenant_id, client_id)


def _scopes(client: OAuthClient, asked: str | None) -> frozenset[str]:
    has = frozenset(client.scopes)
    wanted = frozenset((asked or "").split())
    if wanted - has:
        raise InvalidScope(
            f"The client may not have: {' '.join(sorted(wanted - has))}. "
            f"It has: {' '.join(sorted(has))}."
        )
    return wanted or has


def principal_of(token: str, settings: Settings, caches: Caches) -> Principal:
    """The principal of an access token, with the client's current terms.

    Raises InvalidToken, TokenExpired, SessionEnded.
    """
    granted = _tokens(settings).read(token)
    client = caches.oauth_clients.get(
        granted.client_id, lambda: stored.find_live_client(granted.client_id, clock.now())
    )
    owner = _owner(granted.tenant_id, granted.client_id)
    if client is None or client.tenant_id != granted.tenant_id:
        raise InvalidToken("The client of this access token is revoked.").of(owner)
    tenant = tenants.get(client.tenant_id, caches)
    try:
        session_ends.check(tenant, client.id, granted.issued_at)
    except SessionEnded as refusal:
        refusal.of(owner)
        raise
    principal = _principal(client, granted.scopes & frozenset(client.scopes))
    if not oauth.is_of_platform(client.id):
        return principal
    return replace(principal, platform=platforms.acting(client.tenant_id, client.id, caches))


def _principal(client: OAuthClient, scopes: frozenset[str]) -> Principal:
    return Principal(
        tenant_id=client.tenant_id,
        environment=Environment(client.environment),
        scopes=scopes,
        key_id=client.id,
        allowed_ips=tuple(client.allowed_ips),
        allowed_receivers=frozenset(client.allowed_receivers),
        get_per_minute=client.get_per_minute,
        post_per_minute=client.post_per_minute,
    )
