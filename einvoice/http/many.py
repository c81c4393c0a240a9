"""Send many requests side by side on one thread, over connections that are kept.

A thread for each request costs more than the request: a plugin that submits a hundred documents at
once, or a worker that posts to many webhook endpoints, uses this client instead.

    client = ConcurrentClient(Policy(https_only=True))
    for group in client.send_all([Request("POST", url, body=body) for url, body in waiting]):
        for position, result in group:
            match result:
                case Response(): ...
                case HttpFault(): ...

Addresses, time limits and the size of responses are checked as by `Client`.
"""

from __future__ import annotations

import math
import selectors
import socket
import ssl
import weakref
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from requests.utils import DEFAULT_CA_BUNDLE_PATH

from einvoice import clock
from einvoice.http.client import Response
from einvoice.http.connections import (
    Addresses,
    Connection,
    KeptConnections,
    Origin,
    Steps,
    Wait,
    connect,
    look_up,
)
from einvoice.http.exchange import Limits, Resolver
from einvoice.http.faults import BrokenOff, HttpFault, TimedOut, TlsFailed, Unreachable
from einvoice.http.policy import DEFAULT_PORTS, Policy
from einvoice.http.request import SAFE_METHODS, Request
from einvoice.http.response_reading import ResponseReader

MAX_CONNECTIONS = 100


Result = Response | HttpFault
Results = list[tuple[int, Result]]  # by the position of the request


