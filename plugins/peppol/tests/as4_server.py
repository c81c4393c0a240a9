"""A receiving access point on the loopback address, and a directory that names it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from einvoice.domain.identifiers import BIS_INVOICE, DocumentTypeId, ParticipantId, ProcessId
from einvoice.http import Policy
from einvoice.network.endpoints import Request, Response
from einvoice.network.types import DirectoryUnavailable, NotRegistered, Registration
from einvoice_peppol.configuration import Network
from einvoice_peppol.identity import Identity
from einvoice_peppol.smp_documents import Endpoint, NotOffered
from einvoice_peppol.stages import TEST
from einvoice_peppol.trust import Trust

OPEN = Policy(https_only=False, allow_private=True)
Answer = Callable[[Request], Response]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_POST(self) -> None:
        body = self._body()
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request("POST", self.path, body, headers=headers)
        self.server.requests.append(request)
        answer = self.server.answer(request)
        if answer.status == 0:  # no answer
            self.close_connection = True
            return
        self.send_response(answer.status)
        self.send_header("content-type", answer.content_type)
        self.send_header("content-length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def _body(self) -> bytes:
        """The body, of a stated length or in chunks."""
        if "content-length" in self.headers:
            return self.rfile.read(int(self.headers["content-length"]))
        parts = []
        while length := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(length))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    answer: Answer
    url: str

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.connections = 0
        self.requests: list[Request] = []

    def handle_error(self, *_: object) -> None:
        """A client that closes its connection early is no fault."""


@contextmanager
def serving(answer: Answer) -> Iterator[_Server]:
    """A server whose requests are answered by the function; status 0 ends the connection."""
    server = _Server()
    server.answer = answer
    server.url = f"http://127.0.0.1:{server.server_port}/as4"
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class FixedDirectory:
    """Says that everybody receives at one address; 0208:0000000097 is not registered."""

    stranger = ParticipantId("0208", "0000000097")

    def __init__(self, url: str, receiver: Identity) -> None:
        self.found: Endpoint | NotOffered | NotRegistered = Endpoint(url, receiver.certificate)
        self.available = True
        self.forgotten: list[ParticipantId] = []
        self.asked = 0
        self.unlisted: list[DocumentTypeId] = []

    def registration(self, participant: ParticipantId) -> Registration | NotRegistered:
        self._ask()
        return NotRegistered() if participant == self.stranger else Registration((BIS_INVOICE,))

    def endpoint(
        self, participant: ParticipantId, document_type: DocumentTypeId, process: ProcessId
    ) -> Endpoint | NotOffered | NotRegistered:
        self._ask()
        return NotRegistered() if participant == self.stranger else self.found

    def may_take(self, participant: ParticipantId, document_type: DocumentTypeId) -> bool:
        return document_type not in self.unlisted

    def forget(self, participant: ParticipantId) -> None:
        self.forgotten.append(participant)

    def _ask(self) -> None:
        self.asked += 1
        if not self.available:
            raise DirectoryUnavailable("the SMP does not answer")


def network(
    *own: Identity, trusted: Trust, directory: object = None, policy: Policy = OPEN
) -> Network:
    """Our side of the throw-away test network."""
    return Network(TEST, own, trusted, directory, policy, key_files=())
