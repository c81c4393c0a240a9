"""Commands to Redis that delay a request by 30 ms at most, 60 ms if Redis stops in between.

Connections are opened in threads of their own, so that neither name resolution nor TLS delays a
request. After a time-out, commands fail at once for a second: one request in a second pays for the
attempt, not all of them.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from hiredis import pack_command

from einvoice import clock
from einvoice.store.core.redis_library import (
    Connection,
    ConnectionLost,
    NoBackoff,
    ReadOnlyError,
    RedisError,
    ResponseError,
    Retry,
    SSLConnection,
    parse_url,
)
from einvoice.store.core.redis_servers import SentinelAddress

CONNECT_WAIT_SECONDS = 0.03  # how long a request waits for a connection to be opened
ANSWER_TIMEOUT_SECONDS = 0.03
RETRY_AFTER_SECONDS = 1.0  # how long commands fail at once after a time-out
CONNECT_TIMEOUT_SECONDS = 1.0  # how long an opening thread may take

Command: TypeAlias = tuple[bytes | str | int, ...]


class RedisUnavailable(Exception):
    """Redis did not answer in time, or its answer could not be read."""


class RedisConnection:
    """Connections to one Redis server, for any thread; the first command opens the first one.

    With Sentinels each new connection goes to the master that they name.
    """

    def __init__(self, url: str) -> None:
        self._sentinels = SentinelAddress.of(url)
        options = _options(url, self._sentinels)
        self._kind: type[Connection] = options.pop("connection_class", Connection)
        options.pop("max_connections", None)
        self._options = {
            **options,
            "socket_timeout": ANSWER_TIMEOUT_SECONDS,
            "socket_connect_timeout": CONNECT_TIMEOUT_SECONDS,
            "retry": Retry(NoBackoff(), 0),
        }
        self._idle: deque[Connection] = deque()
        self._opened = threading.Condition()
        self._waiting = 0
        self._retry_at = 0.0

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
        try:
            return self._exchange(commands)
        except ConnectionLost:
            # Redis restarted, or closed idle connections: the others are likely closed as well.
            self.close()
        try:
            return self._exchange(commands)
        except ConnectionLost as fault:
            raise self._back_off() from fault

    def _exchange(self, commands: Sequence[Command]) -> list[Any]:
        connection = self._acquire()
        try:
            _send(connection, commands)
            replies = [_reply(connection) for _ in commands]
        except ConnectionLost:
            _disconnect(connection)
            raise
        except (RedisError, OSError) as fault:
            _disconnect(connection)
            raise self._back_off() from fault
        self._release(connection)
        return replies

    def _release(self, connection: Connection) -> None:
        """Make the connection idle, and wake a thread whose own one was taken by another."""
        self._idle.append(connection)
        if self._waiting:
            with self._opened:
                self._opened.notify()

    def _acquire(self) -> Connection:
        with suppress(IndexError):
            return self._idle.pop()
        if self._is_backing_off():
            raise RedisUnavailable("Redis did not answer a moment ago")
        threading.Thread(target=self._open, daemon=True, name="redis-connection").start()
        return self._wait_for_idle(clock.monotonic() + CONNECT_WAIT_SECONDS)

    def _wait_for_idle(self, until: float) -> Connection:
        with self._opened:
            self._waiting += 1
            try:
                while True:
                    with suppress(IndexError):
                        return self._idle.pop()
                    left = until - clock.monotonic()
                    if left <= 0 or self._is_backing_off():
                        raise self._back_off()
                    self._opened.wait(left)
            finally:
                self._waiting -= 1

    def _open(self) -> None:
        try:
            self._idle.append(self._connected())
        except (RedisError, OSError):
            self._back_off()
        with self._opened:
            self._opened.notify_all()

    def _connected(self) -> Connection:
        options = self._options
        if self._sentinels is not None:
            host, port = self._sentinels.master()
            options = {**options, "host": host, "port": port}
        connection = self._kind(**options)
        try:
            connection.connect()  # type: ignore[no-untyped-call]
        except (RedisError, OSError):
            _disconnect(connection)
            raise
        return connection

    def _is_backing_off(self) -> bool:
        return clock.monotonic() < self._retry_at

    def _back_off(self) -> RedisUnavailable:
        self._retry_at = clock.monotonic() + RETRY_AFTER_SECONDS
        return RedisUnavailable("Redis does not answer")

    def close(self) -> None:
        """Close all idle connections; the next command opens a new one."""
        while self._idle:
            _disconnect(self._idle.pop())


def _options(url: str, sentinels: SentinelAddress | None) -> dict[str, Any]:
    if sentinels is None:
        return parse_url(url)  # type: ignore[no-any-return, no-untyped-call]
    options = dict(sentinels.options)
    if options.pop("ssl", False):
        options["connection_class"] = SSLConnection
    return options


def _send(connection: Connection, commands: Sequence[tuple[Any, ...]]) -> None:
    packed = b"".join(pack_command(command) for command in commands)
    connection.send_packed_command([packed], check_health=False)  # type: ignore[no-untyped-call]


def _reply(connection: Connection) -> Any:
    try:
        return connection.read_response()
    except ReadOnlyError as fault:
        raise ConnectionLost("the server is not the master any more") from fault
    except ResponseError as refused:
        return refused


def _disconnect(connection: Connection) -> None:
    connection.disconnect()  # type: ignore[no-untyped-call]


__all__ = ["RedisConnection", "RedisUnavailable", "ResponseError"]
