"""An access point over HTTP, and its network as a process.

    python -m tests.access_points.http_access_point --port 9100 --latency 0.2 --silent 0.01

As a plugin it reads HTTP_ACCESS_POINT_URL (and _REPEAT, _CONCURRENCY, _TIMEOUT, _BULK); with
HTTP_ACCESS_POINT_TOKEN it receives documents at /networks/http-test/. Processes that load plugins
by entry point find it after `announce(directory)` with the directory on their path.
"""

from __future__ import annotations

import argparse
import asyncio
import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import quote, unquote

import urllib3
from urllib3.exceptions import ConnectTimeoutError, EmptyPoolError, HTTPError, NewConnectionError

from einvoice import clock, http
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_BILLING_PROCESS, DocumentTypeId, ParticipantId
from einvoice.http import ConcurrentClient, HttpFault, Limits, Policy
from einvoice.network.endpoints import MIB, Endpoint, Request, Response
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import (
    AccessPointBase,
    Busy,
    Capabilities,
    Delivered,
    DirectoryUnavailable,
    Duplicate,
    Envelope,
    Found,
    Inbound,
    Inbox,
    NeverSeen,
    NotRegistered,
    NotSent,
    NotServiced,
    Outcome,
    Pending,
    Prepared,
    Registration,
    Rejected,
    Repeat,
    SentDocument,
    Stored,
    Unknown,
    receipt,
)
from tests.access_points.http_network import Behaviour, Ledger, listen, port_of

EINVOICE_INTERFACE = 1
GATHER_SECONDS = 0.02  # outcomes that come together are stored together
# Raised before a byte of the request was written: certainly nothing reached the network.
NOTHING_SENT = (NewConnectionError, ConnectTimeoutError, EmptyPoolError)


@hookimpl
def einvoice_access_points(settings: Mapping[str, str]) -> Iterator[HttpAccessPoint]:
    yield HttpAccessPoint(
        settings["HTTP_ACCESS_POINT_URL"],
        repeat=Repeat(settings.get("HTTP_ACCESS_POINT_REPEAT", "never")),
        concurrency=int(settings.get("HTTP_ACCESS_POINT_CONCURRENCY", "32")),
        timeout=float(settings.get("HTTP_ACCESS_POINT_TIMEOUT", "5")),
        bulk=int(settings.get("HTTP_ACCESS_POINT_BULK", "100")),
    )


@hookimpl
def einvoice_endpoints(settings: Mapping[str, str], inbox: Inbox) -> Iterator[Endpoint]:
    token = settings.get("HTTP_ACCESS_POINT_TOKEN")
    if token:
        receiver = Receiver(inbox, token)
        yield Endpoint("http-test", receiver.answer, max_bytes=MIB, per_minute=10_000)


class Receiver:
    """POST /networks/http-test/messages/<message id>: documents pushed by the network."""

    def __init__(self, inbox: Inbox, token: str) -> None:
        self._inbox = inbox
        self._authorization = f"Bearer {token}".encode()

    def answer(self, request: Request) -> Response:
        given = request.headers.get("authorization", "").encode()
        if not hmac.compare_digest(given, self._authorization):
            return Response(401)
        kind, _, message_id = request.path.strip("/").partition("/")
        if (request.method, kind) != ("POST", "messages"):
            return Response(404)
        return self._taken(unquote(message_id), request)

    def _taken(self, message_id: str, request: Request) -> Response:
        verdict = self._inbox.deliver_inbound(
            Inbound(
                access_point="http-test",
                instance_id=message_id,
                environment=Environment.TEST,
                sender=ParticipantId.parse(request.headers["x-sender"]),
                receiver=ParticipantId.parse(request.headers["x-receiver"]),
                document_type=_document_type(request.headers["x-document-type"]),
                process=BIS_BILLING_PROCESS,
                document=request.body,
                receipt=f"<Receipt><At>{clock.timestamp(clock.now())}</At></Receipt>".encode(),
            )
        )
        match verdict:
            case Stored(_, kept) | Duplicate(_, kept):
                return Response(200, kept or b"")
            case NotServiced(reason):
                return Response(422, reason.encode(), "text/plain")
            case Busy(seconds):
                return Response(503, headers={"Retry-After": f"{seconds:.0f}"})


