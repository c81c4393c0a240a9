"""A stand-in for ANAF's RO e-Factura, over HTTP.

    python -m tests.networks.anaf --port 9300 --delay 1

`service` answers the calls of one authority; `faults` may name, for each call, one of:

- `gateway`: the gateway answers 502 with a page, and the call is not made
- `lost`: the call is made, and the connection ends without an answer
- `timeout`: as lost, after `TIMEOUT_SECONDS`
- `html`: 200 with a page
- `quota`: an empty 204
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from tests.networks.anaf.authority import Answer, Authority

BASE = "/test/FCTEL/rest"
OAUTH = "/anaf-oauth2/v1"
TIMEOUT_SECONDS = 1.0
PAGE = b"<!DOCTYPE html><html><body>The requested URL was rejected.</body></html>"

Faults = Callable[[str], str | None]


class Service(ThreadingHTTPServer):
    """The server of an authority. `requests`: method, path and query of each call, for tests."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, authority: Authority, port: int = 0, faults: Faults | None = None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.authority = authority
        self.faults = faults or (lambda call: None)
        self.requests: list[tuple[str, str, dict[str, str]]] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that are killed end connections."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Service

    def do_GET(self) -> None:
        self._call("GET", b"")

    def do_POST(self) -> None:
        self._call("POST", self.rfile.read(int(self.headers.get("content-length", "0"))))

    def _call(self, method: str, body: bytes) -> None:
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        if parts.path.startswith(OAUTH):
            self._answer(self._token(parts.path.removeprefix(f"{OAUTH}/"), body))
            return
        call = parts.path.removeprefix(f"{BASE}/")
        authority = self.server.authority
        self.server.requests.append((method, call, query))
        spent = authority.is_spent_minute()
        authority.note(call, query.get("id") or query.get("id_incarcare") or "")
        fault = "quota" if spent else self.server.faults(call)
        if fault == "gateway":
            self._answer(Answer(502, PAGE, "text/html"))
        elif fault == "html":
            self._answer(Answer(200, PAGE, "text/html"))
        elif fault == "quota":
            self._answer(Answer(204, b""))
        else:
            answer = self._authorised(method, call, query, body)
            if fault == "timeout":
                time.sleep(TIMEOUT_SECONDS)
            if fault in ("timeout", "lost"):
                self.close_connection = True
                return
            self._answer(answer)

    def _authorised(self, method: str, call: str, query: dict[str, str], body: bytes) -> Answer:
        authority = self.server.authority
        person = authority.person(self.headers.get("authorization", "").removeprefix("Bearer "))
        if person is None:
            return Answer(401, b'{"error": "invalid_token"}', "application/json")
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
        return Answer(404, b"", "text/plain")

    def _token(self, call: str, body: bytes) -> Answer:
        given = self.headers.get("authorization", "").removeprefix("Basic ")
        name, _, secret = base64.b64decode(given).decode().partition(":")
        form = dict(parse_qsl(body.decode()))
        authority = self.server.authority
        calls = {"token": authority.tokens, "revoke": authority.revoke}
        if call == "revoke" and self.server.faults(call) == "gateway":
            return Answer(502, PAGE, "text/html")
        status, values = calls[call](form, (name, secret))
        return Answer(status, json.dumps(values).encode(), "application/json")

    def _answer(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("content-type", answer.type)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        pass


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
