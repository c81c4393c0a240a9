"""Headers with a meaning of their own: Idempotency-Key, Prefer, Accept-Language, If-Match."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flask import request

from einvoice.domain.errors import InvalidIdempotencyKey

MAX_KEY_LENGTH = 128
MAX_WAIT_SECONDS = 25
_PRINTABLE = re.compile(r"[\x20-\x7e]+", re.ASCII)
_VERSION = re.compile(r"[0-9]{1,18}", re.ASCII)
_WAIT = re.compile(r"wait\s*=\s*\"?([0-9]{1,6})\"?", re.ASCII | re.IGNORECASE)


def idempotency_key() -> str | None:
    """The `Idempotency-Key`, if one was sent. Raises InvalidIdempotencyKey."""
    given = request.headers.get("Idempotency-Key")
    return None if given is None else checked_key(given)


def checked_key(text: object) -> str:
    """The key without surrounding spaces. Raises InvalidIdempotencyKey."""
    key = text.strip() if isinstance(text, str) else ""
    if not _PRINTABLE.fullmatch(key) or len(key) > MAX_KEY_LENGTH:
        raise InvalidIdempotencyKey(
            f"An Idempotency-Key has 1 to {MAX_KEY_LENGTH} printable ASCII characters."
        )
    return key


def given_key() -> str | None:
    """The key as received, of any length, for the echo; None if it cannot be a header value."""
    key = request.headers.get("Idempotency-Key", "").strip()
    return key if _PRINTABLE.fullmatch(key) else None


@dataclass(frozen=True, slots=True)
class Preference:
    """How many seconds the caller waits, and the value of Preference-Applied."""

    wait: float
    applied: str | None = None


def preference(default_wait: float) -> Preference:
    """The header `Prefer` of the request."""
    return preference_of(request.headers.get("Prefer", ""), default_wait)


def preference_of(header: str, default_wait: float) -> Preference:
    """`wait=N` or `respond-async` (RFC 7240); longer waits are cut to 25 seconds."""
    for part in header.split(","):
        word = part.strip()
        if word.lower() == "respond-async":
            return Preference(0.0, "respond-async")
        match = _WAIT.fullmatch(word)
        if match:
            seconds = min(int(match[1]), MAX_WAIT_SECONDS)
            return Preference(float(seconds), f"wait={seconds}")
    return Preference(default_wait)


def accepted_languages() -> list[str]:
    """The language tags of Accept-Language, the preferred ones first."""
    if "HTTP_ACCEPT_LANGUAGE" not in request.environ:
        return []
    return [tag for tag, quality in request.accept_languages if quality > 0]


def expected_versions() -> set[int] | None:
    """The versions in If-Match, of records whose ETag is their version; None for any."""
    if "If-Match" not in request.headers or request.if_match.star_tag:
        return None
    return {int(tag) for tag in request.if_match.as_set() if _VERSION.fullmatch(tag or "")}
