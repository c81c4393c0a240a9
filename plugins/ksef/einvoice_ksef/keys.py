"""The ministry's public keys: one for tokens, one for the keys of sessions.

Of the keys that are valid, the one with the latest validFrom is used (guide "Klucze publiczne",
4.1). Its id is sent with everything that it encrypts; where the network refuses the id (21470), the
list is fetched again and the call is repeated once.

A list that was fetched is kept in the store for all processes. Where it cannot be fetched again,
its keys are used until they end, and KSeF is asked once a minute.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from threading import Lock
from typing import Any, Final, Protocol

import structlog
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from einvoice import clock
from einvoice.http import HttpFault, Response
from einvoice.network.plugin_store import MAX_VALUE_BYTES, PluginStore
from einvoice_ksef import encryption
from einvoice_ksef.moments import moment

log = structlog.get_logger()

FRESH_FOR: Final = timedelta(hours=1)
PAUSE: Final = timedelta(minutes=1)  # after a list that could not be fetched


class Usage(StrEnum):
    """The values that a key encrypts."""

    TOKEN = "KsefTokenEncryption"  # noqa: S105 - the name of a usage
    SYMMETRIC_KEY = "SymmetricKeyEncryption"


class NoKey(Exception):
    """The network offers no valid key for a usage."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key of the list, with its id and usages."""

    id: str
    usages: frozenset[str]
    valid_from: datetime
    valid_to: datetime
    key: RSAPublicKey = field(repr=False)

    def wrapped(self, content: bytes) -> str:
        """The content encrypted with this key, in base64."""
        return encryption.wrapped(content, self.key)


class _Lists(Protocol):
    def public_keys(self) -> Response: ...


class Keys:
    """The keys of an environment, fetched once an hour. Thread-safe."""

    def __init__(self, api: _Lists, store: PluginStore, name: str) -> None:
        self._api, self._store, self._lock = api, store, Lock()
        self._stored = f"public-keys-{name}"
        self._known: tuple[PublicKey, ...] = ()
        self._fetched_at: datetime | None = None
        self._failed_at: datetime | None = None
        self._fault = ""

    def current(self, usage: Usage) -> PublicKey:
        """The key to encrypt with. Raises NoKey."""
        now = clock.now()
        with self._lock:
            if not self._known:
                self._recall()
            if self._is_due(now):
                self._fetch(now)
            known, fault = self._known, self._fault
        return chosen(known, usage, now, fault)

    def forget(self) -> None:
        """Fetch the list again at the next call; until it can be, what is known is used."""
        with self._lock:
            self._fetched_at = None

    def _is_due(self, now: datetime) -> bool:
        if self._failed_at is not None and now - self._failed_at < PAUSE:
            return False
        return self._fetched_at is None or now - self._fetched_at > FRESH_FOR

    def _fetch(self, now: datetime) -> None:
        """Fetch the list. What was known stays where that fails."""
        try:
            response = self._api.public_keys()
            self._known = _listed(response)
        except (HttpFault, NoKey) as fault:
            log.warning("public keys not fetched", reason=str(fault), known=len(self._known))
            self._failed_at, self._fault = now, f": {fault}"
            return
        self._fetched_at, self._failed_at, self._fault = now, None, ""
        kept = json.dumps({"at": now.isoformat(), "list": response.body.decode()})
        if len(kept) < MAX_VALUE_BYTES:
            self._store.put(self._stored, kept)

    def _recall(self) -> None:
        """The list that another process has fetched, or this one before a restart."""
        stored = self._store.get(self._stored)
        if stored:
            values = json.loads(stored)
            self._known = _listed(Response(200, {}, values["list"].encode()))
            if self._fetched_at is None:
                self._fetched_at = moment(values["at"])


def chosen(known: Iterable[PublicKey], usage: Usage, now: datetime, fault: str = "") -> PublicKey:
    """The valid key of this usage with the latest validFrom. Raises NoKey."""
    valid = [each for each in known if usage in each.usages and each.valid_from <= now]
    valid = [each for each in valid if now < each.valid_to]
    if not valid:
        raise NoKey(f"KSeF offers no valid public key for {usage}{fault}")
    return max(valid, key=lambda each: each.valid_from)


def _listed(response: Response) -> tuple[PublicKey, ...]:
    entries = response.json() if response.status == 200 else None
    if not isinstance(entries, list):
        raise NoKey(f"KSeF does not list its public keys: HTTP {response.status}")
    found = tuple(key for entry in entries if (key := _key(entry)) is not None)
    if not found:
        raise NoKey("KSeF lists no public key that can be read")
    return found


def _key(entry: Mapping[str, Any]) -> PublicKey | None:
    """A key of the list; None, with a log line, for one of another form."""
    try:
        certificate = x509.load_der_x509_certificate(base64.b64decode(entry["certificate"]))
        key, usages = certificate.public_key(), frozenset(map(str, entry["usage"]))
        if not isinstance(key, RSAPublicKey):
            raise TypeError("it is not RSA")
        return PublicKey(
            entry["publicKeyId"],
            usages,
            moment(entry["validFrom"]),
            moment(entry["validTo"]),
            key,
        )
    except (KeyError, TypeError, ValueError, UnsupportedAlgorithm) as fault:
        log.error("public key of another form", reason=f"{type(fault).__name__}: {fault}"[:200])
        return None
