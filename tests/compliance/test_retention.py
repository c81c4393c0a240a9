"""The list of retention years: each with its provision, and a source or a long term."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from importlib.resources import files
from pathlib import Path

import pytest

from einvoice.compliance import retention
from einvoice.store.tables import ArchivePart

LISTED = tomllib.loads(files("einvoice.compliance").joinpath("retention.toml").read_text("utf-8"))
UNREAD = {code for code, found in LISTED.items() if "source" not in found}
OPERATORS = Path(__file__).parents[2] / "docs" / "operators.md"


@pytest.mark.parametrize("code", sorted(LISTED))
def test_each_country_has_a_provision_and_the_day_on_which_its_source_was_read(code):
    found = LISTED[code]

    assert set(found) in ({"years", "law"}, {"years", "law", "source", "read"})
    assert re.fullmatch(r"[A-Z]{2}", code)
    if code not in UNREAD:
        assert found["source"].startswith("https://")
        assert type(found["read"]) is date


def test_what_was_not_compared_with_a_source_is_kept_for_the_default_at_least():
    """Nothing is dropped too early because of a figure without a source."""
    short = {code for code in UNREAD if LISTED[code]["years"] < retention.DEFAULT_YEARS}

    assert UNREAD
    assert short == set()


def test_operators_are_shown_which_countries_have_no_source():
    (named,) = re.findall(r"without a source: ([A-Z, ]+)\)", OPERATORS.read_text("utf-8"))

    assert set(named.split(", ")) == UNREAD


@pytest.mark.parametrize("code", sorted(LISTED))
def test_the_words_of_a_rule_fit_into_the_proof(code):
    assert len(retention.rule_of(code).words) <= ArchivePart.dropped_rule.type.length
