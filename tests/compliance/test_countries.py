"""The facts are complete, dated and sourced; a mistake in a file fails here, not at a caller."""

from __future__ import annotations

import re
from datetime import date
from importlib import resources

import pytest

from einvoice.compliance import countries
from einvoice.compliance.countries import Confidence, Status

ALL = countries.known()
MANDATES = [mandate for country in ALL for mandate in country.mandates]
FILES = sorted(f.name for f in resources.files("einvoice.compliance").joinpath("data").iterdir())


def test_there_is_one_file_for_each_country():
    assert [f"{country.code.lower()}.toml" for country in ALL] == FILES
    assert len(ALL) >= 64


@pytest.mark.parametrize("country", ALL, ids=lambda country: country.code)
def test_every_fact_has_a_source_and_a_day(country):
    """An answer without them would be hearsay."""
    assert re.fullmatch(r"[A-Z]{2}", country.code)
    assert country.name
    assert country.source
    assert country.url is None or re.match(r"https?://", country.url)
    assert country.url or country.confidence is not Confidence.HIGH
    assert date(2026, 1, 1) <= country.checked <= date(2027, 12, 31)
    assert {mandate.type for mandate in country.mandates} >= {"B2G", "B2B"}


def test_ids_are_permanent_and_unique():
    ids = [mandate.id for mandate in MANDATES]

    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Z]{2}-B2[BGC](-[A-Z0-9-]+)?", i) for i in ids)


@pytest.mark.parametrize("mandate", MANDATES, ids=lambda mandate: mandate.id)
def test_a_mandate_is_told_whole(mandate):
    """What is in force has a network; what is none has no date unless it is voluntary."""
    demanded = mandate.status is not Status.NONE
    assert (mandate.network is not None) == (demanded or mandate.voluntary)
    assert demanded or mandate.voluntary or mandate.since is None
    assert not (demanded and mandate.voluntary)
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
def test_well_known_mandates_are_as_known(code, kind, status, since, network):
    (mandate,) = [m for m in countries.find(code).mandates if m.type == kind]

    assert (mandate.status, mandate.since, mandate.network) == (status, since, network)


def test_a_country_nobody_wrote_about_is_not_known():
    assert countries.find("XX") is None
