"""The facts of all countries are complete, dated and have a source."""

from __future__ import annotations

import re
from datetime import date
from importlib import resources
from pathlib import Path

import pytest

from einvoice.compliance import countries
from einvoice.compliance.countries import Confidence, Status
from tests.tables import each_row

ALL = countries.known()
MANDATES = [mandate for country in ALL for mandate in country.mandates]
FILES = sorted(f.name for f in resources.files("einvoice.compliance").joinpath("data").iterdir())


FIVE_CORNERS = Path(__file__).parents[2] / "docs" / "peppol-five-corners.md"


@each_row("code", ["SK", "AE", "OM"])
def test_the_page_of_five_corners_has_the_dates_and_schemes_of_the_list(code):
    """Each day of its row is in the list of countries, and each first day is in its row."""
    country = countries.find(code)
    rows = re.findall(rf"^\| {country.name} \| (.*) \|$", FIVE_CORNERS.read_text(), re.MULTILINE)
    days = set(re.findall(r"20\d\d-\d\d(?:-\d\d)?", rows[0]))
    listed = " ".join(f"{each.since} {each.notes}" for each in country.mandates)

    assert all(day in listed for day in days), (days, listed)
    assert all(any(str(each.since).startswith(day) for day in days) for each in country.mandates), (
        days
    )
    assert {f"`{scheme}`" for each in country.mandates for scheme in each.schemes} == {
        cell for row in rows for cell in re.findall(r"`\d{4}`", row)
    }


def test_each_country_has_one_file():
    assert [f"{country.code.lower()}.toml" for country in ALL] == FILES
    assert len(ALL) >= 64


@each_row("country", ALL, ids=lambda country: country.code)
def test_every_country_has_a_source_and_a_date(country):
    """A caller must be able to check the facts."""
    assert re.fullmatch(r"[A-Z]{2}", country.code)
    assert country.name
    assert country.source
    assert country.url is None or re.match(r"https?://", country.url)
    assert country.url or country.confidence is not Confidence.HIGH
    assert date(2026, 1, 1) <= country.checked <= date(2027, 12, 31)
    assert {mandate.type for mandate in country.mandates} >= {"B2G", "B2B"}


def test_ids_are_unique_and_well_formed():
    ids = [mandate.id for mandate in MANDATES]

    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Z]{2}-B2[BGC](-[A-Z0-9-]+)?", i) for i in ids)


@each_row("mandate", MANDATES, ids=lambda mandate: mandate.id)
def test_a_mandate_is_complete(mandate):
    """A mandate has a network; without one there is no date, unless it is voluntary."""
    required = mandate.status is not Status.NONE
    assert (mandate.network is not None) == (required or mandate.voluntary)
    assert required or mandate.voluntary or mandate.since is None
    assert not (required and mandate.voluntary)
    assert all(re.fullmatch(r"\d{4}", scheme) for scheme in mandate.schemes)
    assert all(form and form == form.strip() for form in mandate.formats)


@pytest.mark.parametrize(
    ("code", "kind", "status", "since", "network"),
    [
        ("BE", "B2B", "in-force", date(2026, 1, 1), "peppol"),
        ("DE", "B2B", "phased", date(2025, 1, 1), "peppol"),
        ("FR", "B2B", "phased", date(2026, 9, 1), "fr-ctc"),
        ("IT", "B2B", "in-force", date(2019, 1, 1), "sdi"),
        ("PL", "B2B", "in-force", date(2026, 2, 1), "ksef"),
        ("RO", "B2B", "in-force", date(2024, 7, 1), "ro-efactura"),
        ("SA", "B2B", "phased", date(2023, 1, 1), "zatca"),
        ("NL", "B2B", "none", None, None),
        ("NL", "B2G", "in-force", date(2017, 1, 1), "peppol"),
        ("AE", "B2B", "announced", date(2027, 1, 1), "peppol"),
        ("LU", "B2B", "announced", None, "peppol"),
    ],
)
def test_known_mandates_are_listed(code, kind, status, since, network):
    (mandate,) = [m for m in countries.find(code).mandates if m.type == kind]

    assert (mandate.status, mandate.since, mandate.network) == (status, since, network)


def test_find_returns_none_for_a_country_without_facts():
    assert countries.find("XX") is None
