"""Public keys of an issuer: fetched from its JWKS address, or of the local issuer's file.

Keys are kept for ten minutes. A token with an unknown key id causes another fetch, but at most one
in 30 seconds, so that invented key ids cause no load at the identity provider. While it does not
answer, the last keys are used for up to an hour.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey, import_key

from einvoice import clock
from einvoice.domain.errors import IdentityProviderUnavailable
from einvoice.http import Client, HttpFault, Limits, Policy
from einvoice.observability import logging

log = logging.get(__name__)

REFRESH_AFTER_SECONDS = 600.0
EXPIRE_AFTER_SECONDS = 3600.0  # while the issuer does not answer
MIN_FETCH_INTERVAL_SECONDS = 30.0
_LIMITS = Limits(connect=3.0, read=5.0, total=5.0, answer_bytes=1 << 18)
MIN_RSA_BITS = 2048

Key = RSAKey | ECKey | OKPKey


class Keys(Protocol):
    """The keys of one issuer."""

    def find(self, kid: str | None) -> Key | None:
        """The key with this id; without an id, the key of an issuer that has only one."""


class LocalKeys:
    """The local issuer's key, from a file that may be made after the start of the service."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def find(self, kid: str | None) -> Key | None:
        if not self._path.exists():
            return None
        return _pick(usable([json.loads(self._path.read_text())]), kid)


class RemoteKeys:
    """The keys that an issuer publishes. Thread-safe: one thread fetches, the others wait."""

    def __init__(self, url: str, *, https_only: bool) -> None:
        self._url = url
        # Private addresses are allowed: the operator chose the URL.
        self._client = Client(Policy(https_only=https_only, allow_private=True), limits=_LIMITS)
        self._lock = threading.Lock()
        self._keys: Sequence[Key] = ()
        self._fetched: float | None = None
        self._asked: float | None = None

    def find(self, kid: str | None) -> Key | None:
        """Raises IdentityProviderUnavailable if there are no keys, or only expired ones."""
        with self._lock:
            if self._older_than(REFRESH_AFTER_SECONDS):
                self._refresh()
            found = _pick(self._keys, kid)
            if found is None:
                self._refresh()
                found = _pick(self._keys, kid)
            if self._older_than(EXPIRE_AFTER_SECONDS):
                raise IdentityProviderUnavailable("The identity provider does not answer.")
            return found

    def _older_than(self, seconds: float) -> bool:
        return self._fetched is None or clock.monotonic() - self._fetched > seconds

    def _refresh(self) -> None:
        now = clock.monotonic()
        if self._asked is not None and now - self._asked < MIN_FETCH_INTERVAL_SECONDS:
            return
        self._asked = now
        try:
            self._keys = usable(self._published())
            self._fetched = now
        except (HttpFault, ValueError, KeyError, TypeError) as fault:
            log.warning("session keys could not be fetched", fault=type(fault).__name__)

    def _published(self) -> list[Any]:
        answer = self._client.send("GET", self._url, headers={"accept": "application/json"})
        if answer.status != 200:
            raise ValueError(f"status {answer.status}")
        keys = json.loads(answer.body)["keys"]
        if not isinstance(keys, list):
            raise TypeError("keys is not a list")
        return keys


def usable(published: Iterable[Any]) -> list[Key]:
    """The keys that can verify session tokens; a key set may hold others."""
    return [key for entry in published if (key := _key(entry)) is not None]


def _key(entry: Any) -> Key | None:
    if not isinstance(entry, dict) or entry.get("kty") not in ("RSA", "EC", "OKP"):
        return None
    try:
        key = import_key(entry)
    except (JoseError, ValueError, TypeError, KeyError):
        return None
    if entry.get("use", "sig") != "sig" or "verify" not in entry.get("key_ops", ["verify"]):
        return None
    return key if isinstance(key, RSAKey | ECKey | OKPKey) and _is_strong(key) else None


def _is_strong(key: Key) -> bool:
    if isinstance(key, RSAKey):
        public = key.public_key
        return isinstance(public, RSAPublicKey) and public.key_size >= MIN_RSA_BITS
    return key.curve_name in ("P-256", "Ed25519")


def _pick(keys: Sequence[Key], kid: str | None) -> Key | None:
    if kid is None:
        return keys[0] if len(keys) == 1 else None
    return next((key for key in keys if key.kid == kid), None)
