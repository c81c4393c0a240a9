"""Requests from their heads to their answers: bodies arrive without a thread, then a turn is taken.

web/admission/arrivals has the deadlines and shares of bodies, the order of requests that
of web/admission/turns. `watcher` is what granian's RSGI worker hands over for a request: `scope` is
its head, `proto` receives the body and sends the response.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from flask import Flask

from einvoice.domain.errors import InvalidBody, RequestRefused
from einvoice.network.endpoints import Endpoint
from einvoice.share import Beyond
from einvoice.web import largest_body
from einvoice.web.admission import callers
from einvoice.web.admission.arrivals import Arrivals
from einvoice.web.admission.environ import CALLER, GROWN, REFUSAL, SPOOL
from einvoice.web.admission.spools import MEMORY_BYTES, Spool
from einvoice.web.admission.turns import RequestTurn, limit_of_turns, refusal, turns_of
from einvoice.web.runtime import runtime_of
from einvoice.web.sent_files import SentFile
from einvoice.web.serving.grouped_sends import GroupedSends
from einvoice.web.serving.wsgi_call import Environ, address_of, environ_of, length_of, response_of

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

# Threads besides the turns': they begin requests, take parts of bodies, answer
# /healthz and /readyz.
SPARE_THREADS = 6
_TICK_SECONDS = 0.25
_NETWORKS = "/networks/"
_WITHOUT_TURN = frozenset({"/healthz", "/readyz"})


class Intake:
    """The requests of one process. `group` False answers each send by itself."""

    def __init__(self, app: Flask, turns: int, *, group: bool = True) -> None:
        self.app = app
        self.sends = GroupedSends(app) if group else None
        self.arrivals, self.turns = Arrivals(), turns_of(limit_of_turns(turns))
        self.largest_body = largest_body(app)
        self._endpoints = runtime_of(app).endpoints
        self._trusted_proxies = runtime_of(app).settings.trusted_proxies

    def begin(self, watcher: Any) -> None:
        """Take a request whose head has arrived. Called in a thread of the server."""
        request = Request(self, watcher)
        del watcher  # the traceback of an exception that somebody keeps has this frame
        try:
            request.caller = self.caller_of(request.scope)
            headers = request.scope.headers
            if "content-length" in headers or "transfer-encoding" in headers:
                self._receive(request, length_of(headers), self._spooled_by(request.scope.path))
            else:
                request.arrived = True
                request.take_turn()
        except BaseException as fault:  # noqa: BLE001 granian ignores what is raised here
            request.drop(fault)

    def _receive(self, request: Request, declared: int | None, spooled: Endpoint | None) -> None:
        most = self.largest_body if spooled is None else spooled.max_bytes
        if declared is not None and not 0 < declared <= most:
            request.take_turn()  # the application refuses what is too large without reading it
            return
        try:
            body = Body(self, request, declared, most)
        except RequestRefused as refusal:
            request.answer(refusal)
            return
        if spooled is not None:
            body.spool(Spool(spooled.name, spooled.at_once))
        body.begin()

    def _spooled_by(self, path: str) -> Endpoint | None:
        """The endpoint at this path, if it takes bodies as files."""
        if not path.startswith(_NETWORKS):
            return None
        endpoint = self._endpoints.get(path.removeprefix(_NETWORKS).partition("/")[0])
        return endpoint if endpoint is not None and endpoint.spooled else None

    def caller_of(self, scope: Any) -> callers.Caller:
        """The caller that the request counts for."""
        headers = scope.headers
        credential = callers.credential_of(
            headers.get("x-api-key", ""), headers.get("authorization", "")
        )
        return callers.caller_of(credential, self._address(scope))

    def _address(self, scope: Any) -> str:
        """The address of the client as the application sees it (`web.init_app`: ProxyFix)."""
        if self._trusted_proxies:
            forwarded = ",".join(scope.headers.get_all("x-forwarded-for")).split(",")
            if len(forwarded) >= self._trusted_proxies:
                return str(forwarded[-self._trusted_proxies]).strip()
        return address_of(scope.client)[0]

    def run(self, turn: RequestTurn) -> None:
        """Run a request that has its turn, then those that waited for one."""
        following: RequestTurn | None = turn
        while following is not None:
            following.run(None)
            following = None if following.grouped else self.turns.give(following.caller)

    def end_turn(self, caller: callers.Caller) -> None:
        """End the turn of a grouped request, in a thread that has other requests to answer."""
        following = self.turns.give(caller)
        if following is None:
            return
        if following.grouped:
            following.run(None)
        else:
            threading.Thread(target=self.run, args=(following,), daemon=True).start()

    def watch(self, ended: threading.Event) -> None:
        """Refuse what takes too long, until the process ends."""
        while not ended.wait(_TICK_SECONDS):
            self.arrivals.refuse_overdue()
            for turn in self.turns.expired():
                turn.run(refusal(Beyond(late=True, own=False)))
            for send in self.sends.expired() if self.sends else ():
                threading.Thread(target=send.refuse, daemon=True).start()

    def stop(self) -> None:
        """The process ends once its requests are answered; slow bodies do not delay it."""
        self.arrivals.stop()


class Request:
    """One request. `parts` or `spool` is its body; `release` is called once it is answered.

    arrived  nothing of the body is left on the connection
    grown    counts the bytes to which a compressed body is inflated
    """

    __slots__ = (
        "_intake", "_watcher", "arrived", "caller", "grown", "parts", "release", "scope", "spool",
    )  # fmt: skip
    caller: callers.Caller

    def __init__(self, intake: Intake, watcher: Any) -> None:
        self._intake, self._watcher, self.scope = intake, watcher, watcher.scope
        self.arrived = False
        self.parts: list[bytes] = []
        self.spool: Spool | None = None
        self.grown: Callable[[int], None] | None = None
        self.release: Callable[[], None] | None = None

    @property
    def proto(self) -> Any:
        """Receives the body and sends the response. No frame around the application has it."""
        return self._watcher.proto

    def take_turn(self) -> None:
        """Run the application now, or when the caller's turn comes."""
        if self.scope.path in _WITHOUT_TURN:
            self.answer(None)
            return
        grouped = self._is_grouped()
        turn = RequestTurn(self.caller, self._answer_grouped if grouped else self.answer, grouped)
        try:
            may_run = self._intake.turns.take(turn.caller, turn)
        except RequestRefused as refusal:
            self.answer(refusal)
            return
        if may_run:
            self._intake.run(turn)

    def answer(self, refusal: RequestRefused | None) -> None:
        """Run the application; with a refusal, for its response only."""
        try:
            environ = self._environ()
            if refusal is not None:
                environ[REFUSAL] = refusal
            self._send(*response_of(self._intake.app, environ))
        except BaseException as fault:  # noqa: BLE001 granian ignores what is raised here
            self.drop(fault)
        finally:
            self._end()

    def _is_grouped(self) -> bool:
        sends, scope = self._intake.sends, self.scope
        if sends is None or not self.arrived:
            return False
        length = sum(map(len, self.parts))
        return sends.takes(scope.method, scope.path, scope.headers, length)

    def _answer_grouped(self, refusal: RequestRefused | None) -> None:
        """Answer the request with others, and end its turn."""
        if refusal is not None or self._intake.sends is None:
            self.answer(refusal)
            return
        try:
            environ = self._environ()
        except Exception as fault:  # noqa: BLE001 as in `answer`
            self.failed(fault)
        else:
            self._intake.sends.add(environ, self)

    def answered(self, environ: Environ, response: WSGIApplication) -> None:
        """Send the response of a grouped request."""
        try:
            self._send(*response_of(response, environ))
        except Exception as fault:  # noqa: BLE001 as in `answer`
            self.drop(fault)
        self._end_grouped()

    def refused(self, environ: Environ, refusal: RequestRefused) -> None:
        """Send the response to a grouped request that is refused before it is in a group."""
        environ[REFUSAL] = refusal
        self.answered(environ, self._intake.app)

    def failed(self, fault: Exception) -> None:
        """End a grouped request that has no response."""
        self.drop(fault)
        self._end_grouped()

    def _end_grouped(self) -> None:
        self._end()
        self._intake.end_turn(self.caller)

    def _environ(self) -> Environ:
        environ = environ_of(self.scope, b"".join(self.parts))
        self.parts.clear()
        environ[CALLER] = self.caller.name
        if self.spool is not None:
            environ[SPOOL] = self.spool
        if self.grown is not None:
            environ[GROWN] = self.grown
        return environ

    def drop(self, fault: BaseException) -> None:
        """End the connection, unless the response was sent."""
        if self._watcher is not None:
            self._watcher.err(fault)

    def _end(self) -> None:
        if self.release is not None:
            self.release()
            self.release = None

    def _send(self, status: int, headers: list[tuple[str, str]], body: bytes | SentFile) -> None:
        """Send the response, and close the connection if a part of the body is left on it.

        The server detects an unread body when it sends: `proto`, which would read it, has to be
        released before the response ends. A file is read by the server while it is sent.
        """
        if isinstance(body, SentFile):
            path, start, stop = str(body.path), body.start, body.stop
            self.proto.response_file_range(status, headers, path, start, stop)
        elif self.arrived:
            self.proto.response_bytes(status, headers, body)
        else:
            transport = self.proto.response_stream(status, headers)
            self._watcher = None
            transport.send_bytes(body)


