"""The program of docs/platforms.md for many customers, twice: the second run changes nothing.

    python -m bench.onboarding --customers 1000

The service runs with its processes, Redis and SQLite, as `make run` has it, and is an access point
of a Peppol practice network, in which it publishes the customers and sends to them over AS4. Prints
the seconds of each run, and exits with 1 if the second prints something else or leaves other rows.
"""

from __future__ import annotations

import argparse
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.practice import einvoice, practising

PAGE = (Path(__file__).parents[1] / "docs" / "platforms.md").read_text()
TABLES = (
    "tenants", "identifications", "participants", "participant_entries", "api_keys", "invoices",
    "transmissions", "audit_entries",
)  # fmt: skip


def block(language: str) -> str:
    """The only block of the page in a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found


def rows(directory: Path) -> dict[str, int]:
    """The number of rows of each table."""
    with sqlite3.connect(directory / "einvoice.sqlite3") as connection:
        counted = {name: f"SELECT count(*) FROM {name}" for name in TABLES}
        return {name: connection.execute(query).fetchone()[0] for name, query in counted.items()}


def measure(customers: int, directory: Path) -> bool:
    """Run the program twice; whether the second run changed nothing."""
    (directory / "invoice.json").write_text(block("json"))
    environ = {"EINVOICE_MAX_QUEUE_AGE": "3600", "EINVOICE_LIMIT_GET": "1000"}
    with practising(directory, environ) as stack:
        platform = einvoice(stack, "platforms", "create", "ERP Vendor")
        key = einvoice(stack, "platforms", "keys", "add", platform, "--name", "bench")
        lines = (f"c-{n},Brewery {n} Ltd,BE0123456749,9915:c-{n}\n" for n in range(customers))
        given, found = "".join(lines), []
        for _ in range(2):
            begun = time.monotonic()
            done = subprocess.run(
                [sys.executable, "-c", block("python")],
                cwd=directory, input=given, capture_output=True, text=True, check=False,
                env=os.environ | {"EINVOICE": stack.url, "PLATFORM_KEY": key},
            )  # fmt: skip
            found.append((done.returncode, done.stdout, rows(directory)))
            print(f"{time.monotonic() - begun:8.1f} s  {found[-1][2]}", flush=True)
            if done.returncode:
                print(done.stderr[-2000:])
    return found[0] == found[1] and found[0][0] == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--customers", type=int, default=1000)
    with tempfile.TemporaryDirectory() as directory:
        sys.exit(not measure(parser.parse_args().customers, Path(directory)))


if __name__ == "__main__":
    main()
