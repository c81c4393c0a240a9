"""How many requests an API key (or an address) made in the last minute, and whether the key
changed: in Redis.

Nothing here is needed for correctness: what Redis loses is a minute's counts and the stamps, which
only make a revocation known before the second it takes anyway (services/account/authentication).
"""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass
from importlib import resources

from flask import Flask, current_app
from redis.exceptions import NoScriptError

from einvoice.store.redis_connection import RedisConnection, RedisUnavailable, ResponseError

WINDOW_SECONDS = 60  # seconds
# Longer than any process remembers a key.
STAMP_SECONDS = 3600

_SCRIPT = resources.files(__package__).joinpath("budgets.lua").read_bytes()
_SHA = hashlib.sha1(_SCRIPT, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class Hit:
    """A request against a budget. Times are Unix milliseconds of Redis's clock."""

    allowed: bool
    used: int
    oldest: int
    now: int
    stamp: str | None


def init_app(app: Flask, url: str) -> None:
    """Nothing is asked of Redis yet."""
    app.extensions["budgets"] = RedisConnection(url)


def hit(key_id: str, verb: str, limit: int) -> Hit | None:
    """Count a request of the class `verb` unless `limit` is reached; None when Redis is away."""
    keys = (_name(key_id, verb), _name(key_id, "stamp"))
    arguments = (2, *keys, limit, WINDOW_SECONDS * 1000)
    try:
        try:
            found = _line().command("EVALSHA", _SHA, *arguments)
        except NoScriptError:
            found = _line().command("EVAL", _SCRIPT, *arguments)
    except (RedisUnavailable, ResponseError):
        return None
    allowed, used, oldest, now, stamp = found
    return Hit(bool(allowed), used, oldest, now, None if stamp is None else stamp.decode())


def stamp(key_id: str) -> bool:
    """Tell every process that the key changed; False when Redis is away. Call after the commit."""
    try:
        _line().command("SET", _name(key_id, "stamp"), uuid.uuid4().hex, "EX", STAMP_SECONDS)
    except (RedisUnavailable, ResponseError):
        return False
    return True


def is_available() -> bool:
    """Whether Redis answers at this moment."""
    try:
        return bool(_line().command("PING"))
    except (RedisUnavailable, ResponseError):
        return False


def _name(key_id: str, what: str) -> str:
    """All of a key in one slot of a cluster."""
    return f"einvoice:key:{{{key_id}}}:{what}"


def _line() -> RedisConnection:
    found: RedisConnection = current_app.extensions["budgets"]
    return found
