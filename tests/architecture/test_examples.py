"""Every example of a docstring does what it says."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Where the packages are, by name.
PLACES = (
    *(ROOT / name for name in ("einvoice", "jobs")),
    *sorted(ROOT.glob("plugins/*/einvoice_*")),
    ROOT / "clients" / "python" / "einvoice_client",
)


def with_examples() -> Iterator[str]:
    """The modules whose source has an example."""
    for place in PLACES:
        for path in sorted(place.rglob("*.py")):
            if ">>> " in path.read_text("utf-8"):
                parts = path.relative_to(place.parent).with_suffix("").parts
                yield ".".join(parts).removesuffix(".__init__")


MODULES = tuple(with_examples())


@pytest.mark.parametrize("name", MODULES)
def test_every_example_does_what_it_says(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_examples_are_found_in_every_package() -> None:
    assert {name.partition(".")[0] for name in MODULES} >= {"einvoice", "einvoice_ksef"}
