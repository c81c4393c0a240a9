"""Published samples, rules and verdicts; they are not part of the project.

EINVOICE_NETWORKS, or ../shared/networks beside the project, holds them.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[3]
FOLDER = Path(os.environ.get("EINVOICE_NETWORKS") or PROJECT.parent / "shared/networks") / "sa"


def there() -> Path:
    """The folder; a test without it is skipped."""
    if not FOLDER.is_dir():
        pytest.skip(f"no published material of Fatoora in {FOLDER}")
    return FOLDER


def table(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with (there() / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def samples(version: str = "3.4.6") -> Iterator[Path]:
    yield from sorted((there() / "samples" / version).rglob("*.xml"))


@cache
def certificate_text() -> str:
    return (there() / "sdk-R3.2.7/Certificates/cert.pem").read_text().strip()


@cache
def key_pem() -> bytes:
    """The public test key of the SDK, which has no lines of its own around it."""
    text = (there() / "sdk-R3.2.7/Certificates/ec-secp256k1-priv-key.pem").read_text().strip()
    return f"-----BEGIN EC PRIVATE KEY-----\n{text}\n-----END EC PRIVATE KEY-----\n".encode()


def settings(path: Path) -> dict[str, str]:
    """A settings file of a request for a certificate."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {name: value for name, _, value in (line.partition("=") for line in lines)}
