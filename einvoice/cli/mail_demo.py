"""`einvoice demo --mail`: an invoice goes out by mail and comes back as a bill of the same account.

The mail passes a real mail server where there is one (`demo_relay`). Everything stays on this
machine: the domains are examples, and no name is looked up.
"""

from __future__ import annotations

import email
import json
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.policy import SMTP
from typing import Any

import click
import requests

from einvoice.cli import demo_relay
from einvoice.cli.processes import einvoice
from einvoice.cli.stack import Stack
from einvoice.cli.walkthrough import Account, DemoFailed, Steps, example_send

SENDER, BOUNCES, DOMAIN = "invoices@demo.example", "bounces@demo.example", "in.demo.example"
# A mailbox is read twice a minute.
ARRIVAL_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class MailPorts:
    """Where mails are handed over. `smtp` and `lmtp` are equal without a mail server in between."""

    smtp: int
    lmtp: int

    @property
    def environ(self) -> dict[str, str]:
        """The settings of the service."""
        return {
            "EINVOICE_MAIL_FROM": SENDER,
            "EINVOICE_MAIL_BOUNCES": BOUNCES,
            "EINVOICE_MAIL_IN_DOMAIN": DOMAIN,
            "EINVOICE_MAIL_TEST_SMARTHOSTS": f"smtp://127.0.0.1:{self.smtp}",
        }


@contextmanager
def receiving(stack: Stack, ports: MailPorts) -> Iterator[None]:
    """Run `einvoice mail receive`, behind a Postfix where there is one."""
    words = ["mail", "receive", "--listen", f"127.0.0.1:{ports.lmtp}"]
    is_direct = ports.smtp == ports.lmtp
    command = einvoice(*words, *(["--smtp"] if is_direct else []))
    log = stack.data_dir / "mail.log"
    stack.children.start("mail", command, env=stack.environ, log=log)
    # A mail that the mail server cannot hand over at once would wait in its queue.
    demo_relay.await_port(ports.lmtp, "einvoice mail receive")
    if is_direct:
        click.echo("No Postfix here (package postfix, root): the service takes the mail by SMTP.")
        yield
        return
    with demo_relay.postfix(ports.smtp, ports.lmtp, (DOMAIN, "demo.example")) as postfix_log:
        click.echo(f"A Postfix of its own listens at 127.0.0.1:{ports.smtp}, log: {postfix_log}")
        yield


class MailAct:
    """An address for bills, an invoice sent there, and the bill that it becomes."""

    def __init__(self, stack: Stack, ids: Mapping[str, str]) -> None:
        self._stack, self._steps = stack, Steps()
        self._account = Account(stack.url, ids["key"])
        self._owner = ids["owner"]

    def walk(self) -> None:
        address = self._address()
        sent = self._sent(address)
        self._steps.until_delivered(self._account, sent)
        self._mail(sent)
        self._bill()

    def _address(self) -> str:
        """Make an address for bills, as a person at the dashboard."""
        self._steps.title("Make an address at which bills arrive by mail:")
        body = {"environment": "test", "name": "Demo", "glAccountCode": "6130"}
        url = f"{self._stack.url}/api/mail/addresses"
        given = shlex.quote(json.dumps(body))
        self._steps.command(f'curl -H "Authorization: Bearer $TOKEN" --json {given} {url}')
        headers = {"Authorization": f"Bearer {self._owner}"}
        made = self._steps.answer(requests.post(url, headers=headers, json=body, timeout=30))
        return str(made["address"])

    def _sent(self, address: str) -> str:
        """Send an invoice by mail to it."""
        body = example_send("", "")
        routing = {"senderParticipantId": body["routing"]["senderParticipantId"]}
        body["routing"] = {**routing, "network": "mail", "email": address}
        sent = self._steps.call(
            self._account, "Mail an invoice there.", "POST", "/api/invoices/send", body
        )
        return str(sent["invoiceId"])

    def _mail(self, invoice: str) -> None:
        """The mail as it was sent."""
        path = f"/api/invoices/{invoice}/artefacts"
        listed = self._steps.call(self._account, "Which proofs are there?", "GET", path)
        found = next(each["artefactId"] for each in listed["items"] if each["type"] == "MAIL")
        self._steps.title("The mail as it was sent:")
        url = f"{self._stack.url}{path}/{found}"
        self._steps.command(f"curl -H 'x-api-key: {self._account.key}' '{url}'")
        answer = requests.get(url, headers={"x-api-key": self._account.key}, timeout=30)
        message = email.message_from_bytes(answer.content, policy=SMTP)
        body = message.get_body(("plain",))
        shown = [f"{name}: {message[name]}" for name in ("From", "To", "Subject", "Message-ID")]
        files = ", ".join(each.get_filename() or "?" for each in message.iter_attachments())
        text = body.get_content().strip() if body else ""
        self._steps.output("\n".join([*shown, f"Files: {files}", "", text]))

    def _bill(self) -> None:
        """The bill that it becomes."""
        path = "/api/invoices?direction=received"
        self._steps.title("The same invoice as a bill, read from the mail:")
        listed = self._steps.wait(
            self._account, path, lambda seen: bool(seen["items"]), "the mail", ARRIVAL_SECONDS
        )
        click.secho(" there\n", fg="green", bold=True)
        bill: Any = listed["items"][0]
        if bill["number"] is None:
            raise DemoFailed("the bill could not be read")
        self._steps.request(self._account, "GET", f"/api/invoices/{bill['invoiceId']}")
        click.echo("   In the browser, logged in for development:")
        login = f"{self._stack.url}/dashboard/login/local?token={self._owner}"
        click.secho(f"   {login}\n", fg="green", bold=True)
        click.echo(f"   then {self._stack.url}/dashboard/invoices/{bill['invoiceId']}\n")
