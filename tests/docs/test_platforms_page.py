"""The program of docs/platforms.md onboards customers, and changes nothing when it is run again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import requests

from einvoice.cli.stack import Stack
from tests.practice import einvoice, practising

PAGE = (Path(__file__).parents[2] / "docs" / "platforms.md").read_text()
(PROGRAM,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(INVOICE,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
MOST_LINES = 40


def test_the_program_is_short() -> None:
    assert len([line for line in PROGRAM.splitlines() if line.strip()]) <= MOST_LINES


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    """The service in a practice network, where what it publishes is found."""
    if not any(one.name == "peppol" for one in entry_points(group="einvoice")):
        pytest.skip("plugins/peppol is not installed (make installs it)")
    environ = {
        "EINVOICE_WEB_WORKERS": "1",
        "EINVOICE_MAX_QUEUE_AGE": "3600",
        "EINVOICE_LIMIT_GET": "100000",
    }
    with practising(tmp_path / "service", environ) as running:
        yield running


def test_the_program_onboards_customers_and_a_second_run_changes_nothing(
    stack: Stack, tmp_path: Path
) -> None:
    """Each is published and has its first bill; all is as the first run has left it."""
    (tmp_path / "invoice.json").write_text(INVOICE)
    platform = einvoice(stack, "platforms", "create", "ERP Vendor")
    key = einvoice(stack, "platforms", "keys", "add", platform, "--name", "docs")
    customers = "".join(
        f"customer-{n},Brewery {n} Ltd,BE0123456749,9915:customer-{n}\n" for n in range(3)
    )
    environ = os.environ | {"EINVOICE": stack.url, "PLATFORM_KEY": key}

    def run() -> tuple[str, dict[str, int]]:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=tmp_path,
            env=environ, input=customers, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout, {path: len(items(path)) for path in COUNTED}

    def items(path: str) -> list[dict[str, str]]:
        headers = {"x-api-key": key, "X-Tenant": "customer-1"}
        found: list[dict[str, str]]
        found = requests.get(stack.url + path, headers=headers, timeout=30).json()["items"]
        return found

    first, again = run(), run()

    assert first[0] == "".join(f"customer-{n} 1\n" for n in range(3))
    assert first[1] == dict.fromkeys(COUNTED, 1) | {"/api/invoices": 2}
    assert again == first
    assert [each["publication"] for each in items("/api/participants")] == ["published"]


COUNTED = ("/api/keys", "/api/participants", "/api/invoices")
