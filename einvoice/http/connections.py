"""Connections that never block: their steps are generators, which yield what they wait for.

Any number of them run side by side on one thread (einvoice/http/many). Addresses are checked like
the client's own connections: a name is resolved once, and every address before it is used.
"""

from __future__ import annotations

import socket
import ssl
from collections import deque
from collections.abc import Generator
from contextlib import suppress
from ipaddress import ip_address
from selectors import EVENT_READ, EVENT_WRITE
from threading import Lock, Thread
from typing import Any, NamedTuple, TypeVar

from einvoice import clock
from einvoice.http.addresses import literal
from einvoice.http.exchange import Resolver, share
from einvoice.http.faults import Blocked, TimedOut, Unreachable
from einvoice.http.policy import Policy

_RECEIVE_BYTES = 65536
_WANTS_READ = (BlockingIOError, ssl.SSLWantReadError)

T = TypeVar("T")


class Wait(NamedTuple):
    """Continue when the socket is ready for these events; `until` is the end of the waiting."""

    socket: socket.socket
    events: int
    until: float


Steps = Generator[Wait, None, T]
Addresses = list[tuple[Any, ...]]  # as of socket.getaddrinfo


class Origin(NamedTuple):
    """Where connections lead: they can be kept for the next request to the same origin."""

    scheme: str
    host: str
    port: int


class Connection:
    """A connected socket, plain or TLS, and the bytes that were received but not read."""

    def __init__(self, origin: Origin, sock: socket.socket) -> None:
        self.origin = origin
        self.buffer = bytearray()
        self.free_since = 0.0
        self._socket = sock

    def close(self) -> None:
        self._socket.close()

    def is_usable(self) -> bool:
        """Whether a kept connection is open and silent: the server may have closed it meanwhile."""
        try:
            self._socket.recv(1)
        except _WANTS_READ:
            return True
        except OSError:
            return False
        return False  # its end, or an answer to no request

    def handshake(self, context: ssl.SSLContext, until: float) -> Steps[None]:
        """Begin TLS; the certificate is checked against the host name of the URL."""
        name = self.origin.host.strip("[]").rstrip(".")
        tls = context.wrap_socket(self._socket, server_hostname=name, do_handshake_on_connect=False)
        self._socket = tls
        while True:
            try:
                tls.do_handshake()
            except ssl.SSLWantReadError:
                yield Wait(tls, EVENT_READ, until)
            except ssl.SSLWantWriteError:
                yield Wait(tls, EVENT_WRITE, until)
            else:
                return

    def send(self, data: bytes, until: float) -> Steps[None]:
        """Send all of the data. Where the server stops reading, its answer says why."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._socket.send(rest) :]
            except (BlockingIOError, ssl.SSLWantWriteError):
                yield Wait(self._socket, EVENT_WRITE, until)
            except ssl.SSLWantReadError:
                yield Wait(self._socket, EVENT_READ, until)
            except (BrokenPipeError, ConnectionResetError):
                return

    def receive(self, until: float) -> Steps[bool]:
        """Wait for bytes and add them to the buffer; False at the end of the connection."""
        while True:
            if not (isinstance(self._socket, ssl.SSLSocket) and self._socket.pending()):
                yield Wait(self._socket, EVENT_READ, until)
            try:
                received = self._socket.recv(_RECEIVE_BYTES)
            except (*_WANTS_READ, ssl.SSLWantWriteError):
                continue
            self.buffer += received
            return bool(received)


def connect(origin: Origin, addresses: Addresses, until: float) -> Steps[Connection]:
    """A connection to the first of the checked addresses that accepts.

    Raises Unreachable, and TimedOut if the last address did not answer.
    """
    fault: OSError = OSError("the name has no address")
    for tried, (family, kind, protocol, _, where) in enumerate(addresses):
        left = len(addresses) - tried
        sock = socket.socket(family, kind, protocol)
        try:
            now = clock.monotonic()
            yield from _connect(sock, where, now + share(until - now, left))
        except TimedOut:
            sock.close()
            if left == 1 or clock.monotonic() >= until:
                raise
        except OSError as this:
            sock.close()
            fault = this
        except BaseException:
            sock.close()
            raise
        else:
            return Connection(origin, sock)
    raise Unreachable(f"no connection: {fault}") from fault


def _connect(sock: socket.socket, where: Any, until: float) -> Steps[None]:
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with suppress(BlockingIOError):
        sock.connect(where)
    yield Wait(sock, EVENT_WRITE, until)
    error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if error:
        raise OSError(error, "the connection was not accepted")


def look_up(origin: Origin, policy: Policy, resolver: Resolver, until: float) -> Steps[Addresses]:
    """The addresses of the origin, all of them allowed. Raises Blocked or Unreachable."""
    host = origin.host.strip("[]")
    query = _Query(resolver, host, origin.port)
    if literal(host) is not None:
        query.run()
    else:
        yield from query.run_aside(until)
    for *_, where in query.found():
        if not policy.admits(ip_address(where[0].partition("%")[0])):
            # Without the address: what our name servers resolve is not public.
            raise Blocked(f"{host} has an address that is not public")
    return query.found()


class _Query:
    """One name for the system's resolver, which has no time limit and blocks its thread."""

    def __init__(self, resolver: Resolver, host: str, port: int) -> None:
        self._ask = (resolver, host, port)
        self._answer: Addresses | Exception = OSError("not asked")

    def run(self) -> None:
        resolver, host, port = self._ask
        try:
            self._answer = resolver(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as fault:
            self._answer = fault

    def run_aside(self, until: float) -> Steps[None]:
        """Run in a thread of its own, which ends the waiting by closing its side of a pair."""
        here, there = socket.socketpair()
        with here:
            Thread(target=self._run_and_close, args=(there,), daemon=True).start()
            yield Wait(here, EVENT_READ, until)

    def _run_and_close(self, there: socket.socket) -> None:
        with there:
            self.run()

    def found(self) -> Addresses:
        if isinstance(self._answer, Exception):
            raise Unreachable(f"{self._ask[1]} has no address") from self._answer
        return self._answer


class KeptConnections:
    """Open connections between two requests, shared by threads: at most so many, the newest.

    A connection that was not used for IDLE_SECONDS is closed, before most servers would do so.
    """

    IDLE_SECONDS = 15.0

    def __init__(self, at_most: int) -> None:
        self._at_most = at_most
        self._free: deque[Connection] = deque()  # in the order of `free_since`
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._free)

    def take(self, origin: Origin) -> Connection | None:
        """The connection to the origin that was used last, if one is open."""
        while (kept := self._newest_to(origin)) is not None:
            if kept.is_usable():
                return kept
            kept.close()
        return None

    def keep(self, connection: Connection) -> None:
        connection.free_since = clock.monotonic()
        with self._lock:
            self._free.append(connection)
            self._drop(connection.free_since - self.IDLE_SECONDS, self._at_most)

    def close(self) -> None:
        with self._lock:
            self._drop(clock.monotonic(), 0)

    def _newest_to(self, origin: Origin) -> Connection | None:
        with self._lock:
            self._drop(clock.monotonic() - self.IDLE_SECONDS, self._at_most)
            for place in range(len(self._free) - 1, -1, -1):
                if self._free[place].origin == origin:
                    found = self._free[place]
                    del self._free[place]
                    return found
        return None

    def _drop(self, oldest: float, at_most: int) -> None:
        while self._free and (self._free[0].free_since < oldest or len(self._free) > at_most):
            self._free.popleft().close()
