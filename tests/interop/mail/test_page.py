"""docs/mail.md from nothing to the first invoice: its blocks as printed, at a Postfix of its own.

Other than on the page are the ports, the directory of the settings of Postfix, and the mailbox of
the buyer, which is in the same Postfix. The service listens where the page says, on another port.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import smtplib
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import requests

from einvoice.app import create_app
from einvoice.cli.processes import einvoice
from einvoice.cli.stack import Stack
from einvoice.config import Settings
from einvoice.store.installation import schema_revisions
from plugins.mail.tests.test_notices import a_report
from tests.interop.mail import postfix
from tests.ports import free_port

pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(not postfix.is_installed(), reason="needs Postfix, and root"),
]
PAGE = (Path(__file__).parents[3] / "docs" / "mail.md").read_text()
BLOCKS = re.findall(r"^```(?:json)?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
MOST_SECONDS = 600
MAIL = "From: b@s.example\r\nSubject: Hello\r\n\r\nHello\r\n"


def block(beginning: str) -> str:
    """The block of the page that has these words."""
    [found] = [each for each in BLOCKS if beginning in each]
    return found


@pytest.fixture
def folder():
    with TemporaryDirectory(prefix="mail-page-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def lmtp_port():
    return free_port()


@pytest.fixture
def server(folder, lmtp_port):
    """With the settings of the page; it takes mails of buyer.example into a mailbox, and
    example.com is local to it."""

    def configure(etc):
        postconf(
            etc,
            f"virtual_mailbox_domains = {postfix.DOMAIN} buyer.example",
            "virtual_mailbox_maps = static:box/",
            "mydestination = example.com",
        )
        apply_printed(etc, lmtp_port)

    with postfix.running(
        folder / "mx", free_port(), bounces="x@unused.example", configure=configure
    ) as server:
        yield server


def postconf(etc, *lines):
    subprocess.run(["postconf", "-c", etc, "-e", *lines], check=True)


def apply_printed(etc, lmtp_port):
    """The settings of Postfix on the page, with the place of its files and the port replaced."""
    [command] = [
        shlex.split(each) for each in block("apt-get").splitlines() if each.startswith("postconf")
    ]
    postconf(etc, *command[2:])
    main, _, transport = block("# /etc/postfix/main.cf").partition("# /etc/postfix/einvoice\n")
    postconf(etc, *main.replace("/etc/postfix", str(etc)).splitlines()[1:])
    (etc / "einvoice").write_text(transport.replace(":2424", f":{lmtp_port}"))


def settings_of_page(port):
    lines = [each.partition("#")[0].strip() for each in block("EINVOICE_MAIL_FROM").splitlines()]
    given = dict(each.split("=", 1) for each in lines if each)
    return {name: text.replace(":25", f":{port}") for name, text in given.items()}


def run_as_printed(stack, folder):
    """The commands below the invoice, in a shell; the answer of the last one."""
    (folder / "invoice.json").write_text(block('"invoice":'))
    commands = block("einvoice tenants add").replace("http://127.0.0.1:8000", stack.url)
    bin_ = Path(einvoice()[0]).parent
    environ = {**stack.environ, "PATH": f"{bin_}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euc", f"{commands}echo $KEY > key"], cwd=folder, env=environ,
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def until(condition, seconds=120):
    for _ in range(seconds * 5):
        if found := condition():
            return found
        time.sleep(0.2)
    raise TimeoutError


def handed_over(server, sender, recipient, content):
    with smtplib.SMTP("127.0.0.1", server.port, timeout=60) as client:
        client.sendmail(sender, [recipient], content)


def test_the_page_leads_to_the_first_invoice_in_ten_minutes(server, folder, lmtp_port):
    """A mail in the buyer's mailbox, and its failure back at the service: both as printed."""
    begun, data = time.monotonic(), folder / "service"
    with create_app(Settings(data_dir=str(data)), plugins=[]).app_context():
        schema_revisions.upgrade()
    environ = settings_of_page(server.port)
    with Stack(data, f"127.0.0.1:{free_port()}", environ) as stack:
        words = shlex.split(block("einvoice mail receive --listen"))[1:]
        words[-1] = f"127.0.0.1:{lmtp_port}"
        stack.children.start("mail", einvoice(*words), env=stack.environ, log=data / "mail.log")
        answer = run_as_printed(stack, folder)
        [mail] = until(server.mails)
        took = time.monotonic() - begun
        [token] = re.findall(rb"(?i)message-id: <(txn-[a-z0-9-]+)@example.com>", mail)
        handed_over(server, "", f"bounces+{token.decode()}@example.com", a_report())
        with pytest.raises(smtplib.SMTPRecipientsRefused):
            handed_over(server, "b@s.example", "stranger@example.com", MAIL)
        key = {"x-api-key": (folder / "key").read_text().strip()}
        place = f"{stack.url}/api/invoices/{answer['invoiceId']}"
        responded = until(lambda: requests.get(place, headers=key, timeout=30).json()["response"])

    print(f"{took:.0f} seconds to the first invoice")
    assert answer["networkStatus"] in ("Delivered", "Processing"), answer
    assert b"To: billing@buyer.example" in mail
    assert b"Content-Type: application/pdf" in mail
    assert responded["status"] == "undeliverable"
    assert took < MOST_SECONDS
