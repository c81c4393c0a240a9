"""The program of docs/platforms.md onboards customers, and changes nothing when it is run again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import requests

from einvoice.cli.stack import Stack

PAGE = (Path(__file__).parents[2] / "docs" / "platforms.md").read_text()
(PROGRAM,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(INVOICE,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
MOST_LINES = 40


def einvoice(stack: Stack, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "einvoice.cli", *words],
        env=stack.environ, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_program_is_short() -> None:
    assert len([line for line in PROGRAM.splitlines() if line.strip()]) <= MOST_LINES


def test_the_program_onboards_customers_and_a_second_run_changes_nothing(
    stack: Stack, tmp_path: Path
) -> None:
    """Each has its first bill; keys, ids and invoices are those of the first run."""
    (tmp_path / "invoice.json").write_text(INVOICE)
    platform = einvoice(stack, "platforms", "create", "ERP Vendor")
    key = einvoice(stack, "platforms", "keys", "add", platform, "--name", "docs")
    customers = "".join(
        f"customer-{n},Brewery {n} Ltd,BE0123456749,9915:customer-{platform}-{n}\n"
        for n in range(3)
    )
    environ = os.environ | {"EINVOICE": stack.url, "PLATFORM_KEY": key}

    def run() -> tuple[str, dict[str, int]]:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=tmp_path,
            env=environ, input=customers, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout, {path: count(path) for path in COUNTED}

    def count(path: str) -> int:
        headers = {"x-api-key": key, "X-Tenant": "customer-1"}
        return len(requests.get(stack.url + path, headers=headers, timeout=30).json()["items"])

    first, again = run(), run()

    assert first[0] == "".join(f"customer-{n} 1\n" for n in range(3))
    assert first[1] == dict.fromkeys(COUNTED, 1) | {"/api/invoices": 2}
    assert again == first


COUNTED = ("/api/keys", "/api/participants", "/api/invoices")
