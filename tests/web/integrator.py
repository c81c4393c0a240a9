"""An integrator and an operator of the service that runs as processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence

import requests

from einvoice.cli.stack import Stack
from tests.sandbox import a_body
from tests.waiting import until_equal

EVENTS = ("transaction.sent", "transaction.failed", "invoice.responded")
PRIVATE = "Very Private Supplier"


class Integrator:
    """An integrator with a sandbox key, who uses HTTP only."""

    def __init__(self, stack: Stack, key: str, secrets: Sequence[str] = ()) -> None:
        self._stack, self.key, self.secrets = stack, key, secrets
        self.http = requests.Session()
        self.http.headers["x-api-key"] = key

    def get(self, path: str) -> requests.Response:
        return self.http.get(f"{self._stack.url}{path}", timeout=30)

    def lookup(self, receiver: str) -> requests.Response:
        return self.get(f"/api/participants/lookup?participantId={receiver}")

    def send(self, receiver: str, **headers: str) -> requests.Response:
        found = self.lookup(receiver)
        if found.status_code == 503:
            found = self.lookup(receiver)
        body = a_body(receiver, found.json()["accessPointRef"])
        body["invoice"]["supplier"]["name"] = PRIVATE
        return self.http.post(
            f"{self._stack.url}/api/invoices/send",
            data=json.dumps(body),
            headers={"Prefer": "respond-async"} | headers,
            timeout=60,
        )

    def end(self, invoice: str) -> tuple[str, list[str]]:
        status = self.get(f"/api/invoices/{invoice}").json()["networkStatus"]
        items = self.get(f"/api/invoices/{invoice}/artefacts").json()["items"]
        made = {"UBL", "VALIDATION_REPORT", "ORIGINAL"}
        return status, sorted(i["type"] for i in items if i["type"] not in made)

    def delivered_at(self, invoice: str) -> str:
        history = self.get(f"/api/invoices/{invoice}").json()["history"]
        return next(line["at"] for line in history if line["event"] == "delivered")


def command(stack: Stack, *words: str) -> str:
    """What a command of an operator prints."""
    return subprocess.run(
        [sys.executable, "-m", "einvoice.cli", *words],
        env=stack.environ, capture_output=True, text=True, check=True, timeout=180,
    ).stdout.strip()  # fmt: skip


def eventually(what: Callable[[], object], expected: object, seconds: float = 180.0) -> None:
    """Wait until a call, which may be a request, returns what is expected."""
    until_equal(what, expected, seconds, pause=0.3)
