"""A stand-in for KSeF 2.0 of the Polish Ministry of Finance, over HTTP.

    python -m tests.networks.ksef --port 9400 --delay 1 --company 5265877635

`service` answers the calls of one authority; `faults` may name, for each call (`POST
/sessions/online`), one of:

- `gateway`: the gateway answers 502 with a page, and the call is not made
- `lost`: the call is made, and the connection ends without an answer
- `timeout`: as lost, after `TIMEOUT_SECONDS`
- `html`: 200 with a page
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

from tests.networks.ksef import (
    batch,
    login,
    public,
    queries,
    rights,
    sessions,
    storage,
    testdata,
)
from tests.networks.ksef.answers import Answer, NotFound, Refusal
from tests.networks.ksef.authority import Authority
from tests.networks.ksef.calls import Request, Route

BASE: Final = "/v2"
TIMEOUT_SECONDS: Final = 1.0
PAGE: Final = b"<!DOCTYPE html><html><body>The requested URL was rejected.</body></html>"
MAX_EXCHANGES: Final = 5000
_GROUPS: Final = (login, public, batch, sessions, queries, rights, testdata)
ROUTES: Final = tuple(route for group in _GROUPS for route in group.ROUTES)
_PATTERNS: Final = [(each, each.pattern) for each in ROUTES]

Faults = Callable[[str], str | None]


class Exchange(NamedTuple):
    """A request with its answer, for tests. `route` None: of a link, or of an unknown address."""

    route: Route | None
    request: Request
    answer: Answer

    @property
    def name(self) -> str:
        return self.route.name if self.route else f"{self.request.method} {self.request.path}"


class Service(ThreadingHTTPServer):
    """The server of an authority. `exchanges`: the last requests with their answers."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, authority: Authority, port: int = 0, faults: Faults | None = None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.authority = authority
        self.faults = faults or (lambda call: None)
        self.exchanges: deque[Exchange] = deque(maxlen=MAX_EXCHANGES)
        authority.storage.base = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that are killed end connections."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}{BASE}"

    def named(self, name: str) -> list[Exchange]:
        """The exchanges of a call."""
        return [each for each in self.exchanges if each.name == name]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Service

    def do_GET(self) -> None:
        self._call()

    do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - names of http.server

    def _call(self) -> None:
        parts = urlsplit(self.path)
        query = {name: ",".join(values) for name, values in parse_qs(parts.query).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        request = Request(self.command, parts.path, query, headers, body, self.client_address[0])
        route = _route(request)
        fault = self.server.faults(route.name if route else f"{request.method} {parts.path}")
        if fault == "gateway":
            self._send(Answer(502, PAGE, "text/html"))
        elif fault == "html":
            self._send(Answer(200, PAGE, "text/html"))
        else:
            answer = self._answer(route, request)
            self.server.exchanges.append(Exchange(route, request, answer))
            if fault == "timeout":
                time.sleep(TIMEOUT_SECONDS)
            if fault in ("timeout", "lost"):
                self.close_connection = True
                return
            self._send(answer)

    def _answer(self, route: Route | None, request: Request) -> Answer:
        authority = self.server.authority
        if request.path.startswith(storage.PREFIX):
            with authority.lock:
                return storage.answer(authority, request)
        try:
            if route is None or (route.sandbox and authority.production):
                raise NotFound
            return _extended(authority, authority.answer(route, request))
        except Refusal as refusal:
            problem = request.headers.get("x-error-format") == "problem-details"
            return refusal.answer(authority.now(), request.path, problem)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.body:
            self.send_header("content-type", answer.type)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        pass


def _route(request: Request) -> Route | None:
    """The route of a request, whose parameters are noted."""
    path = request.path.removeprefix(BASE)
    if path == request.path:
        return None
    for route, pattern in _PATTERNS:
        if route.method == request.method and (found := pattern.fullmatch(path)):
            request.params = found.groupdict()
            return route
    return None


def _extended(authority: Authority, answer: Answer) -> Answer:
    """The answer with a warning, and with a member that is not published, if there are such."""
    if authority.warning is not None:
        answer = replace(answer, headers={**answer.headers, "X-System-Warning": authority.warning})
    if authority.unknown_members and answer.type == "application/json" and answer.body[:1] == b"{":
        values = json.loads(answer.body) | {"futureMember": {"a": 1}}
        answer = replace(answer, body=json.dumps(values).encode())
    return answer


@contextmanager
def running(authority: Authority, faults: Faults | None = None) -> Iterator[Service]:
    """The service in a thread of this process."""
    service = Service(authority, faults=faults)
    threading.Thread(target=service.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield service
    finally:
        service.shutdown()
        service.server_close()
