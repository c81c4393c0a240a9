"""`einvoice demo`: start the whole service with embedded servers, and show one send."""

from __future__ import annotations

import html
import os
import re
import shlex
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
import requests
from sqlalchemy.exc import DBAPIError

from einvoice import clock
from einvoice.app import create_app
from einvoice.cli import demo_data, demo_relay, mail_demo, peppol_demo, processes
from einvoice.cli.demo_countries import STORIES
from einvoice.cli.demo_data import NotFilled
from einvoice.cli.embedded import NoRedis
from einvoice.cli.mail_demo import MailPorts
from einvoice.cli.processes import ChildExited
from einvoice.cli.serve import address_of
from einvoice.cli.stack import Stack, StackNotReady
from einvoice.cli.walkthrough import (
    DELIVERY_TIMEOUT_SECONDS,
    Account,
    DemoFailed,
    Steps,
    command_name,
    example_send,
)
from einvoice.config import Settings, SettingsFault
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.security.api_keys import SCOPES
from einvoice.services.account import credentials, tenants
from einvoice.services.webhooks import endpoints
from einvoice.store.installation import schema_revisions

# A database that the shell names, maybe of a running service, is not the demo's.
ENVIRON = {"EINVOICE_WEBHOOK_ALLOW_PRIVATE": "true", "EINVOICE_DATABASE_URL": ""}
RECEIVER = "0088:9520000000004"
# The branding of the tenant's PDFs and its buyers' pages.
LOOK = {
    "colour": "#0b6e4f",
    "addressLines": ["Rue de la Loi 1", "1000 Bruxelles"],
    "iban": "BE68539007547034",
    "accountName": "Demo NV",
    "email": "billing@demo.example",
}


@click.command()
@click.option(
    "--oneshot", is_flag=True, help="Stop after the last step: exit 0 on success, else 1."
)
@click.option("--quiet", is_flag=True, help="Only start the service.")
@click.option(
    "--peppol", is_flag=True, help="Second act: two services exchange an invoice over Peppol's AS4."
)
@click.option(
    "--country",
    type=click.Choice(list(STORIES)),
    help="With --peppol: between two parties there, and both access points report the invoice to "
    "a stand-in of the tax authority.",
)
@click.option(
    "--fill",
    is_flag=True,
    help="Fill the account with data as in daily life: sixty invoices of twelve weeks, bills, "
    "drafts, a webhook that is down.",
)
@click.option(
    "--mail",
    is_flag=True,
    help="An invoice goes out by mail to the account itself and comes back as a bill, through a "
    "Postfix where there is one.",
)
@click.option("--listen", default="127.0.0.1:8000", show_default=True)
@click.option("--data-dir", type=click.Path(path_type=Path), default=Path(".demo"))
def demo(
    oneshot: bool,
    quiet: bool,
    peppol: bool,
    country: str | None,
    fill: bool,
    mail: bool,
    listen: str,
    data_dir: Path,
) -> None:
    """Start the service and send an invoice until it is delivered. Ctrl-C stops everything."""
    if country and not peppol:
        raise click.UsageError("--country is of the second act: give --peppol too")
    if (fill or mail) and peppol:
        raise click.UsageError("--fill and --mail are of the first act: leave out --peppol")
    _refuse_taken(listen)
    try:
        with processes.interrupt_on_signals():
            if peppol:
                _both_acts(oneshot, quiet, listen, data_dir, country)
            else:
                _first_act(oneshot, quiet, listen, data_dir, fill=fill, mail=mail)
    except KeyboardInterrupt:
        click.echo("\nstopped")
    except (DemoFailed, NotFilled, StackNotReady, NoRedis, ChildExited, SettingsFault) as fault:
        raise click.ClickException(str(fault)) from fault
    except DBAPIError as fault:
        raise click.ClickException(f"Database error: {fault.orig}") from fault


def _refuse_taken(listen: str) -> None:
    host, port, path = address_of(listen)
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


def _both_acts(
    oneshot: bool, quiet: bool, listen: str, data_dir: Path, country: str | None
) -> None:
    """Missing requirements of the second act are reported before the first one."""
    with peppol_demo.prepared(data_dir, listen, _port_beside(listen), country) as second:
        if not quiet:
            _first_act(oneshot=True, quiet=False, listen=listen, data_dir=data_dir)
        second.play(oneshot=oneshot, quiet=quiet)


def _first_act(
    oneshot: bool,
    quiet: bool,
    listen: str,
    data_dir: Path,
    *,
    fill: bool = False,
    mail: bool = False,
) -> None:
    click.echo("Starting Redis, web, relay and workers on embedded defaults …")
    settings = Settings(
        data_dir=str(data_dir), base_url=f"http://{listen}", webhook_allow_private=True,
        log_level="ERROR",
    )  # fmt: skip
    started = time.monotonic()
    hook = f"http://127.0.0.1:{_port_beside(listen)}/hook"
    ids = prepared(settings, hook, fill=fill)
    ports = _mail_ports(listen) if mail else None
    with ExitStack() as running:
        environ = ENVIRON | (ports.environ if ports else {})
        stack = running.enter_context(Stack(data_dir, listen, environ))
        _start_receiver(stack, hook, ids)
        if ports:
            running.enter_context(mail_demo.receiving(stack, ports))
        click.echo(f"Ready after {time.monotonic() - started:.1f} s.\n")
        if not quiet:
            (mail_demo.MailAct(stack, ids) if mail else _FirstAct(stack, ids)).walk()
        if oneshot:
            return
        _leave_running(stack, ids)


