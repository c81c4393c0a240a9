"""Authentication by API key: from the header to a Principal."""

from __future__ import annotations

import ipaddress

from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    ApiKeyRequired,
    CredentialOwner,
    CredentialRefused,
    InvalidApiKey,
    IpNotAllowed,
)
from einvoice.security import api_keys
from einvoice.services.account import platforms, tenants
from einvoice.services.caches import CachedKey, Caches
from einvoice.services.principal import Principal
from einvoice.store.account import credentials as stored


def recognise(key: str | None, caches: Caches) -> Principal:
    """The principal of an `x-api-key` header.

    Raises ApiKeyRequired without a key, InvalidApiKey for one that is unknown, revoked, expired or
    malformed, and TenantMoved for one whose tenant is elsewhere.
    """
    if key is None or not key.strip():
        raise ApiKeyRequired("Send your API key in the x-api-key header.")
    digest = api_keys.fingerprint(key)
    known = caches.api_keys.get(digest, lambda: _first(key, digest))
    if known is None:
        raise _unknown(digest)
    return known.principal


def _first(key: str, digest: str) -> CachedKey | None:
    """Load a key that is not cached; a malformed one is refused without a query."""
    if api_keys.environment_of(key) is None:
        raise InvalidApiKey("The API key is malformed: check that it was copied whole.")
    return _load(digest)


def as_of(key: str, stamp: str | None, caches: Caches) -> Principal:
    """The principal, read again if the stamp shows that the key changed. Raises InvalidApiKey.

    A principal cached before Redis had a stamp carries None. So the first stamp always leads to a
    read of the database, and the result is at least as new as the stamp.
    """
    digest = api_keys.fingerprint(key)
    known = caches.api_keys.get(digest, lambda: _load(digest, stamp))
    if known is not None and known.stamp != stamp:
        caches.api_keys.drop(digest)
        known = caches.api_keys.get(digest, lambda: _load(digest, stamp))
    if known is None:
        raise _unknown(digest)
    return known.principal


def admit(principal: Principal, address: str | None, caches: Caches) -> None:
    """Record the use of the key. Raises IpNotAllowed for an address outside its allow list."""
    check_address(principal, address)
    _note_use(principal, address, caches)


def _unknown(digest: str) -> CredentialRefused:
    """The refusal of a key that is not live: its tenant may be at another installation."""
    refusal = InvalidApiKey("The API key is unknown, expired or revoked.")
    ended = stored.owner_of_key(digest)
    if ended is None:
        return refusal
    owner = CredentialOwner(*ended)
    return (tenants.moved(tenants.get(owner.tenant_id)) or refusal).of(owner)


def _load(digest: str, stamp: str | None = None) -> CachedKey | None:
    record = stored.find_live_key(digest, clock.now())
    if record is None:
        return None
    platform = api_keys.is_of_platform(record.prefix)
    principal = Principal(
        tenant_id=record.tenant_id,
        environment=Environment(record.environment),
        scopes=frozenset(record.scopes),
        key_id=record.id,
        allowed_ips=tuple(record.allowed_ips),
        allowed_receivers=frozenset(record.allowed_receivers),
        get_per_minute=record.get_per_minute,
        post_per_minute=record.post_per_minute,
        platform=platforms.acting(record.tenant_id, record.id) if platform else None,
    )
    return CachedKey(principal, stamp)


def check_address(principal: Principal, address: str | None) -> None:
    """Raise IpNotAllowed from an address the credential is not meant for."""
    if not principal.allowed_ips:
        return
    try:
        client = ipaddress.ip_address(address or "")
    except ValueError:
        raise IpNotAllowed("The caller's address is not known.").of(_owner(principal)) from None
    # A listener of both families sees ::ffff:… for an address of IPv4.
    client = getattr(client, "ipv4_mapped", None) or client
    if not any(client in ipaddress.ip_network(allowed) for allowed in principal.allowed_ips):
        message = f"This credential may not be used from {client}."
        raise IpNotAllowed(message).of(_owner(principal))


def _owner(principal: Principal) -> CredentialOwner:
    return CredentialOwner(principal.tenant_id, principal.key_id or "")


def _note_use(principal: Principal, address: str | None, caches: Caches) -> None:
    """At most once a minute for each key and process."""
    key_id = principal.key_id or ""

    def _write() -> bool:
        stored.note_use(API_KEY, key_id, clock.now(), address)
        return True

    caches.key_uses.get(key_id, _write)
