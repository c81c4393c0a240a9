"""The table of countries: complete, and in the order in which findings are reported."""

from __future__ import annotations

import pkgutil
import re

import pytest

from einvoice.rules import PACKS, Layer, Syntax, national
from einvoice.rules.national.registry import COUNTRIES, national_chapters

NAMES = {
    "DE": "germany", "DK": "denmark", "GR": "greece", "IS": "iceland", "IT": "italy",
    "NL": "netherlands", "NO": "norway", "SE": "sweden", "SK": "slovakia",
}  # fmt: skip


NATIONAL_ID = re.compile(r"[A-Z]{2}-[RS]-")


def evaluated(layer):
    """Of each pattern of a layer, in the order of evaluation: the country, or "Peppol"."""
    owners = {}
    for rule in PACKS[0].book(layer).rules:
        owner = rule.id[:2] if NATIONAL_ID.match(rule.id) else "Peppol"
        owners[rule.context.pattern.number] = owner
    return [owners[number] for number in sorted(owners)]


def test_every_package_of_a_country_is_in_the_table():
    packages = {module.name for module in pkgutil.iter_modules(national.__path__) if module.ispkg}

    assert {NAMES[country.code] for country in COUNTRIES} == packages


@pytest.mark.parametrize("country", COUNTRIES, ids=lambda country: country.code)
def test_the_rules_of_a_country_begin_with_its_code(country):
    chapters = [chapter for chapter in (country.ubl, country.cii) if chapter]

    assert {rule.id[:3] for chapter in chapters for rule in chapter.rules} == {f"{country.code}-"}


@pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])
@pytest.mark.parametrize(("since", "first"), [("", 0), ("3.0.22", 1)])
def test_every_national_rule_is_in_the_book_of_its_layer(syntax, since, first):
    """From the release on that brings it, and in none before."""
    layer = Layer.PEPPOL_UBL if syntax is Syntax.UBL else Layer.PEPPOL_CII
    rules = {rule for chapter in national_chapters(syntax, since) for rule in chapter.rules}

    assert {rule.layer for rule in rules} <= {layer}
    assert rules <= set(PACKS[first].book(layer).rules)
    assert not any(rules & set(pack.book(layer).rules) for pack in PACKS[:first])


@pytest.mark.parametrize(
    ("layer", "owners"),
    [
        (Layer.PEPPOL_UBL, "DK DE GR GR IS IT NL NO SE Peppol Peppol Peppol Peppol"),
        (Layer.PEPPOL_CII, "Peppol Peppol DK IT NL NO SE"),
    ],
)
def test_patterns_are_evaluated_in_the_order_that_answers_have_had(layer, owners):
    """Findings on one node are reported in this order, which follows from the order of imports."""
    assert evaluated(layer) == owners.split()
