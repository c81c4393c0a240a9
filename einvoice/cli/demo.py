"""`einvoice demo`: start the whole service with embedded servers, and show one send."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import socket
import sys
import time
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import click
import requests
from sqlalchemy.exc import DBAPIError

from einvoice.app import create_app
from einvoice.cli import processes
from einvoice.cli.embedded import NoRedis
from einvoice.cli.processes import ChildExited
from einvoice.cli.serve import where
from einvoice.cli.stack import Stack, StackNotReady
from einvoice.config import Settings, SettingsFault
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.services.account import credentials, tenants
from einvoice.services.webhooks import endpoints
from einvoice.store import migrating

SENDER = "0208:0123456749"
RECEIVER = "0088:9520000000004"
DELIVERY_TIMEOUT_SECONDS = 30.0
# The branding of the tenant's PDFs and its buyers' pages.
LOOK = {
    "colour": "#0b6e4f",
    "addressLines": ["Rue de la Loi 1", "1000 Bruxelles"],
    "iban": "BE68539007547034",
    "accountName": "Demo NV",
    "email": "billing@demo.example",
}


class DemoFailed(Exception):
    """A step of the demo had an unexpected result."""


@click.command()
@click.option(
    "--oneshot", is_flag=True, help="Stop after the last step: exit 0 on success, else 1."
)
@click.option("--quiet", is_flag=True, help="Only start the service.")
@click.option("--listen", default="127.0.0.1:8000", show_default=True)
@click.option("--data-dir", type=click.Path(path_type=Path), default=Path(".demo"))
def demo(oneshot: bool, quiet: bool, listen: str, data_dir: Path) -> None:
    """Start the service and send an invoice until it is delivered. Ctrl-C stops everything."""
    _refuse_taken(listen)
    try:
        with processes.interrupt_on_signals():
            _run(oneshot, quiet, listen, data_dir)
    except KeyboardInterrupt:
        click.echo("\nstopped")
    except (DemoFailed, StackNotReady, NoRedis, ChildExited, SettingsFault) as fault:
        raise click.ClickException(str(fault)) from fault
    except DBAPIError as fault:
        raise click.ClickException(f"Database error: {fault.orig}") from fault


def _refuse_taken(listen: str) -> None:
    host, port, path = where(listen)
    if path is not None:
        raise click.UsageError("the demo listens at host:port")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as fault:
            raise click.ClickException(
                f"{listen} is taken: stop what listens there, or give --listen 127.0.0.1:8001"
            ) from fault


def _run(oneshot: bool, quiet: bool, listen: str, data_dir: Path) -> None:
    click.echo("Starting Redis, web, relay and workers on embedded defaults …")
    environ = {"EINVOICE_WEBHOOK_ALLOW_PRIVATE": "true"}
    settings = Settings(
        data_dir=str(data_dir), base_url=f"http://{listen}", webhook_allow_private=True,
        log_level="ERROR",
    )  # fmt: skip
    started = time.monotonic()
    hook = f"http://127.0.0.1:{_hook_port(listen)}/hook"
    ids = _prepared(settings, hook)
    with Stack(data_dir, listen, environ) as stack:
        _start_receiver(stack, hook, ids)
        click.echo(f"Ready after {time.monotonic() - started:.1f} s.\n")
        if not quiet:
            _Walkthrough(stack, ids).walk()
        if oneshot:
            return
        _leave_running(stack, ids["key"])


def _hook_port(listen: str) -> int:
    """A free port for the receiver, next to that of the service.

    A port chosen by the system may be in use by the time the receiver starts, as the last process.
    """
    _, port, _ = where(listen)
    beside = port + 1000 if port < 60_000 else port - 1000
    for candidate in range(beside, beside + 100):
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", candidate))
            return candidate
    raise click.ClickException(f"No port from {beside} on is free for the webhook receiver.")


def _prepared(settings: Settings, hook: str) -> dict[str, str]:
    """Create the database, a tenant, a sandbox key and a webhook endpoint."""
    app = create_app(settings)
    with app.app_context():
        migrating.upgrade()
        tenant = tenants.create("Demo NV")
        tenants.change(tenant, {"profile": LOOK})
        key = credentials.create(API_KEY, tenant, "demo", Environment.TEST).secret
        endpoint = endpoints.create(
            tenant, Environment.TEST, url=hook, description="demo", settings=settings
        )
    person = dev_issuer.mint(settings, tenant_id=tenant, role=Role.MEMBER, subject="demo")
    return {
        "tenant": tenant,
        "key": key,
        "person": person,
        "secret": endpoint.secret,
        "signing_secret": endpoint.signing_secret,
    }


def _start_receiver(stack: Stack, hook: str, ids: dict[str, str]) -> None:
    port = hook.rpartition(":")[2].partition("/")[0]
    command = [sys.executable, "-m", "einvoice.cli.receiver", "--port", port]
    # The secrets are in its environment: every user of the machine can read arguments.
    secrets = {"WEBHOOK_SECRET": ids["secret"], "WEBHOOK_SIGNING_SECRET": ids["signing_secret"]}
    log = stack.data_dir / "receiver.log"
    log.unlink(missing_ok=True)
    stack.children.start("receiver", command, env={**os.environ, **secrets}, log=log)


class _Walkthrough:
    """The steps of the demo, each printed with its curl command."""

    def __init__(self, stack: Stack, ids: dict[str, str]) -> None:
        self._stack, self._key, self._step = stack, ids["key"], 0
        self._tenant, self._person = ids["tenant"], ids["person"]

    def walk(self) -> None:
        found = self._call(
            "Is the buyer on the network?",
            "GET",
            f"/api/participants/lookup?participantId={RECEIVER}",
        )
        body = example_send(found["accessPointRef"])
        sent = self._call("Send an invoice.", "POST", "/api/invoices/send", body)
        invoice = sent["invoiceId"]
        self._until_delivered(invoice)
        self._call("What became of it?", "GET", f"/api/invoices/{invoice}")
        listed = self._call("Which proofs are there?", "GET", f"/api/invoices/{invoice}/artefacts")
        receipt = next(a["artefactId"] for a in listed["items"] if a["type"] == "RECEIPT")
        self._call("The network's receipt:", "GET", f"/api/invoices/{invoice}/artefacts/{receipt}")
        self._webhook(invoice)
        self._share(invoice)

    def _share(self, invoice: str) -> None:
        """Share the invoice; load the buyer's page and the PDF."""
        path = f"/api/invoices/{invoice}/share"
        self._title("Give the buyer a link, as a person at the dashboard:")
        click.secho(
            f"   $ TOKEN=$(EINVOICE_DATA_DIR={self._stack.data_dir} "
            f"{_command()} dev-token {self._tenant})\n"
            f'   $ curl -X POST -H "Authorization: Bearer $TOKEN" {self._stack.url}{path}',
            fg="cyan",
        )
        headers = {"Authorization": f"Bearer {self._person}"}
        shared = self._said(requests.post(f"{self._stack.url}{path}", headers=headers, timeout=30))
        self._title("What the buyer has of it, without an account:")
        page = self._visited(shared["shareUrl"], "text/html")
        found = re.search("<title>(.*?)</title>", page.text)
        click.secho(f"   {shared['shareUrl']}", fg="green", bold=True)
        click.echo(f"   the page “{html.unescape(found[1]) if found else '?'}” for a browser")
        pdf = self._stack.data_dir / "invoice.pdf"
        pdf.write_bytes(self._visited(f"{shared['shareUrl']}/pdf", "application/pdf").content)
        click.echo(f"   its PDF, saved as {pdf} ({pdf.stat().st_size / 1024:.0f} KiB)\n")

    def _visited(self, url: str, media: str) -> requests.Response:
        answer = requests.get(url, headers={"Accept": media}, timeout=60)
        if not answer.ok or not answer.headers["content-type"].startswith(media):
            raise DemoFailed(f"{url} was answered {answer.status_code}")
        return answer

    def _title(self, title: str) -> None:
        self._step += 1
        click.secho(f"{self._step}. {title}", bold=True)

    def _call(self, title: str, method: str, path: str, body: Any = None) -> Any:
        self._title(title)
        url = f"{self._stack.url}{path}"
        headers = {"x-api-key": self._key}
        words = [f"curl -H 'x-api-key: {self._key}'"]
        if body is not None:
            headers["Idempotency-Key"] = f"demo-{body['invoice']['number']}"
            words += [f"-H 'Idempotency-Key: {headers['Idempotency-Key']}'"]
            words += [f"--json '{json.dumps(body)}'"]
        click.secho("   $ " + " ".join([*words, f"'{url}'"]), fg="cyan")
        return self._said(requests.request(method, url, headers=headers, json=body, timeout=30))

    def _said(self, answer: requests.Response) -> Any:
        is_json = "json" in answer.headers["content-type"]
        shown = json.dumps(answer.json(), indent=2) if is_json else answer.text
        click.echo(f"   {answer.status_code} " + shown.strip().replace("\n", "\n   ") + "\n")
        if not answer.ok:
            raise DemoFailed(f"step {self._step} was answered {answer.status_code}")
        return answer.json() if is_json else answer.text

    def _until_delivered(self, invoice: str) -> None:
        click.echo("   waiting for the network ", nl=False)
        until = time.monotonic() + DELIVERY_TIMEOUT_SECONDS
        while time.monotonic() < until:
            url = f"{self._stack.url}/api/invoices/{invoice}"
            seen = requests.get(url, headers={"x-api-key": self._key}, timeout=10).json()
            if seen["networkStatus"] == "Delivered":
                click.secho(" Delivered\n", fg="green", bold=True)
                return
            click.echo(".", nl=False)
            time.sleep(1)  # within the key's 60 GET a minute
        raise DemoFailed(
            f"the invoice is {seen['networkStatus']} after {DELIVERY_TIMEOUT_SECONDS:g} s"
        )

    def _webhook(self, invoice: str) -> None:
        self._title("The webhook that reported it, verified by its receiver:")
        log = self._stack.data_dir / "receiver.log"
        until = time.monotonic() + DELIVERY_TIMEOUT_SECONDS
        while time.monotonic() < until:
            lines = log.read_text().splitlines() if log.exists() else []
            for line in lines:
                if invoice in line and "verified" in line:
                    click.secho(f"   {line}\n", fg="green")
                    return
            time.sleep(0.2)
        raise DemoFailed("no verified webhook arrived")


def example_send(access_point_ref: str) -> dict[str, Any]:
    """The body of the demo's send."""
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
            "receiverParticipantId": RECEIVER,
            "accessPointRef": access_point_ref,
        },
    }


def _command() -> str:
    """The command that calls `einvoice` from this directory: PATH may not contain it."""
    return "einvoice" if shutil.which("einvoice") else str(Path(sys.executable).parent / "einvoice")


def _leave_running(stack: Stack, key: str) -> None:
    click.secho("The service is running. Try next:", bold=True)
    header = f"-H 'x-api-key: {key}'"
    participant = "0088:9520000000059"
    click.echo(f"   export EINVOICE={stack.url} KEY={key}   # as in docs/*.md")
    click.echo(f"   open {stack.url}/docs in a browser: every route, with forms to try it")
    click.echo(
        f"   curl {header} '{stack.url}/api/participants/lookup?participantId={participant}'"
    )
    click.echo(
        "   # …0059 is rejected by its access point, …0035 is unreachable, …0141 needs a retry"
    )
    click.echo(f"   logs, database and sockets: {stack.data_dir}")
    click.echo("Ctrl-C stops everything.")
    while True:
        time.sleep(1)
        stack.children.check()
