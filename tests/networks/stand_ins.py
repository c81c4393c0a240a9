"""HTTP servers of the stand-ins for authorities, whose calls may have faults.

`faults` may name, for each call, one of:

- `maintenance`: 503 with a page and `Retry-After` of ten minutes, and the call is not made
- `busy`: 429 with `Retry-After` of two minutes, and the call is not made
- `gateway`: the gateway answers 502 with a page, and the call is not made
- `html`: 200 with a page, and the call is not made
- `refused-json`, `refused-page`, `refused-empty`: 403 of a firewall, and the call is not made
- `lost`: the call is made, and the connection ends without an answer
- `timeout`: as lost, after `TIMEOUT_SECONDS`
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeVar

from einvoice import clock

TIMEOUT_SECONDS = 1.0
PAGE = b"<!DOCTYPE html><html><body>The requested URL was rejected.</body></html>"

Faults = Callable[[str], str | None]


@dataclass(frozen=True)
class Answer:
    """What a stand-in responds."""

    status: int
    body: bytes = b""
    type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


# As the firewall before the authorities answers (CIRFMF/ksef-api issues 125 and 761).
BLOCKED = json.dumps({
    "title": "Request blocked",
    "status": 403,
    "detail": "This request was blocked by our security service",
    "security": {"incidentId": "1291000120-418312365"},
}).encode()  # fmt: skip
REFUSALS = ("refused-json", "refused-page", "refused-empty")
_OF_GATEWAY = {
    "maintenance": Answer(503, PAGE, "text/html", {"Retry-After": "600"}),
    "busy": Answer(429, headers={"Retry-After": "120"}),
    "gateway": Answer(502, PAGE, "text/html"),
    "html": Answer(200, PAGE, "text/html"),
    "refused-json": Answer(403, BLOCKED),
    "refused-page": Answer(403, PAGE, "text/html"),
    "refused-empty": Answer(403),
}


class StandIn(ThreadingHTTPServer):
    """The server of a stand-in."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, handler: type[Handler], port: int = 0, faults: Faults | None = None) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self.faults = faults or (lambda call: None)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that are killed end connections."""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """Answers the calls of a stand-in."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def call(self) -> None:
        """Answer the request."""
        raise NotImplementedError

    def do_GET(self) -> None:
        self.call()

    do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - names of http.server

    def received(self) -> bytes:
        """The body of the request."""
        return self.rfile.read(int(self.headers.get("content-length", "0")))

    def respond(self, fault: str | None, make: Callable[[], Answer]) -> None:
        """Make the call and send its answer, as far as the fault lets it."""
        if fault in _OF_GATEWAY:
            self.send(_OF_GATEWAY[fault])
            return
        answer = make()
        if fault == "timeout":
            time.sleep(TIMEOUT_SECONDS)
        if fault in ("timeout", "lost"):
            self.close_connection = True
            return
        self.send(answer)

    def send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.body:
            self.send_header("content-type", answer.type)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The time of the authority: that of the machine, or of a simulated week."""
        now = clock.pace().at(clock.real_now()).timestamp()
        return super().date_time_string(now if timestamp is None else timestamp)

    def log_message(self, *_: object) -> None:
        pass


Server = TypeVar("Server", bound=StandIn)


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """The server in a thread of this process."""
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
