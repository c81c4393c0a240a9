"""Tokens in forms against requests that other sites make in the browser of a person.

A token is derived from the session's, and masked differently in each page: a compressed page that
repeats input of others would otherwise reveal it by its length. The browser's own statement of
where a request comes from (Sec-Fetch-Site, Origin) is checked as well.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets

from flask import request

from einvoice.web import credentials

FIELD, HEADER = "csrf", "X-CSRF-Token"
_BYTES = 16


def token_of(session_token: str) -> str:
    """A token for a form of this session."""
    mask = secrets.token_bytes(_BYTES)
    return base64.urlsafe_b64encode(mask + _masked(_derived(session_token), mask)).decode()


def is_valid(session_token: str, given: str) -> bool:
    """Whether a form of this session has this token."""
    try:
        raw = base64.urlsafe_b64decode(given.encode())
    except (binascii.Error, ValueError):
        return False
    if len(raw) != 2 * _BYTES:
        return False
    return hmac.compare_digest(_masked(raw[_BYTES:], raw[:_BYTES]), _derived(session_token))


def is_of_this_site() -> bool:
    """Whether the browser says that a page of this host makes the request, or says nothing."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in {"same-origin", "none"}:
        return False
    origin = request.headers.get("Origin")
    return origin is None or credentials.host_of(origin) == credentials.host_of(request.host_url)


def _derived(session_token: str) -> bytes:
    return hmac.new(session_token.encode(), b"csrf", hashlib.sha256).digest()[:_BYTES]


def _masked(value: bytes, mask: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(value, mask, strict=True))
