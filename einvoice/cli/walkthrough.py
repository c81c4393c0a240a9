"""The steps of a demo, each printed with the command that does it, and what came back."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import click
import requests

SENDER = "0208:0123456749"
DELIVERY_TIMEOUT_SECONDS = 180.0  # a second, and minutes on a busy machine


class DemoFailed(Exception):
    """A step of the demo had an unexpected result."""


@dataclass(frozen=True, slots=True)
class Account:
    """A tenant's key at a service; secret."""

    url: str
    key: str


class Steps:
    """Prints and counts the steps of a demo. Raises DemoFailed where one is refused."""

    def __init__(self) -> None:
        self._step = 0

    def title(self, title: str) -> None:
        self._step += 1
        click.secho(f"{self._step}. {title}", bold=True)

    def command(self, *lines: str) -> None:
        """Show a command as a person types it."""
        click.secho("   $ " + "\n   $ ".join(lines), fg="cyan")

    def call(self, account: Account, title: str, method: str, path: str, body: Any = None) -> Any:
        """Show the curl command of a request below a title, make it, and show the answer."""
        self.title(title)
        return self.request(account, method, path, body)

    def request(self, account: Account, method: str, path: str, body: Any = None) -> Any:
        """Show the curl command of a request, make it, and show the answer."""
        url = f"{account.url}{path}"
        headers = {"x-api-key": account.key}
        message = [f"curl -H 'x-api-key: {account.key}'"]
        if body is not None:
            headers["Idempotency-Key"] = f"demo-{body['invoice']['number']}"
            message += [f"-H 'Idempotency-Key: {headers['Idempotency-Key']}'"]
            message += [f"--json '{json.dumps(body)}'"]
        self.command(" ".join([*message, f"'{url}'"]))
        return self.answer(requests.request(method, url, headers=headers, json=body, timeout=30))

    def answer(self, response: requests.Response) -> Any:
        """Show an answer; its JSON, or its text."""
        is_json = "json" in response.headers["content-type"]
        shown = json.dumps(response.json(), indent=2) if is_json else response.text
        self.output(f"{response.status_code} {shown}")
        if not response.ok:
            raise DemoFailed(f"step {self._step} was answered {response.status_code}")
        return response.json() if is_json else response.text

    def output(self, text: str) -> None:
        click.echo("   " + text.strip().replace("\n", "\n   ") + "\n")

    def wait(
        self,
        account: Account,
        path: str,
        ready: Callable[[Any], bool],
        words: str,
        seconds: float = DELIVERY_TIMEOUT_SECONDS,
    ) -> Any:
        """Ask for the path about once a second until it is ready, within the limits of a key.

        Raises DemoFailed after so many seconds.
        """
        click.echo(f"   waiting for {words} ", nl=False)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            headers = {"x-api-key": account.key}
            answer = requests.get(f"{account.url}{path}", headers=headers, timeout=30)
            seen = answer.json()
            if answer.ok and ready(seen):  # a busy machine may answer 503
                return seen
            click.echo(".", nl=False)
            time.sleep(1 if seconds <= DELIVERY_TIMEOUT_SECONDS else 2)
        click.echo()
        raise DemoFailed(f"no {words} within {seconds:g} s; seen last: {seen}")

    def until_delivered(self, account: Account, invoice: str) -> None:
        """Wait until the invoice is delivered."""
        self.wait(
            account, f"/api/invoices/{invoice}",
            lambda seen: seen["networkStatus"] == "Delivered", "delivery",
        )  # fmt: skip
        click.secho(" Delivered\n", fg="green", bold=True)


def example_send(receiver: str, access_point_ref: str) -> dict[str, Any]:
    """The body of a send from SENDER."""
    today = date.today()  # noqa: DTZ011 - the user's own day
    return {
        "invoice": {
            "number": f"DEMO-{time.strftime('%H%M%S')}",
            "issueDate": today.isoformat(),
            "dueDate": (today + timedelta(days=30)).isoformat(),
            "currency": "EUR",
            "buyerReference": "PO-4711",
            "supplier": {
                "name": "Demo NV",
                "taxId": "BE0123456749",
                "companyId": "0123456749",
                "address": {
                    "line1": "Rue de la Loi 1",
                    "city": "Bruxelles",
                    "postalCode": "1000",
                    "countryCode": "BE",
                },
            },
            "buyer": {
                "name": "Sandbox Buyer",
                "address": {"line1": "Main Street 2", "city": "Gent", "countryCode": "BE"},
            },
            "lineItems": [
                {"description": "Consulting", "quantity": 2, "unitPrice": 50.00, "taxRate": 21.0}
            ],
            "totals": {"subtotal": 100.00, "taxAmount": 21.00, "grandTotal": 121.00},
        },
        "routing": {
            "senderParticipantId": SENDER,
            "receiverParticipantId": receiver,
            "accessPointRef": access_point_ref,
        },
    }


def command_name() -> str:
    """The command that calls `einvoice` from this directory: PATH may not contain it."""
    return "einvoice" if shutil.which("einvoice") else str(Path(sys.executable).parent / "einvoice")