class Body:
    """A body that arrives: at once if it is small, else in parts whose progress is observed.

    most  bytes that are received of it
    """

    def __init__(self, intake: Intake, request: Request, declared: int | None, most: int) -> None:
        self._intake, self._request, self._most = intake, request, most
        self._awaited: Any = None
        self._arrival = intake.arrivals.begin(request.caller, declared, self._cancel)
        request.grown = partial(intake.arrivals.inflated, self._arrival)
        request.release = self._release

    def spool(self, spool: Spool) -> None:
        """Keep the body in a file."""
        self._request.spool = spool
        self._arrival.in_memory = MEMORY_BYTES

    def begin(self) -> None:
        if self._arrival.in_parts:
            self._request.proto.__aiter__()
            self._await(self._request.proto.__anext__(), self._part)
        else:
            self._await(self._request.proto(), self._whole)

    def _await(self, awaited: Any, then: Callable[[Any], None]) -> None:
        self._awaited = awaited
        if self._arrival.refusal is not None:  # between two parts
            awaited.cancel()
        awaited.add_done_callback(then)

    def _cancel(self) -> None:
        if self._awaited is not None:
            self._awaited.cancel()

    def _release(self) -> None:
        self._intake.arrivals.release(self._arrival)
        if self._request.spool is not None:
            self._request.spool.close()

    def _keep(self, part: bytes) -> None:
        spool = self._request.spool
        if spool is None:
            self._request.parts.append(part)
            return
        try:
            spool.write(part)
        except RequestRefused as refusal:
            self._arrival.refusal = refusal

    def _whole(self, awaited: Any) -> None:
        self._awaited = None  # it refers to this object, and the collector cannot see that
        if awaited.cancelled():
            self._refused()
            return
        with suppress(RuntimeError):  # the client closed the connection
            self._keep(awaited.result())
        self._arrived()

    def _part(self, awaited: Any) -> None:
        """A part has arrived; an empty one is the end."""
        self._awaited = None
        if awaited.cancelled():
            self._refused()
            return
        part = awaited.result()
        if part:
            self._keep(part)
            self._intake.arrivals.received(self._arrival, len(part))
        if self._arrival.refusal is not None and self._request.spool is not None:
            self._refused()
        elif part and self._arrival.received <= self._most:
            self._await(self._request.proto.__anext__(), self._part)
        else:
            self._arrived()

    def _length(self) -> int:
        spool = self._request.spool
        return spool.length if spool is not None else sum(map(len, self._request.parts))

    def _refused(self) -> None:
        self._request.parts.clear()
        self._intake.arrivals.complete(self._arrival)
        self._request.answer(self._arrival.refusal)

    def _arrived(self) -> None:
        self._intake.arrivals.complete(self._arrival)
        self._request.arrived = self._arrival.received <= self._most
        declared, length = self._arrival.declared, self._length()
        if declared is not None and length < declared:
            refusal = InvalidBody(f"the body ended after {length} of {declared} bytes")
            self._request.answer(refusal)
        else:
            self._request.take_turn()
