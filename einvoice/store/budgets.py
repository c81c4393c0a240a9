"""Counts in Redis: requests of an API key or address in the last minute, and changes of keys.

Nothing here is needed for correctness. Without Redis, requests of a minute are not counted, and a
revocation takes effect after a second instead of at once (services/account/authentication).
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

WINDOW_SECONDS = 60
# Longer than any process caches a key.
STAMP_SECONDS = 3600

_SCRIPT = files(__package__).joinpath("budgets.lua").read_bytes()
_SHA = hashlib.sha1(_SCRIPT, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class Hit:
    """A counted request. Times are Unix milliseconds of Redis's clock."""

    allowed: bool
    used: int
    oldest: int
    now: int
    stamp: str | None


def hit(key_id: str, verb: str, limit: int) -> Hit | None:
    """Count a request of the class `verb` unless `limit` is reached; None without Redis."""
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
    """Mark the key as changed for all processes; False without Redis. Call after the commit."""
    try:
        _command("SET", _name(key_id, "stamp"), uuid.uuid4().hex, "EX", STAMP_SECONDS)
    except (RedisUnavailable, ResponseError):
        return False
    return True


def is_available() -> bool:
    """Whether Redis answers."""
    try:
        return bool(_command("PING"))
    except (RedisUnavailable, ResponseError):
        return False


def _name(key_id: str, what: str) -> str:
    """The name of an entry in Redis; all entries of a key are in one slot of a cluster."""
    return f"einvoice:key:{{{key_id}}}:{what}"


def _command(*parts: bytes | str | int) -> Any:
    return resources().redis.command(*parts)
