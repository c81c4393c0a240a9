"""A stand-in for ANAF's RO e-Factura, over HTTP.

    python -m tests.networks.anaf --port 9300 --delay 1

`service` answers the calls of one authority; its `faults` are those of `stand_ins`, and

- `quota`: an empty 204
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qsl, urlsplit

from tests.networks.anaf.authority import Authority
from tests.networks.stand_ins import PAGE as PAGE
from tests.networks.stand_ins import REFUSALS, Answer, Faults, Handler, StandIn, serving

BASE = "/test/FCTEL/rest"
OAUTH = "/anaf-oauth2/v1"


class Service(StandIn):
    """The server of an authority. `requests`: method, path and query of each call, for tests."""

    def __init__(self, authority: Authority, port: int = 0, faults: Faults | None = None) -> None:
        super().__init__(_Handler, port, faults)
        self.authority = authority
        self.requests: list[tuple[str, str, dict[str, str]]] = []

    @property
    def url(self) -> str:
        return self.origin


class _Handler(Handler):
    server: Service

    def call(self) -> None:
        method, body, parts = self.command, self.received(), urlsplit(self.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        if parts.path.startswith(OAUTH):
            self._token(parts.path.removeprefix(f"{OAUTH}/"), body)
            return
        call = parts.path.removeprefix(f"{BASE}/")
        authority = self.server.authority
        self.server.requests.append((method, call, query))
        spent = authority.is_spent_minute()
        authority.note(call, query.get("id") or query.get("id_incarcare") or "")
        fault = "quota" if spent else self.server.faults(call)
        if fault == "quota":
            self.send(Answer(204))
        else:
            self.respond(fault, lambda: self._authorised(method, call, query, body))

    def _authorised(self, method: str, call: str, query: dict[str, str], body: bytes) -> Answer:
        authority = self.server.authority
        person = authority.person(self.headers.get("authorization", "").removeprefix("Bearer "))
        if person is None:
            return Answer(401, b'{"error": "invalid_token"}')
        match method, call:
            case "POST", "upload" | "uploadb2c":
                return authority.upload(person, call, query, body)
            case "GET", "stareMesaj":
                return authority.state(person, query.get("id_incarcare", ""))
            case "GET", "descarcare":
                return authority.file(person, query.get("id", ""))
            case "GET", "listaMesajeFactura":
                return authority.recent(person, query)
            case "GET", "listaMesajePaginatieFactura":
                return authority.pages(person, query)
        return Answer(404)

    def _token(self, call: str, body: bytes) -> None:
        given = self.headers.get("authorization", "").removeprefix("Basic ")
        name, _, secret = base64.b64decode(given).decode().partition(":")
        form = dict(parse_qsl(body.decode()))
        authority = self.server.authority
        calls = {"token": authority.tokens, "revoke": authority.revoke}

        def made() -> Answer:
            status, values = calls[call](form, (name, secret))
            return Answer(status, json.dumps(values).encode())

        fault = self.server.faults(call)
        self.respond(fault if call == "revoke" or fault in REFUSALS else None, made)


@contextmanager
def running(authority: Authority, faults: Faults | None = None) -> Iterator[Service]:
    """The service in a thread of this process."""
    with serving(Service(authority, faults=faults)) as service:
        yield service
