"""Peppol BIS Self-Billing: which documents it judges, and where it differs from BIS Billing."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from lxml import etree

from einvoice.domain.identifiers import (
    BIS_BILLING_CUSTOMIZATION,
    BIS_BILLING_PROFILE,
    SELF_BILLING_CUSTOMIZATION,
    SELF_BILLING_PROFILE,
)
from einvoice.rules import SELF_BILLING, Syntax, built_in
from einvoice.validation import judge

GOOD = (Path(__file__).parents[1] / "samples" / "good_ubl.xml").read_text()
DAY = date(2026, 11, 22)
NEXT = date(2027, 2, 24)


def self_billed(**changes: str) -> str:
    """The sample as a self-billed invoice; keywords replace its texts by name."""
    texts = {
        BIS_BILLING_CUSTOMIZATION: changes.get("specification", SELF_BILLING_CUSTOMIZATION),
        BIS_BILLING_PROFILE: changes.get("process", SELF_BILLING_PROFILE),
        "InvoiceTypeCode>380<": f"InvoiceTypeCode>{changes.get('type_code', '389')}<",
    }
    document = GOOD
    for old, new in texts.items():
        document = document.replace(old, new)
    return document


def fired(document: str, on: date = DAY, asked: str | None = None):
    """Which pack judged, and the ids of its layer that it reports."""
    found = judge(document.encode(), on=on, rule_sets=built_in(), asked=asked)
    ids = [each.id for each in found.verdict.findings if each.layer == "SELFBILLING-UBL"]
    return found.choice.rule_set.on(on).id, ids


@pytest.mark.parametrize("suffix", ["", "#conformant#urn:example:more"])
@pytest.mark.parametrize(("day", "pack"), [(DAY, "selfbilling-3.0.2"), (NEXT, "selfbilling-3.0.3")])
def test_the_identifier_of_self_billing_selects_its_rules(suffix, day, pack):
    """Alone, or as the beginning of a longer one; the release is that of the day."""
    document = self_billed(specification=SELF_BILLING_CUSTOMIZATION + suffix)

    assert fired(document, day) == (pack, [])


def test_a_document_of_bis_billing_is_not_judged_by_them():
    assert fired(GOOD) == ("peppol-bis-billing-3.0.21", [])


def test_there_are_no_national_rules():
    """Seller and buyer may be national; 3.0.2 repeats 57 rules and has five of its own."""
    [book] = [each for each in SELF_BILLING.on(DAY).books if each.layer == "SELFBILLING-UBL"]

    assert {each.id.partition("-")[0] for each in book.rules} == {"PEPPOL"}
    assert len(book.rules) == 62


@pytest.mark.parametrize(
    ("changes", "broken"),
    [
        ({"type_code": "389"}, []),
        ({"type_code": "527"}, []),
        ({"type_code": "380"}, ["PEPPOL-EN16931-P0100"]),
        ({"process": "urn:peppol:france:billing:regulated"}, []),
        ({"process": "urn:peppol:bis:billing_with_response", "type_code": "380"}, []),
        ({"process": BIS_BILLING_PROFILE}, ["PEPPOL-EN16931-R007"]),
        ({"process": BIS_BILLING_PROFILE, "type_code": "380"}, ["PEPPOL-EN16931-R007"]),
    ],
)
def test_processes_and_types_are_those_of_self_billing(changes, broken):
    """The types are asked for in three of the four processes."""
    assert fired(self_billed(**changes))[1] == broken


@pytest.mark.parametrize(
    ("specification", "broken"),
    [
        (BIS_BILLING_CUSTOMIZATION, ["PEPPOL-EN16931-R004"]),
        (f"{SELF_BILLING_CUSTOMIZATION}::2.1", ["PEPPOL-EN16931-R004"]),
        (SELF_BILLING_CUSTOMIZATION, []),
    ],
)
def test_the_specification_is_that_of_self_billing_without_colons(specification, broken):
    document = self_billed(specification=specification)

    assert fired(document, asked="selfbilling")[1] == broken


@pytest.mark.parametrize(
    ("path", "day", "broken"),
    [
        ("cac:TaxSubtotal/cbc:TaxAmount", DAY, []),
        ("cac:TaxSubtotal/cbc:TaxAmount", NEXT, ["PEPPOL-EN16931-R051"]),
        ("cac:TaxSubtotal/cbc:TaxableAmount", DAY, ["PEPPOL-EN16931-R051"]),
    ],
)
def test_the_currency_of_the_vat_of_a_rate_is_asked_for_from_3_0_3_on(path, day, broken):
    root = etree.fromstring(self_billed().encode())
    found = root.find(f".//{path}", {p: n for n, p in Syntax.UBL.prefixes.items()})
    found.set("currencyID", "SEK")

    assert fired(etree.tostring(root).decode(), day)[1] == broken
