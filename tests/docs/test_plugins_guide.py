"""The page "Write an access point in 15 minutes" works as printed."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from einvoice.network.reasons import REASONS
from einvoice.network.types import Capabilities, Repeat
from tests.docs import printed

PAGE = printed.page("plugins.md")


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Path:
    """The page's files, written where a reader would write them."""
    directory = tmp_path_factory.mktemp("parcel")
    printed.write_files(PAGE, directory)
    return directory


@pytest.fixture(scope="module")
def site(example, tmp_path_factory) -> Path:
    """The example built into a wheel, and the wheel installed."""
    wheels, site = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("site")
    printed.install(example, wheels, site)
    return site


def test_the_page_holds_the_whole_distribution(example):
    """A reader who copies every block has everything."""
    assert printed.files_in(example) == [
        "einvoice_parcel/__init__.py",
        "einvoice_parcel/access_point.py",
        "einvoice_parcel/arrivals.py",
        "pyproject.toml",
        "setup.cfg",
        "tests/stand_in.py",
        "tests/test_arrivals.py",
        "tests/test_contract.py",
    ]


def test_the_example_keeps_the_contract(example, site):
    """Every test of the contract that applies passes; only two do not apply."""
    passed, skipped, said = printed.run_tests(example, site)

    assert passed >= 25, said
    assert skipped == 4, said
    assert "this access point polls one by one" in said
    assert "the sample has no follow-up" in said
    assert "does not recognise repeats" in said


def test_the_example_is_found_once_it_is_installed(example, site):
    """By its entry point, with an access point for each environment that has an address."""
    code = (
        "import os; from einvoice.network import registry;"
        "print(sorted(p.name for p in registry.load(os.environ) if p.network == 'parcel'))"
    )
    settings = {
        "PARCEL_TEST_URL": "https://test.parcel.example",
        "PARCEL_TEST_TOKEN": "t",
        "PARCEL_LIVE_URL": "https://parcel.example",
        "PARCEL_LIVE_TOKEN": "l",
    }

    assert printed.python("-c", code, directory=example, path=(site,)) == "[]\n"
    both = printed.python("-c", code, directory=example, path=(site,), **settings)
    assert both == "['parcel-live', 'parcel-test']\n"


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_the_page_lists_every_capability_with_its_default():
    """An undocumented field would not be set by plugins."""
    listed = re.findall(r"^\| `(\w+)` \| (.+?) \|", section("Capabilities"), re.MULTILINE)

    assert dict(listed) == {f.name: shown(f.default) for f in dataclasses.fields(Capabilities)}


def shown(default: object) -> str:
    if default == frozenset():
        return "none"
    plain = default.name if isinstance(default, Repeat) else default
    return f"`{plain}`".replace("'", '"')


def test_the_page_lists_the_catalogue_of_reasons():
    """Code, what helps and words are the code's own."""
    rows = re.findall(r"^\| `(.+)` \| (.+) \| (.+) \|$", section("Reason codes"), re.MULTILINE)

    assert rows == [(r.code, r.resolution.value, r.words) for r in REASONS.values()]
