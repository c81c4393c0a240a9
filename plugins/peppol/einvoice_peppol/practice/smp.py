"""An SMP of a practice network: documents served by path.

Those of the network are written by `smp_writing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TypeVar

from einvoice_peppol.smp_writing import (
    IDS,
    SMP,
    endpoint,
    group,
    information,
    path_of,
    signed,
)

__all__ = [
    "IDS",
    "SMP",
    "Publisher",
    "endpoint",
    "group",
    "information",
    "path_of",
    "served",
    "signed",
]

Answer = tuple[int, bytes, dict[str, str]]


class Publisher(ThreadingHTTPServer):
    """A server of `answers` by path, on a free port of 127.0.0.1."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.answers: dict[str, Answer] = {}

    def put(self, path: str, body: bytes, status: int = 200, **headers: str) -> None:
        """Answer requests for the path with this."""
        self.answers[path] = (status, body, headers)

    def answer(self, path: str) -> Answer:
        """Status, body and headers of the answer to a request for the path."""
        return self.answers.get(path, (404, b"", {}))


class _Handler(BaseHTTPRequestHandler):
    server: Publisher
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_GET(self) -> None:
        status, body, headers = self.server.answer(self.path)
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        with suppress(OSError):  # the client closes what is too long
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


Server = TypeVar("Server", bound=Publisher)


@contextmanager
def served(publisher: Server) -> Iterator[Server]:
    """Serve in a thread of this process."""
    Thread(target=publisher.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield publisher
    finally:
        publisher.shutdown()
        publisher.server_close()