class ConcurrentClient:
    """Sends requests under one policy, many at once. Safe to share between threads.

    `per_host` is the most connections that one call opens to one host and port.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        limits: Limits | None = None,
        connections: int = MAX_CONNECTIONS,
        per_host: int = MAX_CONNECTIONS,
        user_agent: str = "einvoice",
        ca_file: str | None = None,
        client_certificate: tuple[str, str] | None = None,
        resolver: Resolver = socket.getaddrinfo,
    ) -> None:
        self.policy = policy
        self.limits = limits or Limits()
        self.connections = connections
        self.per_host = per_host
        self.user_agent = user_agent
        self.resolver = resolver
        self.kept = KeptConnections(connections)
        weakref.finalize(self, self.kept.close).atexit = False  # a client that is no longer used
        self.tls = _tls(ca_file, client_certificate)

    def send_all(
        self,
        requests: Iterable[Request],
        *,
        limits: Limits | None = None,
        seconds: float | None = None,
        gather: float = 0.0,
        excerpt: bool = False,
    ) -> Iterator[Results]:
        """Send all requests; yields groups of (position, result) as they complete, each once.

        `limits` count for each request, from its own beginning, and are longer by the `seconds` of
        the request. After `seconds`, counted from the call, all that is open is TimedOut. A group
        is what completes within `gather` seconds. Redirects are not followed. `excerpt` is as in
        `Client.send`.

        Each request is taken from `requests` while those before it are being sent.
        """
        end = clock.monotonic() + (seconds if seconds is not None else math.inf)
        sending = Sending(self, limits or self.limits, end, excerpt)
        try:
            yield from sending.results(requests, gather)
        finally:
            sending.close()

    def close(self) -> None:
        """Close the connections kept alive."""
        self.kept.close()


@dataclass(slots=True, eq=False)
class OpenRequest:
    """State of one request: its steps and what they wait for."""

    position: int
    origin: Origin
    method: str
    message: bytes
    limits: Limits
    sent: bool = False
    ends: float = 0.0
    wait: Wait | None = None
    steps: Steps[Response] = field(init=False)

    @property
    def until(self) -> float:
        """When it has waited for too long."""
        return self.wait.until if self.wait else self.ends


class Sending:
    """Requests being sent: one call of `send_all`, or a stream (einvoice/http/stream)."""

    def __init__(
        self, client: ConcurrentClient, limits: Limits, ends: float, excerpt: bool
    ) -> None:
        self._client = client
        self._limits = limits
        self._ends = ends
        self._excerpt = excerpt
        self._selector = selectors.DefaultSelector()
        self._waiting: dict[Origin, deque[OpenRequest]] = defaultdict(deque)
        self._open: set[OpenRequest] = set()
        self._used: Counter[Origin] = Counter()
        self._names: dict[Origin, Addresses | HttpFault | None] = {}  # None: being looked up
        self._next_end = math.inf  # no open exchange has to end before
        self._done: Results = []
        self._untaken: Iterator[tuple[int, Request]] | None = None  # None: all were taken

    def results(self, requests: Iterable[Request], gather: float) -> Iterator[Results]:
        self._untaken = enumerate(requests)
        while self._begin_waiting() or self._done:
            self._complete_some(gather)
            done, self._done = self._done, []
            yield done

    def close(self) -> None:
        """Close what is open, where the caller wants no more results."""
        for exchange in self._open:
            exchange.steps.close()
        self._selector.close()

    # -- begin -------------------------------------------------------------------------------------

    def _take_next(self) -> None:
        """Take one more of the requests of `results`, if any is left."""
        if self._untaken is None:
            return
        following = next(self._untaken, None)
        if following is None:
            self._untaken = None
        else:
            self._accept(*following)

    def _accept(self, position: int, request: Request) -> None:
        try:
            parts = self._client.policy.parsed(request.url)
        except HttpFault as fault:
            self._done.append((position, fault))
            return
        scheme, host = str(parts.scheme), str(parts.host)
        origin = Origin(scheme, host, parts.port or DEFAULT_PORTS[scheme])
        message = request.written(parts, self._client.user_agent)
        limits = self._limits
        if request.seconds:
            read, total = limits.read + request.seconds, limits.total + request.seconds
            limits = replace(limits, read=read, total=total)
        self._waiting[origin].append(OpenRequest(position, origin, request.method, message, limits))

    def _begin_waiting(self) -> bool:
        """Take the next request, and begin what there is room for; whether any is not complete."""
        self._take_next()
        for origin, waiting in list(self._waiting.items()):
            while waiting and self._has_room(origin):
                self._begin(waiting.popleft())
            if not waiting:
                del self._waiting[origin]
                self._forget_unused(origin)
        return bool(self._open) or self._untaken is not None

    def _has_room(self, origin: Origin) -> bool:
        """While the first request to a host looks its name up, the others wait."""
        resolving = self._names.get(origin, ()) is None
        used, client = self._used[origin], self._client
        return not resolving and used < client.per_host and len(self._open) < client.connections

    def _begin(self, exchange: OpenRequest) -> None:
        now = clock.monotonic()
        if now >= self._ends:
            self._done.append((exchange.position, TimedOut("there was no time left to send it")))
            return
        exchange.ends = min(now + exchange.limits.total, self._ends)
        exchange.steps = self._steps(exchange)
        self._open.add(exchange)
        self._used[exchange.origin] += 1
        self._advance(exchange)

    # -- continue ----------------------------------------------------------------------------------

    def _complete_some(self, gather: float) -> None:
        """Continue until something is done, and for `gather` seconds after that."""
        while not self._done and self._begin_waiting():
            self._continue(math.inf)
        until = clock.monotonic() + gather
        while clock.monotonic() < until and self._begin_waiting():
            self._continue(until)

    def _continue(self, until: float) -> None:
        """Wait for the next sockets that are ready, and continue their exchanges."""
        pause = 0.0 if self._untaken else min(until, self._next_end) - clock.monotonic()
        for key, _ in self._selector.select(max(0.0, pause)):
            self._advance(key.data)
        now = clock.monotonic()
        if now >= self._next_end:
            self._expire(now)

    def _expire(self, now: float) -> None:
        for exchange in list(self._open):
            if exchange.until <= now:
                self._advance(exchange, self._timed_out(exchange, now))
        self._next_end = min((exchange.until for exchange in self._open), default=math.inf)

    def _timed_out(self, exchange: OpenRequest, now: float) -> TimedOut:
        if now >= exchange.ends:
            seconds = f"{exchange.limits.total:g} s"
            return TimedOut(f"no answer within {seconds}", maybe_sent=exchange.sent)
        if not exchange.sent:
            return TimedOut("connecting took too long")
        return TimedOut("the other side stopped talking", maybe_sent=True)

    def _advance(self, exchange: OpenRequest, fault: HttpFault | None = None) -> None:
        """Continue the steps of an exchange until they wait again, or end; or end them."""
        try:
            wait = exchange.steps.throw(fault) if fault else next(exchange.steps)
        except StopIteration as end:
            self._finish(exchange, end.value)
        except HttpFault as this:
            self._finish(exchange, this)
        except (OSError, ValueError) as this:
            self._finish(exchange, _as_http_fault(this, exchange))
        else:
            self._wait_for(exchange, wait)

    def _wait_for(self, exchange: OpenRequest, wait: Wait) -> None:
        was = exchange.wait
        exchange.wait = wait
        self._next_end = min(self._next_end, wait.until)
        if was is not None:
            if (was.socket, was.events) == (wait.socket, wait.events):
                return
            self._selector.unregister(was.socket)
        self._selector.register(wait.socket, wait.events, exchange)

    def _finish(self, exchange: OpenRequest, result: Result) -> None:
        if exchange.wait is not None:
            self._selector.unregister(exchange.wait.socket)
        self._open.discard(exchange)
        self._used[exchange.origin] -= 1
        self._forget_unused(exchange.origin)
        self._done.append((exchange.position, result))

    def _forget_unused(self, origin: Origin) -> None:
        """Look the name up again for the next request, if none is open or waiting."""
        if not self._used[origin] and origin not in self._waiting:
            del self._used[origin]
            self._names.pop(origin, None)

    # -- the steps of an exchange ------------------------------------------------------------------

    def _steps(self, exchange: OpenRequest) -> Steps[Response]:
        """Send the request and read the response.

        As with `Client`, a safe method is repeated where a kept connection breaks off, until it is
        sent on a new one.
        """
        kept = self._client.kept.take(exchange.origin)
        while kept is not None:
            try:
                return (yield from self._exchange_over(kept, exchange))
            except (OSError, BrokenOff):
                if exchange.method not in SAFE_METHODS:
                    raise
            exchange.sent = False
            kept = self._client.kept.take(exchange.origin)
        connection = yield from self._connected(exchange)
        return (yield from self._exchange_over(connection, exchange))

    def _exchange_over(self, connection: Connection, exchange: OpenRequest) -> Steps[Response]:
        exchange.sent = True
        try:
            yield from connection.send(exchange.message, exchange.ends)
            response, reusable = yield from ResponseReader(
                connection, exchange.method, exchange.limits, exchange.ends, self._excerpt
            ).read()
        except BaseException:
            connection.close()
            raise
        if reusable:
            self._client.kept.keep(connection)
        else:
            connection.close()
        return response

    def _connected(self, exchange: OpenRequest) -> Steps[Connection]:
        until = min(exchange.ends, clock.monotonic() + self._limits.connect)
        addresses = yield from self._resolved(exchange.origin, until)
        connection = yield from connect(exchange.origin, addresses, until)
        if exchange.origin.scheme == "https":
            until = min(exchange.ends, clock.monotonic() + self._limits.connect)
            try:
                yield from connection.handshake(self._client.tls, until)
            except BaseException:
                connection.close()
                raise
        return connection

    def _resolved(self, origin: Origin, until: float) -> Steps[Addresses]:
        """The addresses of the origin, looked up once for all requests that are open or waiting."""
        if self._names.get(origin) is None:
            self._names[origin] = None
            client = self._client
            try:
                found = yield from look_up(origin, client.policy, client.resolver, until)
            except HttpFault as fault:
                self._names[origin] = fault
            else:
                self._names[origin] = found
        known = self._names[origin]
        if isinstance(known, HttpFault):
            raise known
        return known or []


def _as_http_fault(fault: Exception, exchange: OpenRequest) -> HttpFault:
    if exchange.sent:
        return BrokenOff(f"the connection broke off: {fault}", maybe_sent=True)
    if isinstance(fault, ssl.SSLError):
        return TlsFailed(f"TLS: {fault}")
    return Unreachable(f"no connection: {fault}")


def _tls(ca_file: str | None, client_certificate: tuple[str, str] | None) -> ssl.SSLContext:
    """Certificates are checked against the same list as by `Client`."""
    context = ssl.create_default_context(cafile=ca_file or DEFAULT_CA_BUNDLE_PATH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    if client_certificate is not None:
        context.load_cert_chain(*client_certificate)
    return context