class HttpAccessPoint(AccessPointBase):
    """Client of one http_network. Message ids are derived from transmission ids."""

    name = "http-test"
    network = "http"
    environment = Environment.TEST

    def __init__(
        self,
        url: str,
        repeat: Repeat = Repeat.NEVER,
        concurrency: int = 32,
        timeout: float = 30.0,
        bulk: int = 100,
    ) -> None:
        self._url = url.rstrip("/")
        self._seconds = timeout
        self._many = ConcurrentClient(
            Policy(https_only=False, allow_private=True),
            limits=Limits(connect=timeout, read=timeout, total=timeout),
            per_host=concurrency,
        )
        self._http = urllib3.PoolManager(
            maxsize=concurrency, block=True, retries=False, timeout=urllib3.Timeout(total=timeout)
        )
        self.capabilities = Capabilities(
            has_status=True,
            repeat=repeat,
            concurrency=concurrency,
            bulk=bulk,
            timeout=timeout + 1.0,  # waiting for a free connection included
        )

    def prepare(self, envelope: Envelope) -> Prepared:
        return Prepared(message_id=f"{envelope.transmission_id}@http")

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        try:
            answer = self._ask("GET", "participants", str(participant))
        except HTTPError as fault:
            raise DirectoryUnavailable(repr(fault)) from fault
        if answer.status == 404:
            return NotRegistered()
        if answer.status != 200:
            raise DirectoryUnavailable(f"the directory answers {answer.status}")
        return Registration(tuple(_document_type(t) for t in answer.data.decode().split()))

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        body, headers = _submission(envelope, prepared)
        try:
            answer = self._ask("POST", "messages", prepared.message_id, body=body, headers=headers)
        except NOTHING_SENT as fault:
            return NotSent(f"no connection: {fault!r}")
        except HTTPError as fault:
            return Unknown(f"no answer: {fault!r}", ask_after=1.0)
        return _outcome(answer.status, answer.headers, answer.data, prepared.message_id)

    def submit_as_completed(
        self, batch: Sequence[tuple[Envelope, Prepared]]
    ) -> Iterator[list[tuple[int, Outcome]]]:
        """One thread for all of them; a hundred threads cost more than a hundred requests."""
        requests = [self._request(envelope, prepared) for envelope, prepared in batch]
        ids = [prepared.message_id for _, prepared in batch]
        for group in self._many.send_all(requests, seconds=self._seconds, gather=GATHER_SECONDS):
            yield [(place, _outcome_of(result, ids[place])) for place, result in group]

    def _request(self, envelope: Envelope, prepared: Prepared) -> http.Request:
        body, headers = _submission(envelope, prepared)
        return http.Request("POST", self._address("messages", prepared.message_id), headers, body)

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        found = self._status(pending.reference)
        if isinstance(found, Delivered) and pending.state.get("again"):
            return Delivered(found.evidence)
        return NotSent("the network forgot it") if isinstance(found, NeverSeen) else found

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        return self._status(prepared.message_id)

    def sent_since(self, moment: datetime) -> list[SentDocument]:
        """All documents: the network knows no times."""
        found = self._ask("GET", "messages", "").data.decode().split()
        return [SentDocument(message_id.removesuffix("@http")) for message_id in found]

    def _status(self, message_id: str) -> Found:
        try:
            answer = self._ask("GET", "messages", message_id)
        except HTTPError as fault:
            return Unknown(f"no answer: {fault!r}", ask_after=1.0)
        if answer.status == 404:
            return NeverSeen()
        outcome = _outcome(answer.status, answer.headers, answer.data, message_id)
        return Unknown(outcome.reason) if isinstance(outcome, NotSent) else outcome

    def _ask(
        self,
        method: str,
        kind: str,
        name: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> urllib3.BaseHTTPResponse:
        url = self._address(kind, name)
        return self._http.request(
            method, url, body=body, headers=headers, redirect=False, pool_timeout=1.0
        )

    def _address(self, kind: str, name: str) -> str:
        return f"{self._url}/{kind}/{quote(name, safe='')}"


def _submission(envelope: Envelope, prepared: Prepared) -> tuple[bytes, dict[str, str]]:
    """The body and headers of a submit."""
    return prepared.content or envelope.document, {"X-Receiver": str(envelope.receiver)}


def _outcome_of(result: http.Response | HttpFault, message_id: str) -> Outcome:
    if isinstance(result, HttpFault):
        if result.maybe_sent:
            return Unknown(f"no answer: {result}", ask_after=1.0)
        return NotSent(f"no connection: {result}")
    return _outcome(result.status, result.headers, result.body, message_id)


def _outcome(status: int, headers: Mapping[str, str], body: bytes, message_id: str) -> Outcome:
    if status == 200:
        again = headers.get("X-Receipt-Follows") == "1"
        return Delivered((receipt(body),), _second_receipt(message_id) if again else None)
    if status == 202:
        wait = timedelta(seconds=float(headers.get("Retry-After", "1")))
        return Pending(message_id, clock.now() + wait)
    if status == 400:
        said = json.loads(body)
        return Rejected(said["code"], said["reason"], 400, reason_code="document-refused")
    if status == 503:
        return NotSent("busy", float(headers.get("Retry-After", "1")))
    return Unknown(f"the network answers {status}")


def _second_receipt(message_id: str) -> Pending:
    return Pending(message_id, clock.now() + timedelta(seconds=1), state={"again": "yes"})


def _document_type(text: str) -> DocumentTypeId:
    scheme, _, value = text.partition("::")
    return DocumentTypeId(scheme, value)


def announce(directory: Path) -> None:
    """Make the plugin discoverable to processes that have `directory` and the project's root on
    PYTHONPATH: what an installation would write there."""
    info = directory / "http_access_point-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: http-access-point\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[einvoice]\nhttp-test = {_MODULE}\n")


_MODULE = "tests.access_points.http_access_point"


async def _serve(port: int, behaviour: Behaviour, ledger: Path) -> None:
    server = await listen(behaviour, Ledger(ledger), port)
    print(f"listening on http://127.0.0.1:{port_of(server)}, ledger {ledger}", flush=True)
    async with server:
        await server.serve_forever()


def main(arguments: list[str] | None = None) -> None:
    """Run the network until it is stopped."""
    parser = argparse.ArgumentParser(description=Behaviour.__doc__)
    parser.add_argument("--port", type=int, default=9100, help="0: a free one")
    parser.add_argument("--ledger", type=Path, default=Path("http-network.ledger"))
    for share in ("latency", "silent", "lost", "busy", "later", "takes", "duplicates", "hang"):
        parser.add_argument(f"--{share}", type=float, default=getattr(Behaviour, share))
    parser.add_argument("--idempotent", action="store_true")
    parser.add_argument("--max-connections", type=int, default=Behaviour.max_connections)
    parser.add_argument("--seed", type=int)
    given = vars(parser.parse_args(arguments))
    port, ledger = given.pop("port"), given.pop("ledger")
    try:
        asyncio.run(_serve(port, Behaviour(**given), ledger))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
