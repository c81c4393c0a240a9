"""Tokens of share links: 32 random bytes, url-safe; only their SHA-256 is stored.

A token contains no data: no tenant, no invoice, no time. It gives access by itself, so it is shown
once and never logged.

>>> len(new()), new() == new()
(43, False)
>>> digest("an-unused-token")[:8]
'402f0dd9'
"""

from __future__ import annotations

import hashlib
import secrets

BYTES = 32


def new() -> str:
    """A new token, to be shown once."""
    return secrets.token_urlsafe(BYTES)


def digest(text: str) -> str:
    """SHA-256 in hex, which is stored and looked up. A token has 256 random bits, so no salt.

    Any text has a digest, so a malformed token takes as long as a wrong one.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
