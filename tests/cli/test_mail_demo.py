"""`einvoice demo --mail` sends an invoice by mail to itself, and receives it as a bill."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from einvoice.cli import demo_relay
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
installed = pytest.mark.skipif(
    not any(one.name == "mail" for one in entry_points(group="einvoice")),
    reason="plugins/mail is not installed (make installs it)",
)
postfix = pytest.mark.skipif(not demo_relay.is_installed(), reason="needs Postfix, and root")


@pytest.fixture
def short_path() -> Iterator[Path]:
    """An empty directory; `tmp_path` can be too long for the socket of Redis below it."""
    with TemporaryDirectory(prefix="demo-") as name:
        yield Path(name)


def test_make_passes_the_choice_on():
    made = subprocess.run(
        ["make", "-n", "-o", "setup", "demo", "MAIL=1"], cwd=ROOT, capture_output=True, text=True,
        check=True,
    )  # fmt: skip

    assert "einvoice demo" in made.stdout
    assert "--mail" in made.stdout


@installed
@pytest.mark.parametrize(
    ("folders", "relay"),
    [
        ("/usr/bin:/bin", "No Postfix here"),
        pytest.param(os.environ.get("PATH", ""), "A Postfix of its own listens", marks=[
            postfix, pytest.mark.long,
        ]),
    ],
)  # fmt: skip
def test_an_invoice_goes_out_by_mail_and_comes_back_as_a_bill(short_path, folders, relay):
    """With its number, booked to the account of the address; at the end everything has stopped."""
    listen = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "einvoice.cli", "demo", "--mail", "--oneshot"]
    done = subprocess.run(
        [*command, "--listen", listen, "--data-dir", str(short_path)],
        env={**os.environ, "PATH": folders}, capture_output=True, text=True, check=False,
        timeout=600,
    )  # fmt: skip
    shown = done.stdout

    assert done.returncode == 0, shown[-2000:] + done.stderr[-2000:]
    assert relay in shown
    [sent] = set(re.findall(r"Subject: Factuur (DEMO-\d+) van Demo NV", shown))
    bill = shown.rpartition("The same invoice as a bill")[2]
    assert f'"number": "{sent}"' in bill
    assert '"direction": "received"' in bill
    assert '"glAccountCode": "6130"' in bill
    assert '"code": "mail-sender"' in bill
