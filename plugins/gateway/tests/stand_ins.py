"""Stand-ins of both REST interfaces on the loopback address, by their published behaviour."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE, DocumentTypeId, ParticipantId, ProcessId
from einvoice.http import Policy
from einvoice.network.types import DirectoryUnavailable, NotRegistered, Registration
from einvoice_gateway.client import RestClient
from einvoice_gateway.configuration import Gateway, Shape
from einvoice_peppol import invoice_response, sbdh
from einvoice_peppol.smp_documents import Endpoint, NotOffered

TOKEN = "outbound-token"
INBOUND_TOKEN = "inbound-token-of-tests"
REFUSED = ParticipantId("0088", "9520000000042")
STRANGER = ParticipantId("0208", "0000000097")
RESPONSES = (invoice_response.DOCUMENT_TYPE, invoice_response.PROCESS)
RECEIPT = '<?xml version="1.0" encoding="UTF-8"?><eb:SignalMessage xmlns:eb="urn:example"/>'


def report(instance: str, **changes: Any) -> dict[str, Any]:
    """A sending report of a delivery."""
    return {
        "sbdhInstanceIdentifier": instance,
        "as4MessageId": f"{instance}@ap.example",
        "sendingResult": "SUCCESS",
        "sendingSuccess": True,
        "overallSuccess": True,
        "as4ReceivedSignalMsg": RECEIPT,
    } | changes


def failed(instance: str, result: str | None, **changes: Any) -> dict[str, Any]:
    """A sending report of a failure."""
    return {
        "sbdhInstanceIdentifier": instance,
        "sendingResult": result,
        "sendingSuccess": False,
        "overallSuccess": False,
    } | changes


def as4_error(code: str, detail: str = "") -> dict[str, Any]:
    return {"errorCode": code, "severity": "failure", "errorDetails": detail}


class StandIn:
    """Behaviour of both: the token is checked, `reports` and `respond` replace the answer.

    reports  makes the report of a submit from its instance id; None: by the receiver
    respond  replaces the answer of a call: (method, path) -> (status, JSON) or None
    """

    submit_path = "/sendsbdh"

    def __init__(self) -> None:
        self.reports: Callable[[str], dict[str, Any]] | None = None
        self.respond: Callable[[str, str], tuple[int, Any] | None] = lambda *_: None
        self.submitted: list[sbdh.Enveloped] = []

    def answer(self, method: str, path: str, token: str | None, body: bytes) -> tuple[int, Any]:
        if token != TOKEN:
            return 401, None
        replaced = self.respond(method, path)
        if replaced is not None:
            return replaced
        if (method, path) == ("POST", self.submit_path):
            return self.submit(sbdh.read(body, max_bytes=10**7))
        return self.other(method, path)

    def submit(self, enveloped: sbdh.Enveloped) -> tuple[int, Any]:
        self.submitted.append(enveloped)
        return 200, self.report_of(enveloped.header)

    def report_of(self, header: sbdh.Header) -> dict[str, Any]:
        if self.reports is not None:
            return self.reports(header.instance_id)
        if header.receiver == REFUSED:
            return failed(header.instance_id, "INVALID_PARAMETERS")
        return report(header.instance_id)

    def other(self, method: str, path: str) -> tuple[int, Any]:
        return 404, None


class Phase4(StandIn):
    """phase4-peppol-standalone: always 200 with a report; it keeps nothing."""


class PhossAp(StandIn):
    """phoss AP: it stores what it takes; 422 with the report after a failed first attempt.

    `statuses`: the statuses of a document, one for each query; the last one stays.
    """

    submit_path = "/api/outbound/submit-sbd"

    def __init__(self) -> None:
        super().__init__()
        self.statuses: list[dict[str, Any]] = [{"status": "sent", "mlsStatus": "received_ap"}]
        self.taken: dict[str, int] = {}
        self.countries: dict[str, str] = {}

    def submit(self, enveloped: sbdh.Enveloped) -> tuple[int, Any]:
        instance = enveloped.header.instance_id
        if instance in self.taken:
            return 400, None
        _, made = super().submit(enveloped)
        if made["sendingResult"] != "INVALID_PARAMETERS":
            self.taken[instance] = 0
        return (200 if made["overallSuccess"] else 422), made

    def other(self, method: str, path: str) -> tuple[int, Any]:
        parts = urlsplit(path)
        if (method, parts.path) == ("POST", "/api/inbound/report"):
            query = parse_qs(parts.query)
            self.countries[query["sbdhInstanceID"][0]] = query["c4CountryCode"][0]
            return 200, {}
        if parts.path == "/api/outbound/in-transmission":
            return 200, [{"sbdhInstanceID": each} for each in self.taken]
        return self.status(unquote(parts.path.removeprefix("/api/outbound/status/")))

    def status(self, instance: str) -> tuple[int, Any]:
        if instance not in self.taken:
            return 404, None
        place = min(self.taken[instance], len(self.statuses) - 1)
        self.taken[instance] += 1
        return 200, {"sbdhInstanceID": instance} | self.statuses[place]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        stand_in = self.server.stand_in  # type: ignore[attr-defined]
        status, values = stand_in.answer(self.command, self.path, self.headers["x-token"], body)
        if status == 0:  # no answer
            self.close_connection = True
            return
        content = values if isinstance(values, bytes) else json.dumps(values).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(stand_in: StandIn) -> Iterator[str]:
    """The address of the stand-in while it runs; status 0 ends a connection without an answer."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.stand_in = stand_in  # type: ignore[attr-defined]
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class FixedDirectory:
    """Says that everybody but one takes BIS invoices and Invoice Responses."""

    def __init__(self, *, available: bool = True) -> None:
        self._available = available

    def registration(self, participant: ParticipantId) -> Registration | NotRegistered:
        if not self._available:
            raise DirectoryUnavailable("the SMP does not answer")
        return NotRegistered() if participant == STRANGER else Registration((BIS_INVOICE,))

    def may_take(self, participant, document_type):
        return True

    def endpoint(
        self, participant: ParticipantId, document_type: DocumentTypeId, process: ProcessId
    ) -> Endpoint | NotOffered:
        if participant == STRANGER or (document_type, process) != RESPONSES:
            return NotOffered("the receiver is not registered for this document type")
        return Endpoint("https://ap.example", None)  # type: ignore[arg-type]


def gateway(shape: Shape, url: str, directory: object = None, token: str = TOKEN) -> Gateway:
    client = RestClient(url, token, Policy(https_only=False, allow_private=True))
    found: Any = directory or FixedDirectory()
    return Gateway("gateway-test", Environment.TEST, shape, found, client, INBOUND_TOKEN)
