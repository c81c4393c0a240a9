"""An API key becomes a Principal."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import ApiKeyRequired, InvalidApiKey, IpNotAllowed
from einvoice.observability import logging
from einvoice.security import api_keys
from einvoice.services.caches import Memory
from einvoice.services.principal import Principal
from einvoice.store import api_keys as stored

log = logging.get(__name__)


@dataclass(frozen=True, slots=True)
class _Known:
    """A key as it was when Redis told this stamp of it (None: no stamp)."""

    principal: Principal
    stamp: str | None


# A revoked key works for at most this long, and only while Redis is away: see `as_of`.
_known: Memory[str, _Known] = Memory(ttl=1.0)
_seen: Memory[str, bool] = Memory(ttl=60.0)


def recognise(key: str | None) -> Principal:
    """The principal of an `x-api-key` header.

    Raises ApiKeyRequired without a key, InvalidApiKey for one that is unknown, revoked, expired or
    malformed.
    """
    if key is None or not key.strip():
        raise ApiKeyRequired("Send your API key in the x-api-key header.")
    digest = api_keys.fingerprint(key)
    known = _known.get(digest, lambda: _first(key, digest))
    if known is None:
        raise _unknown()
    return known.principal


def _first(key: str, digest: str) -> _Known | None:
    """A key that is not remembered is looked at before the database is asked about it."""
    if api_keys.environment_of(key) is None:
        raise InvalidApiKey("The API key is malformed: check that it was copied whole.")
    return _load(digest)


def as_of(key: str, stamp: str | None) -> Principal:
    """The principal, read anew if the stamp tells that the key changed. Raises InvalidApiKey.

    What was remembered before any stamp was told carries None; so a stamp told for the first time
    always leads to a look at the database, which is then at least as new as the stamp.
    """
    digest = api_keys.fingerprint(key)
    known = _known.get(digest, lambda: _load(digest, stamp))
    if known is not None and known.stamp != stamp:
        _known.drop(digest)
        known = _known.get(digest, lambda: _load(digest, stamp))
    if known is None:
        raise _unknown()
    return known.principal


def admit(principal: Principal, address: str | None) -> None:
    """Raise IpNotAllowed from an address the key is not meant for; note that it was used."""
    check_address(principal, address)
    _note_use(principal, address)


def _unknown() -> InvalidApiKey:
    return InvalidApiKey("The API key is unknown, expired or revoked.")


def _load(digest: str, stamp: str | None = None) -> _Known | None:
    record = stored.find_live(digest, clock.now())
    if record is None:
        return None
    principal = Principal(
        tenant_id=record.tenant_id,
        environment=Environment(record.environment),
        scopes=frozenset(record.scopes),
        key_id=record.id,
        allowed_ips=tuple(record.allowed_ips),
        allowed_receivers=frozenset(record.allowed_receivers),
        get_per_minute=record.get_per_minute,
        post_per_minute=record.post_per_minute,
    )
    return _Known(principal, stamp)


def check_address(principal: Principal, address: str | None) -> None:
    """Raise IpNotAllowed from an address the credential is not meant for."""
    if not principal.allowed_ips:
        return
    try:
        here = ipaddress.ip_address(address or "")
    except ValueError:
        raise IpNotAllowed("The caller's address is not known.") from None
    here = getattr(here, "ipv4_mapped", None) or here  # a listener of both families sees ::ffff:…
    if not any(here in ipaddress.ip_network(allowed) for allowed in principal.allowed_ips):
        raise IpNotAllowed(f"This credential may not be used from {here}.")


def _note_use(principal: Principal, address: str | None) -> None:
    """At most once a minute for each key and process."""
    key_id = principal.key_id or ""

    def _write() -> bool:
        stored.used(key_id, clock.now(), address)
        return True

    _seen.get(key_id, _write)


def forget() -> None:
    """Drop what is remembered (tests)."""
    _known.clear()
    _seen.clear()
