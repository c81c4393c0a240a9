"""How many requests an API key (or an address) made in the last minute, and whether the key
changed: in Redis.

Nothing here is needed for correctness: what Redis loses is a minute's counts and the stamps, which
only make a revocation known before the second it takes anyway (services/account/authentication).
"""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from redis.exceptions import NoScriptError

from einvoice.store.redis_connection import RedisUnavailable, ResponseError
from einvoice.store.resources import resources

WINDOW_SECONDS = 60  # seconds
# Longer than any process remembers a key.
STAMP_SECONDS = 3600

_SCRIPT = files(__package__).joinpath("budgets.lua").read_bytes()
_SHA = hashlib.sha1(_SCRIPT, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class Hit:
    """A request against a budget. Times are Unix milliseconds of Redis's clock."""

    allowed: bool
    used: int
    oldest: int
    now: int
    stamp: str | None


def hit(key_id: str, verb: str, limit: int) -> Hit | None:
    """Count a request of the class `verb` unless `limit` is reached; None when Redis is away."""
    keys = (_name(key_id, verb), _name(key_id, "stamp"))
    arguments = (2, *keys, limit, WINDOW_SECONDS * 1000)
    try:
        try:
            found = _command("EVALSHA", _SHA, *arguments)
        except NoScriptError:
            found = _command("EVAL", _SCRIPT, *arguments)
    except (RedisUnavailable, ResponseError):
        return None
    allowed, used, oldest, now, stamp = found
    return Hit(bool(allowed), used, oldest, now, None if stamp is None else stamp.decode())


def stamp(key_id: str) -> bool:
    """Tell every process that the key changed; False when Redis is away. Call after the commit."""
    try:
        _command("SET", _name(key_id, "stamp"), uuid.uuid4().hex, "EX", STAMP_SECONDS)
    except (RedisUnavailable, ResponseError):
        return False
    return True


def is_available() -> bool:
    """Whether Redis answers at this moment."""
    try:
        return bool(_command("PING"))
    except (RedisUnavailable, ResponseError):
        return False


def _name(key_id: str, what: str) -> str:
    """All of a key in one slot of a cluster."""
    return f"einvoice:key:{{{key_id}}}:{what}"


def _command(*parts: bytes | str | int) -> Any:
    return resources().redis.command(*parts)
