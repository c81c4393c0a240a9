"""Commands to Redis that delay a request by 30 ms at most, 60 ms if Redis stops in between.

A client of redis-py with short time-outs, behind a breaker: after a failure commands fail at once
for a second. A single answer that is late is no failure, since the processor of a busy machine is
late as well: it is the fault of one request, and so that limits hold there, others still ask. Redis
is reached again in a thread of its own, so that the name resolution of a server that is gone delays
no request.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import ReadOnlyError, RedisError, ResponseError
from redis.exceptions import TimeoutError as AnswerIsLate
from redis.retry import Retry

from einvoice import clock
from einvoice.store.core import redis_servers

CONNECT_WAIT_SECONDS = 0.03  # how long a request waits for a connection to be opened
ANSWER_TIMEOUT_SECONDS = 0.03
RETRY_AFTER_SECONDS = 1.0  # how long commands fail at once after a failure
MAX_LATE_ANSWERS = 3  # one after the other, which are a failure

Command: TypeAlias = tuple[bytes | str | int, ...]


class RedisUnavailable(Exception):
    """Redis did not answer in time, or its answer could not be read."""


class RedisConnection:
    """Connections to one Redis server, or to the master that Sentinels name; for any thread."""

    def __init__(self, url: str) -> None:
        # A connection that Redis has closed is opened once more.
        retry = Retry(NoBackoff(), 1, supported_errors=(ConnectionLost,))
        self._client = redis_servers.client(
            url,
            socket_timeout=ANSWER_TIMEOUT_SECONDS,
            socket_connect_timeout=CONNECT_WAIT_SECONDS,
            retry=retry,
        )
        self._breaker = Breaker(self._client.ping)
        self._late = 0  # answers, since one was in time

    def command(self, *parts: bytes | str | int) -> Any:
        """Run a command and return its reply. Raises RedisUnavailable; ResponseError if refused."""
        (reply,) = self.commands([parts])
        if isinstance(reply, ResponseError):
            raise reply
        return reply

    def commands(self, commands: Sequence[Command]) -> list[Any]:
        """Run commands in one round trip; the reply of a refused one is its ResponseError.

        Raises RedisUnavailable.
        """
        if not self._breaker.is_closed():
            raise RedisUnavailable("Redis did not answer a moment ago")
        pipeline = self._client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)  # type: ignore[no-untyped-call]
        try:
            replies = pipeline.execute(raise_on_error=False)
            if any(isinstance(reply, ReadOnlyError) for reply in replies):
                raise ConnectionLost("the server is not the master any more")
        except AnswerIsLate as fault:
            self._late += 1
            if self._late >= MAX_LATE_ANSWERS:
                self._give_up()
            raise RedisUnavailable("Redis answers late") from fault
        except (RedisError, OSError) as fault:
            self._give_up()
            raise RedisUnavailable("Redis does not answer") from fault
        self._late = 0
        return replies

    def _give_up(self) -> None:
        self._late = 0
        self._breaker.open()
        self.close()

    def close(self) -> None:
        """Close all connections; the next command opens a new one."""
        redis_servers.disconnect(self._client)


class Breaker:
    """Whether Redis answers. Opened by a failure, closed when `attempt` has succeeded.

    attempt  asks Redis, in a thread. One runs at a time, and one begins in RETRY_AFTER_SECONDS
    """

    def __init__(self, attempt: Callable[[], object]) -> None:
        self._attempt = attempt
        self._changed = threading.Condition()
        self._closed = False
        self._running = False
        self._begun = -RETRY_AFTER_SECONDS  # when the last attempt began, or the last failure was

    def is_closed(self) -> bool:
        """Whether Redis may be asked. An attempt that has just begun is waited for."""
        if self._closed:
            return True
        with self._changed:
            if not self._running and clock.monotonic() >= self._begun + RETRY_AFTER_SECONDS:
                self._running, self._begun = True, clock.monotonic()
                threading.Thread(target=self._try, daemon=True, name="redis-attempt").start()
            left = self._begun + CONNECT_WAIT_SECONDS - clock.monotonic()
            self._changed.wait_for(lambda: self._closed or not self._running, max(0.0, left))
            return self._closed

    def open(self) -> None:
        """Let commands fail at once for a while."""
        with self._changed:
            self._closed, self._begun = False, clock.monotonic()

    def _try(self) -> None:
        answered = False
        with suppress(RedisError, OSError):
            self._attempt()
            answered = True
        with self._changed:
            self._running, self._closed = False, answered
            self._changed.notify_all()


__all__ = ["RedisConnection", "RedisUnavailable", "ResponseError"]
