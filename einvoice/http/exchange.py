"""The state of one request, and urllib3 connections that check addresses and enforce its deadline.

A name is resolved once and every address is checked before the connection, so changing it between
check and use (DNS rebinding) has no effect; TLS still checks the certificate against the host name.
At the deadline the socket is shut down, which ends any read or write, also of a server that sends
a byte at a time.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import ip_address
from threading import Lock, Thread, Timer
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection

from einvoice import clock
from einvoice.http.faults import Blocked, TimedOut, Unreachable
from einvoice.http.policy import Policy

Resolver = Callable[..., list[tuple[Any, ...]]]  # socket.getaddrinfo
_CURRENT: ContextVar[Exchange] = ContextVar("exchange")


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds to connect (name and TCP; TLS), for one read, in total; bytes of the response."""

    connect: float = 5.0
    read: float = 15.0
    total: float = 15.0
    answer_bytes: int = 1 << 20


class Exchange:
    """State of one request: policy, socket and deadline."""

    def __init__(self, policy: Policy, resolver: Resolver, limits: Limits) -> None:
        self.policy = policy
        self.resolver = resolver
        self.limits = limits
        self.dialled = False  # else the connection was kept alive from an earlier request
        self.sent = False
        self.expired = False
        self._duplicate: socket.socket | None = None
        self._lock = Lock()

    @contextmanager
    def deadline(self) -> Iterator[None]:
        """Connections of this thread belong to this request; at the deadline it expires."""
        timer = Timer(self.limits.total, self._expire)
        timer.daemon = True
        token = _CURRENT.set(self)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            with self._lock:
                self._release()
            _CURRENT.reset(token)

    def attach(self, sock: socket.socket) -> None:
        """Shut this socket down at the deadline. A duplicate, because TLS closes the original."""
        with self._lock:
            self._release()
            self._duplicate = socket.socket(fileno=os.dup(sock.fileno()))
        if self.expired:
            self._expire()

    def _expire(self) -> None:
        with self._lock:
            self.expired = True
            if self._duplicate is not None:
                with suppress(OSError):
                    self._duplicate.shutdown(socket.SHUT_RDWR)

    def _release(self) -> None:
        if self._duplicate is not None:
            self._duplicate.close()
            self._duplicate = None

    def dial(self, host: str, port: int) -> socket.socket:
        """A connected socket to a checked address of the host."""
        self.dialled = True
        until = clock.monotonic() + min(self.limits.connect, self.limits.total)
        found = self._resolve(host, port, until)
        for *_, where in found:
            if not self.policy.admits(ip_address(where[0].partition("%")[0])):
                # Without the address: what our name servers resolve is not public.
                raise Blocked(f"{host} has an address that is not public")
        return self._connect(found, until)

    def _resolve(self, host: str, port: int, until: float) -> list[tuple[Any, ...]]:
        """In a thread of its own, because the system's resolver has no time limit."""
        found: list[Any] = []
        thread = Thread(target=self._query, args=(host, port, found), daemon=True)
        thread.start()
        thread.join(until - clock.monotonic())
        if not found:
            raise TimedOut(f"the address of {host} could not be found in time")
        if isinstance(found[0], Exception):
            raise Unreachable(f"{host} has no address") from found[0]
        return list(found[0])

    def _query(self, host: str, port: int, found: list[Any]) -> None:
        try:
            found.append(self.resolver(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as fault:
            found.append(fault)

    def _connect(self, found: list[tuple[Any, ...]], until: float) -> socket.socket:
        """A socket connected to the first address that accepts. Raises TimedOut or Unreachable."""
        fault: OSError = OSError("the name has no address")
        for tried, (family, kind, protocol, _, where) in enumerate(found):
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(max(share(until - clock.monotonic(), len(found) - tried), 0.001))
                sock.connect(where)
            except OSError as this:
                sock.close()
                fault = this
            else:
                return sock
        if isinstance(fault, TimeoutError):
            raise TimedOut("connecting took too long") from fault
        raise Unreachable(f"no connection: {fault}") from fault


def share(seconds: float, addresses: int) -> float:
    """What the next of so many addresses may take: one that is silent leaves time for the others.

    >>> share(5.0, 2)
    2.5
    """
    return seconds / addresses


class GuardedConnection(HTTPConnection):
    """Gets its socket from the current exchange, which checks addresses and keeps the deadline."""

    def _new_conn(self) -> socket.socket:
        exchange = _CURRENT.get()
        sock = exchange.dial(self._dns_host, self.port)
        for option in self.socket_options or ():
            sock.setsockopt(*option)
        sock.settimeout(exchange.limits.connect)
        exchange.attach(sock)
        return sock

    def send(self, data: Any) -> None:
        exchange = _CURRENT.get()
        if self.sock is None:
            self.connect()
        if not exchange.sent:
            exchange.sent = True
            exchange.attach(self.sock)  # one kept alive was attached to an earlier request
            self.sock.settimeout(exchange.limits.total)
        super().send(data)


class GuardedTlsConnection(GuardedConnection, HTTPSConnection):
    """A guarded connection with TLS: the certificate is for the host name of the URL."""
