"""API keys: `sk_test_` or `sk_live_`, 43 random characters, a checksum of 6 (decisions 9).

Keys of platforms begin with `pk_` (decisions 21.1), keys of operators with `ok_`, without an
environment; no other mechanism takes them for keys.

With the checksum a typo or a truncated key is refused without a database query, and secret scanners
recognise a real key. Only the SHA-256 of a key is stored.

>>> key = new(Environment.TEST)
>>> key.startswith("sk_test_"), environment_of(key)
(True, <Environment.TEST: 'test'>)
>>> environment_of(key[:-1] + ("a" if key[-1] != "a" else "b")) is None
True
"""

from __future__ import annotations

import hashlib
import re
import secrets
import zlib

from einvoice.domain.environments import Environment

SCOPES = (
    "participants:read",
    "invoices:send",
    "invoices:read",
    "artefacts:read",
    "webhooks:manage",
    "connections:link",
)
DEFAULT_SCOPES = SCOPES[:4]
# Text with such a prefix is meant to be an API key, even if it is malformed.
PREFIXES = tuple(f"{kind}_{environment}_" for kind in ("sk", "pk") for environment in Environment)

_FORM = re.compile(r"[sp]k_(test|live)_([A-Za-z0-9_-]{43})([0-9A-Za-z]{6})", re.ASCII)
_OF_OPERATOR = re.compile(r"ok_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}", re.ASCII)
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def new(environment: Environment) -> str:
    """A new key of a tenant, to be shown once."""
    return _new("sk", environment)


def new_of_platform(environment: Environment) -> str:
    """A new key of a platform, to be shown once."""
    return _new("pk", environment)


def _new(kind: str, environment: Environment) -> str:
    stem = f"{kind}_{environment}_{secrets.token_urlsafe(32)}"
    return stem + _checksum(stem)


def new_of_operator() -> str:
    """A new key of an operator, to be shown once."""
    stem = f"ok_{secrets.token_urlsafe(32)}"
    return stem + _checksum(stem)


def is_of_operator(key: str) -> bool:
    """Whether a text is a well-formed key of an operator.

    >>> is_of_operator(new_of_operator()), is_of_operator(new(Environment.LIVE))
    (True, False)
    """
    return _OF_OPERATOR.fullmatch(key) is not None and _checksum(key[:-6]) == key[-6:]


def is_of_platform(prefix: str) -> bool:
    """Whether a key, or the start of one, is a platform's."""
    return prefix.startswith("pk_")


def environment_of(key: str) -> Environment | None:
    """The environment of a well-formed key; None for anything else."""
    match = _FORM.fullmatch(key)
    if match is None or _checksum(key[:-6]) != match[3]:
        return None
    return Environment(match[1])


def fingerprint(key: str) -> str:
    """SHA-256 in hex, which is stored and looked up. A key has 256 random bits, so no salt."""
    return hashlib.sha256(key.encode()).hexdigest()


def shown_prefix(key: str) -> str:
    """The start of a key for lists: its environment and 8 characters."""
    return key[:16]


def _checksum(stem: str) -> str:
    number = zlib.crc32(stem.encode())
    digits = ""
    for _ in range(6):
        number, rest = divmod(number, 62)
        digits = _BASE62[rest] + digits
    return digits
