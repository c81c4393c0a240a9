"""A program that has only an OAuth client: from the token to the receipt and the webhook."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from typing import Any

import pytest
import requests
from standardwebhooks import Webhook

from einvoice.app import create_app
from einvoice.cli.stack import Stack
from einvoice.config import Settings
from einvoice.domain.credentials import OAUTH_CLIENT
from einvoice.domain.environments import Environment
from einvoice.security.api_keys import SCOPES
from einvoice.services.account import credentials, tenants
from einvoice.services.account.credentials import NewCredential
from tests.builders import RECEIVER, send_body


class Program:
    """Requests with an access token, which is requested with id and secret of the client."""

    def __init__(self, url: str, client: NewCredential) -> None:
        self.url = url
        answer = requests.post(
            f"{url}/oauth/token",
            data={"grant_type": "client_credentials"},
            auth=(client.record.id, client.secret),
            timeout=60,
        )
        answer.raise_for_status()
        self._headers = {"Authorization": f"Bearer {answer.json()['access_token']}"}

    def ask(self, method: str, path: str, **options: Any) -> requests.Response:
        options["headers"] = self._headers | options.get("headers", {})
        answer = requests.request(method, f"{self.url}{path}", timeout=60, **options)
        assert answer.ok, answer.text
        return answer

    def get(self, path: str, **parameters: str) -> Any:
        return self.ask("GET", path, params=parameters).json()

    def settled(self, invoice_id: str) -> Any:
        """The invoice, once it is no longer Processing."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            invoice = self.get(f"/api/invoices/{invoice_id}")
            if invoice["networkStatus"] != "Processing":
                return invoice
            time.sleep(0.2)
        raise TimeoutError(invoice_id)


class Receiver(ThreadingHTTPServer):
    """Keeps the headers and the body of each request, and answers 200."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: SimpleQueue[tuple[dict[str, str], bytes]] = SimpleQueue()
        self.url = f"http://127.0.0.1:{self.server_port}/events"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.put(({n.lower(): v for n, v in self.headers.items()}, body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def program(stack: Stack) -> Program:
    app = create_app(Settings.from_env(stack.environ))
    with app.app_context():
        tenant = tenants.create("Program NV")
        client = credentials.create(OAUTH_CLIENT, tenant, "ERP", Environment.TEST, scopes=SCOPES)
    return Program(stack.url, client)


def test_an_oauth_client_sends_follows_and_is_notified(
    program: Program, receiver: Receiver
) -> None:
    """Against the running service, without an API key or a person."""
    webhook = program.ask("POST", "/api/webhooks", json={"url": receiver.url}).json()
    reference = program.get("/api/participants/lookup", participantId=RECEIVER)["accessPointRef"]
    sent = program.ask(
        "POST",
        "/api/invoices/send",
        json=send_body(reference),
        headers={"Idempotency-Key": "journey"},
    ).json()
    invoice_id = sent["invoiceId"]
    invoice = program.settled(invoice_id)
    listed = program.get("/api/invoices", networkStatus="Delivered")["items"]
    [receipt] = program.get(f"/api/invoices/{invoice_id}/artefacts", type="RECEIPT")["items"]
    evidence = program.ask("GET", f"/api/invoices/{invoice_id}/artefacts/{receipt['artefactId']}")
    headers, body = receiver.requests.get(timeout=60)
    event = Webhook(webhook["signingSecret"]).verify(body, headers)
    [fed] = program.get("/api/events", invoiceId=invoice_id)["items"]

    assert sent["idempotencyKeyEcho"] == "journey"
    assert invoice["networkStatus"] == "Delivered"
    assert [item["invoiceId"] for item in listed] == [invoice_id]
    assert hashlib.sha256(evidence.content).hexdigest() == receipt["sha256"]
    assert headers["x-webhook-secret"] == webhook["secret"]
    assert (event["eventType"], event["invoiceId"]) == ("transaction.sent", invoice_id)
    assert fed == event
