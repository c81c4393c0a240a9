"""A stand-in for KSeF 2.0 of the Polish Ministry of Finance, over HTTP.

    python -m tests.networks.ksef --port 9400 --delay 1 --company 5265877635

`service` answers the calls of one authority; its `faults` are those of `stand_ins`, for names such
as `POST /sessions/online`.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
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
from tests.networks.ksef.answers import NotFound, Refusal
from tests.networks.ksef.authority import Authority
from tests.networks.ksef.calls import Request, Route
from tests.networks.stand_ins import Answer, Faults, Handler, StandIn, serving

BASE: Final = "/v2"
MAX_EXCHANGES: Final = 5000
_GROUPS: Final = (login, public, batch, sessions, queries, rights, testdata)
ROUTES: Final = tuple(route for group in _GROUPS for route in group.ROUTES)
_PATTERNS: Final = [(each, each.pattern) for each in ROUTES]


class Exchange(NamedTuple):
    """A request with its answer, for tests. `route` None: of a link, or of an unknown address."""

    route: Route | None
    request: Request
    answer: Answer

    @property
    def name(self) -> str:
        return self.route.name if self.route else f"{self.request.method} {self.request.path}"


class Service(StandIn):
    """The server of an authority. `exchanges`: the last requests with their answers."""

    def __init__(self, authority: Authority, port: int = 0, faults: Faults | None = None) -> None:
        super().__init__(_Handler, port, faults)
        self.authority = authority
        self.exchanges: deque[Exchange] = deque(maxlen=MAX_EXCHANGES)
        authority.storage.base = self.origin

    @property
    def url(self) -> str:
        return f"{self.origin}{BASE}"

    def named(self, name: str) -> list[Exchange]:
        """The exchanges of a call."""
        return [each for each in self.exchanges if each.name == name]


class _Handler(Handler):
    server: Service

    def call(self) -> None:
        parts = urlsplit(self.path)
        query = {name: ",".join(values) for name, values in parse_qs(parts.query).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        address = self.client_address[0]
        request = Request(self.command, parts.path, query, headers, self.received(), address)
        route = _route(request)
        fault = self.server.faults(route.name if route else f"{request.method} {parts.path}")
        self.respond(fault, lambda: self._noted(route, request))

    def _noted(self, route: Route | None, request: Request) -> Answer:
        answer = self._answer(route, request)
        self.server.exchanges.append(Exchange(route, request, answer))
        return answer

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
    with serving(Service(authority, faults=faults)) as service:
        yield service
