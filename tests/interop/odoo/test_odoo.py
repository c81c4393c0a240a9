"""The module of clients/odoo in an installed Odoo, against the service.

EINVOICE_ODOO is the command of an Odoo 19 with all its options but those of the addons: database,
addons path with `clients/odoo`, and the client of `clients/python` in its Python.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

from einvoice.security.api_keys import SCOPES

COMMAND = shlex.split(os.environ.get("EINVOICE_ODOO", ""))

pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(not COMMAND, reason="EINVOICE_ODOO names no installed Odoo"),
]


@pytest.fixture
def key(stack) -> str:
    tenant = einvoice(stack, "tenants", "add", "Odoo NV")
    scopes = [word for scope in SCOPES for word in ("--scope", scope)]
    return einvoice(stack, "keys", "add", tenant, "--name", "odoo", *scopes)


def einvoice(stack, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "einvoice.cli", *words],
        env=stack.environ, capture_output=True, text=True, timeout=180, check=True,
    )  # fmt: skip
    return done.stdout.strip()


def test_invoices_are_sent_and_bills_are_booked(stack, key):
    """By the tests of the module, which Odoo runs and counts."""
    options = ["-u", "einvoice_connector", "--test-tags", "/einvoice_connector"]
    done = subprocess.run(
        [*COMMAND, *options, "--stop-after-init"],
        env={**os.environ, "EINVOICE": stack.url, "KEY": key},
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr[-4000:]
    assert "0 failed, 0 error(s) of 5 tests" in done.stderr