def _mail_ports(listen: str) -> MailPorts:
    """Ports for the mail server and for what takes mails behind it."""
    lmtp = _port_beside(listen, 100)
    return MailPorts(_port_beside(listen, 200) if demo_relay.is_installed() else lmtp, lmtp)


def _port_beside(listen: str, further: int = 0) -> int:
    """A free port next to the service's, for what starts after it.

    A port chosen by the system may be in use by then.
    """
    _, port, _ = address_of(listen)
    beside = port + 1000 + further if port < 60_000 else port - 1000 - further
    for candidate in range(beside, beside + 100):
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", candidate))
            return candidate
    raise click.ClickException(f"No port from {beside} on is free.")


def prepared(settings: Settings, hook: str, *, fill: bool = False) -> dict[str, str]:
    """Create the database, a tenant with a sandbox key and a webhook, and documents if `fill`."""
    app = create_app(settings)
    with app.app_context():
        schema_revisions.upgrade()
        tenant = tenants.create("Demo NV")
        tenants.change(tenant, {"profile": LOOK})
        key = credentials.create(API_KEY, tenant, "demo", Environment.TEST, scopes=SCOPES).secret
    if fill:
        click.echo("Writing twelve weeks of documents …")
        demo_data.fill(app, tenant, clock.now())
    with app.app_context():  # after the weeks, in which it would have been given up
        endpoint = endpoints.create(
            tenant, Environment.TEST, url=hook, description="demo", settings=settings
        )
    person = dev_issuer.mint(settings, tenant_id=tenant, role=Role.MEMBER, subject="demo")
    day = timedelta(hours=24)
    owner = dev_issuer.mint(
        settings, tenant_id=tenant, role=Role.OWNER, subject="demo", lifetime=day
    )
    return {
        "tenant": tenant,
        "key": key,
        "person": person,
        "owner": owner,
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


class _FirstAct:
    """A send over the simulated network."""

    def __init__(self, stack: Stack, ids: dict[str, str]) -> None:
        self._stack, self._steps = stack, Steps()
        self._account = Account(stack.url, ids["key"])
        self._tenant, self._person = ids["tenant"], ids["person"]

    def walk(self) -> None:
        found = self._call(
            "Is the buyer on the network?",
            "GET",
            f"/api/participants/lookup?participantId={RECEIVER}",
        )
        body = example_send(RECEIVER, found["accessPointRef"])
        sent = self._call("Send an invoice.", "POST", "/api/invoices/send", body)
        invoice = sent["invoiceId"]
        self._steps.until_delivered(self._account, invoice)
        self._call("What became of it?", "GET", f"/api/invoices/{invoice}")
        listed = self._call("Which proofs are there?", "GET", f"/api/invoices/{invoice}/artefacts")
        receipt = next(a["artefactId"] for a in listed["items"] if a["type"] == "RECEIPT")
        self._call("The network's receipt:", "GET", f"/api/invoices/{invoice}/artefacts/{receipt}")
        self._webhook(invoice)
        self._share(invoice)

    def _call(self, title: str, method: str, path: str, body: Any = None) -> Any:
        return self._steps.call(self._account, title, method, path, body)

    def _webhook(self, invoice: str) -> None:
        self._steps.title("The webhook that reported it, verified by its receiver:")
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

    def _share(self, invoice: str) -> None:
        """Share the invoice; load the buyer's page and the PDF."""
        path = f"/api/invoices/{invoice}/share"
        self._steps.title("Give the buyer a link, as a person at the dashboard:")
        self._steps.command(
            f"TOKEN=$(EINVOICE_DATA_DIR={self._stack.data_dir} "
            f"{command_name()} dev-token {self._tenant})",
            f'curl -X POST -H "Authorization: Bearer $TOKEN" {self._stack.url}{path}',
        )
        headers = {"Authorization": f"Bearer {self._person}"}
        shared = self._steps.answer(
            requests.post(f"{self._stack.url}{path}", headers=headers, timeout=30)
        )
        self._steps.title("What the buyer has of it, without an account:")
        page = self._visited(shared["shareUrl"], "text/html")
        found = re.search("<title>([^<]*)</title>", page.text)
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


def exports(stack: Stack, ids: Mapping[str, str]) -> str:
    """The line of a shell that sets what the examples of the pages use."""
    values = {
        "EINVOICE": stack.url,
        "KEY": ids["key"],
        "TENANT": ids["tenant"],
        "EINVOICE_DATA_DIR": str(stack.data_dir),
        **ENVIRON,
    }
    message = " ".join(f"{name}={shlex.quote(value)}" for name, value in values.items())
    return f"export {message} PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH"


def _leave_running(stack: Stack, ids: Mapping[str, str]) -> None:
    key = ids["key"]
    click.secho("The service is running. Try next:", bold=True)
    header = f"-H 'x-api-key: {key}'"
    participant = "0088:9520000000059"
    click.echo("   paste into another shell what the pages of docs/ expect:")
    click.secho(f"   {exports(stack, ids)}", fg="cyan")
    click.echo(f"   open {stack.url}/docs in a browser: every route, with forms to try it")
    click.echo("   open the dashboard in a browser, logged in for development:")
    click.echo(f"   {stack.url}/dashboard/login/local?token={ids['owner']}")
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
