"""Counts in Redis: requests of an API key or address in the last minute, and changes of keys.

Nothing here is needed for correctness. Without Redis, requests of a minute are not counted, and a
revocation takes effect after a second instead of at once (services/account/authentication).
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, NamedTuple

from redis.exceptions import NoScriptError, OutOfMemoryError

from einvoice.store.core.redis_connection import RedisUnavailable as RedisUnavailable
from einvoice.store.core.redis_connection import ResponseError
from einvoice.store.core.resources import resources

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


class Window(NamedTuple):
    """A moving window: the requests of one class of a key or address, and how many it allows.

    weight  how many the next one counts for; at most `limit`
    """

    key_id: str
    verb: str
    limit: int
    weight: int = 1


def hit(key_id: str, verb: str, limit: int, weight: int = 1) -> Hit | None:
    """Count a request of the class `verb` unless `limit` is reached; None without Redis."""
    (found,) = hits([Window(key_id, verb, limit, weight)])
    return found


def hits(windows: Sequence[Window]) -> list[Hit | None]:
    """Count a request in each window, in this order, in one round trip; None without Redis."""
    try:
        replies = _run([_arguments(window) for window in windows])
    except RedisUnavailable:
        return [None] * len(windows)
    return [None if isinstance(reply, ResponseError) else _hit(*reply) for reply in replies]


def _run(arguments: Sequence[tuple[str | int, ...]]) -> list[Any]:
    """The replies of the script to these arguments; Redis forgets scripts when it restarts."""
    redis = resources().redis
    replies = redis.commands([("EVALSHA", _SHA, *given) for given in arguments])
    lost = [n for n, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
    if lost:
        again = redis.commands([("EVAL", _SCRIPT, *arguments[n]) for n in lost])
        for n, reply in zip(lost, again, strict=True):
            replies[n] = reply
    return replies


def _arguments(window: Window) -> tuple[str | int, ...]:
    keys = (_name(window.key_id, window.verb), _name(window.key_id, "stamp"))
    return (2, *keys, window.limit, WINDOW_SECONDS * 1000, window.weight)


def _hit(allowed: int, used: int, oldest: int, now: int, stamp: bytes | None) -> Hit:
    return Hit(bool(allowed), used, oldest, now, None if stamp is None else stamp.decode())


def stamp(key_id: str) -> bool:
    """Mark the key as changed for all processes; False without Redis. Call after the commit."""
    try:
        _command("SET", _name(key_id, "stamp"), uuid.uuid4().hex, "EX", STAMP_SECONDS)
    except (RedisUnavailable, ResponseError):
        return False
    return True


_WRITE_CHECK_SECONDS = 30


class WriteRefused(Exception):
    """Redis answers, and stores no value. `full`: for want of memory."""

    def __init__(self, fault: ResponseError) -> None:
        super().__init__(str(fault))
        self.full = isinstance(fault, OutOfMemoryError)


def check_writes() -> None:
    """Store a value that nobody reads. Raises RedisUnavailable, WriteRefused."""
    try:
        _command("SET", "einvoice:readiness", "1", "EX", _WRITE_CHECK_SECONDS)
    except ResponseError as fault:
        raise WriteRefused(fault) from fault


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes that Redis uses; `limit` is its maxmemory, 0 for none."""

    used: int
    limit: int


def memory() -> Memory | None:
    """The memory of Redis; None if it is away."""
    try:
        found = _command("INFO", "memory")
    except (RedisUnavailable, ResponseError):
        return None
    return Memory(int(found.get("used_memory", 0)), int(found.get("maxmemory", 0)))


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
