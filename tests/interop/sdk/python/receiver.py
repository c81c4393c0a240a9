"""Receive webhooks: verify the signature, read the payload with the generated models."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue

from einvoice_client import (
    Event,
    TransactionFailedEvent,
    TransactionReceivedEvent,
    TransactionSentEvent,
)

Notice = TransactionSentEvent | TransactionFailedEvent | TransactionReceivedEvent | Event
KINDS: dict[str, type[Notice]] = {
    "transaction.sent": TransactionSentEvent,
    "transaction.failed": TransactionFailedEvent,
    "transaction.received": TransactionReceivedEvent,
}


class NotAuthentic(Exception):
    """The request is not from the service, or is too old."""


def verify(headers: Message, body: bytes, secret: str, signing_secret: str) -> None:
    """Raise NotAuthentic unless the request is authentic and fresh. `body`: as it was received."""
    if not hmac.compare_digest(headers.get("X-Webhook-Secret", "").encode(), secret.encode()):
        raise NotAuthentic("X-Webhook-Secret")
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300:
        raise NotAuthentic("webhook-timestamp")
    signed = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    key = base64.b64decode(signing_secret.removeprefix("whsec_"))
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    given = headers.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(one.encode(), expected.encode()) for one in given):
        raise NotAuthentic("webhook-signature")


def read(body: bytes) -> Notice:
    """The event as an object of the class of its type; of any other type the common members."""
    members = json.loads(body)
    return KINDS.get(members["eventType"], Event).model_validate(members)


class Receiver(ThreadingHTTPServer):
    """A server for webhooks, at a free port of this machine. `events` are the verified ones."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.secret = ""
        self.signing_secret = ""
        self.events: SimpleQueue[Notice] = SimpleQueue()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/events"


class Handler(BaseHTTPRequestHandler):
    server: Receiver
    timeout = 15

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            verify(self.headers, body, self.server.secret, self.server.signing_secret)
        except NotAuthentic:
            self.send_response(401)
        else:
            self.server.events.put(read(body))
            self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Without a log."""
