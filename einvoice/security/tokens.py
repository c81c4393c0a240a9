"""Tokens of share links: 32 random bytes, url-safe, of which only the SHA-256 is kept.

A token says nothing: neither tenant nor invoice nor when it was made. Whoever has it may look, so
it is shown once and never logged.

>>> len(new()), new() == new()
(43, False)
>>> digest("what-nobody-was-given")[:8]
'12ef248e'
"""

from __future__ import annotations

import hashlib
import secrets

BYTES = 32


def new() -> str:
    """A fresh token, to be shown once."""
    return secrets.token_urlsafe(BYTES)


def digest(text: str) -> str:
    """What is stored and looked up: SHA-256, hex. A token has 256 random bits, so no salt.

    Anything at all has a digest: a malformed token costs exactly what a wrong one does.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
