"""A line to Redis that holds a request for 30 ms at most, 60 if it goes silent at the worst moment.

Connections are opened by threads of their own, so that neither name resolution nor TLS can hold a
request; a request borrows one, asks, and gives it back. When Redis does not answer in time nobody
asks it again for a second: then one request in a second pays for the attempt, not all of them.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from typing import Any

from hiredis import pack_command
from redis.backoff import NoBackoff
from redis.connection import Connection, parse_url
from redis.exceptions import ConnectionError as Broken
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry

from einvoice import clock

WAIT = 0.03  # seconds a request waits for a connection to be opened
ANSWER = 0.03  # seconds Redis has to answer
REST = 1.0  # seconds nobody asks after Redis failed to answer
_CONNECT = 1.0  # seconds an opening thread may take


class Away(Exception):
    """Redis did not answer in time, or not with what was asked for."""


class Line:
    """Asks one Redis server, from any thread. Nothing is opened before the first question."""

    def __init__(self, url: str) -> None:
        options: dict[str, Any] = parse_url(url)  # type: ignore[no-untyped-call]
        self._kind: type[Connection] = options.pop("connection_class", Connection)
        options.pop("max_connections", None)
        self._options = {
            **options,
            "socket_timeout": ANSWER,
            "socket_connect_timeout": _CONNECT,
            "retry": Retry(NoBackoff(), 0),
        }
        self._free: deque[Connection] = deque()
        self._arrival = threading.Condition()
        self._resting_until = 0.0

    def ask(self, *words: bytes | str | int) -> Any:
        """What Redis answers. Raises Away; ResponseError for a question it refuses."""
        try:
            return self._ask(words)
        except Broken:
            # Redis was restarted, or closed what was idle: the other connections are as dead.
            self.close()
        try:
            return self._ask(words)
        except Broken as fault:
            raise self._rest() from fault

    def _ask(self, words: tuple[bytes | str | int, ...]) -> Any:
        connection = self._take()
        try:
            _say(connection, words)
            answer = connection.read_response()
        except ResponseError:
            self._free.append(connection)
            raise
        except Broken:
            _hang_up(connection)
            raise
        except (RedisError, OSError) as fault:
            _hang_up(connection)
            raise self._rest() from fault
        self._free.append(connection)
        return answer

    def _take(self) -> Connection:
        with suppress(IndexError):
            return self._free.pop()
        if self._resting():
            raise Away("Redis did not answer a moment ago")
        threading.Thread(target=self._open, daemon=True, name="redis-line").start()
        return self._await(clock.monotonic() + WAIT)

    def _await(self, until: float) -> Connection:
        with self._arrival:
            while True:
                with suppress(IndexError):
                    return self._free.pop()
                left = until - clock.monotonic()
                if left <= 0 or self._resting():
                    raise self._rest()
                self._arrival.wait(left)

    def _open(self) -> None:
        connection = self._kind(**self._options)
        try:
            connection.connect()  # type: ignore[no-untyped-call]
        except (RedisError, OSError):
            _hang_up(connection)
            self._rest()
        else:
            self._free.append(connection)
        with self._arrival:
            self._arrival.notify_all()

    def _resting(self) -> bool:
        return clock.monotonic() < self._resting_until

    def _rest(self) -> Away:
        self._resting_until = clock.monotonic() + REST
        return Away("Redis does not answer")

    def close(self) -> None:
        """Close what is open; the next question opens anew."""
        while self._free:
            _hang_up(self._free.pop())


def _say(connection: Connection, words: tuple[Any, ...]) -> None:
    connection.send_packed_command(  # type: ignore[no-untyped-call]
        [pack_command(words)], check_health=False
    )


def _hang_up(connection: Connection) -> None:
    connection.disconnect()  # type: ignore[no-untyped-call]


__all__ = ["ANSWER", "REST", "WAIT", "Away", "Line", "ResponseError"]
