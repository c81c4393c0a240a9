"""The ministry's public keys: one for tokens, one for the keys of sessions.

Of the keys that are valid, the one with the latest validFrom is used (guide "Klucze publiczne",
4.1). Its id is sent with everything that it encrypts; where the network refuses the id (21470), the
list is fetched again and the call is repeated once.
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

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from einvoice import clock
from einvoice.http import Response
from einvoice_ksef import encryption
from einvoice_ksef.moments import moment

FRESH_FOR: Final = timedelta(hours=1)


class Usage(StrEnum):
    """What a key encrypts."""

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
    """The keys of an environment, fetched once an hour in each process. Thread-safe."""

    def __init__(self, api: _Lists) -> None:
        self._api, self._lock = api, Lock()
        self._known: tuple[PublicKey, ...] = ()
        self._fetched_at: datetime | None = None

    def current(self, usage: Usage) -> PublicKey:
        """The key to encrypt with. Raises NoKey and HttpFault."""
        now = clock.now()
        with self._lock:
            if self._fetched_at is None or now - self._fetched_at > FRESH_FOR:
                self._known = _listed(self._api.public_keys())
                self._fetched_at = now
            known = self._known
        return chosen(known, usage, now)

    def forget(self) -> None:
        """Fetch the list again at the next call."""
        with self._lock:
            self._fetched_at = None


def chosen(known: Iterable[PublicKey], usage: Usage, now: datetime) -> PublicKey:
    """The valid key of this usage with the latest validFrom. Raises NoKey."""
    valid = [each for each in known if usage in each.usages and each.valid_from <= now]
    valid = [each for each in valid if now < each.valid_to]
    if not valid:
        raise NoKey(f"KSeF offers no valid public key for {usage}")
    return max(valid, key=lambda each: each.valid_from)


def _listed(response: Response) -> tuple[PublicKey, ...]:
    try:
        entries = json.loads(response.body) if response.status == 200 else None
    except ValueError:
        entries = None
    if not isinstance(entries, list):
        raise NoKey(f"KSeF does not list its public keys: HTTP {response.status}")
    return tuple(_key(entry) for entry in entries)


def _key(entry: Mapping[str, Any]) -> PublicKey:
    try:
        certificate = x509.load_der_x509_certificate(base64.b64decode(entry["certificate"]))
        key, usages = certificate.public_key(), frozenset(map(str, entry["usage"]))
        if not isinstance(key, RSAPublicKey):
            raise NoKey("KSeF lists a public key that is not RSA")
        return PublicKey(
            entry["publicKeyId"],
            usages,
            moment(entry["validFrom"]),
            moment(entry["validTo"]),
            key,
        )
    except (KeyError, TypeError, ValueError) as fault:
        raise NoKey(f"KSeF lists a public key that cannot be read: {fault}") from fault
