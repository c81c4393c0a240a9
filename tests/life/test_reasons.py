"""Exemptions as people send them: a reason is never dropped, and a refusal names its cause."""

from __future__ import annotations

from typing import Any

import pytest

from einvoice.documents.reading import invoice_in
from einvoice.documents.ubl.write import document_xml
from tests.life.dry import Sent, a_body, a_line, sent

Exemption = dict[str, str]


def of(*lines: dict[str, Any], **invoice: Any) -> Sent:
    net = sum(line["quantity"] * line["unitPrice"] for line in lines)
    return sent(a_body(*lines, totals=(net, 0, net), **invoice))


def free(exemption: Exemption | None = None, **more: Any) -> dict[str, Any]:
    """A line of 100 without VAT."""
    given = {} if exemption is None else {"taxExemption": exemption}
    return a_line(1, 100, 0, **given, **more)


CODE, WORDS = "reasonCode", "reason"
# By case: the exemption, and the category, code and words that the document has.
REASONS: dict[str, tuple[Exemption, tuple[str, str | None, str | None]]] = {
    "reverse charge": ({CODE: "VATEX-EU-AE"}, ("AE", "VATEX-EU-AE", None)),
    "reverse charge of France": ({CODE: "VATEX-FR-AE"}, ("AE", "VATEX-FR-AE", None)),
    "intra-community supply": ({CODE: "VATEX-EU-IC"}, ("K", "VATEX-EU-IC", None)),
    "export": ({CODE: "VATEX-EU-G"}, ("G", "VATEX-EU-G", None)),
    "outside the scope": ({CODE: "VATEX-EU-O"}, ("O", "VATEX-EU-O", None)),
    "a doctor": ({CODE: "VATEX-EU-132-1C"}, ("E", "VATEX-EU-132-1C", None)),
    "a small business": ({CODE: "VATEX-FR-FRANCHISE"}, ("E", "VATEX-FR-FRANCHISE", None)),
    "by words": ({WORDS: "Vrijgesteld art. 44 WBTW"}, ("E", None, "Vrijgesteld art. 44 WBTW")),
    "by code and words": (
        {CODE: "VATEX-EU-AE", WORDS: "Btw verlegd"}, ("AE", "VATEX-EU-AE", "Btw verlegd"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("place", ["line", "invoice"])
def test_a_reason_without_a_category_decides_it(place):
    failed = []
    for name, (exemption, expected) in REASONS.items():
        found = of(free(exemption)) if place == "line" else of(free(), taxExemption=exemption)
        if found.vat != [expected] or "tax-category-from-reason" not in found.codes:
            failed.append((name, found.vat, found.codes))

    assert failed == []


def test_no_reason_and_no_category_is_zero_rated_as_before():
    assert of(free()).vat == [("Z", None, None)]
    assert of(free({CODE: "", WORDS: ""})).vat == [("Z", None, None)]


def test_a_category_that_is_sent_counts():
    """The reason stands as it was sent; rules say whether it fits."""
    assert of(free({CODE: "VATEX-EU-AE"}, taxCategory="E")).vat == [("E", "VATEX-EU-AE", None)]


JOINED: dict[str, tuple[list[Exemption | None], Exemption, tuple[str | None, str | None]]] = {
    "two articles": ([{WORDS: "Art. 44"}, {WORDS: "Art. 39"}], {}, (None, "Art. 44; Art. 39")),
    "one and the invoice's": ([{WORDS: "Art. 44"}, None], {WORDS: "Art. 39"},
                              (None, "Art. 44; Art. 39")),
    "the same twice": ([{WORDS: "Art. 44"}, {WORDS: "Art. 44"}], {}, (None, "Art. 44")),
    "words and their code": (
        [{CODE: "VATEX-EU-132", WORDS: "Art. 44"}, {WORDS: "Art. 39"}], {},
        ("VATEX-EU-132", "Art. 44; Art. 39"),
    ),
    "two codes": (
        [{CODE: "VATEX-EU-132", WORDS: "Art. 44"}, {CODE: "VATEX-EU-151"}], {},
        (None, "Art. 44 (VATEX-EU-132); VATEX-EU-151"),
    ),
}  # fmt: skip


def test_several_reasons_of_a_category_are_joined():
    failed = []
    for name, (lines, general, expected) in JOINED.items():
        found = of(*map(free, lines), taxExemption=general)
        told = "exemption-reasons-joined" in found.codes
        if found.vat != [("E", *expected)] or told is (name == "the same twice"):
            failed.append((name, found.vat, found.codes))

    assert failed == []


def test_joined_reasons_are_those_that_the_document_says():
    invoice = of(free({WORDS: "Art. 44"}), free({WORDS: "Art. 39"})).invoice
    [tax] = invoice_in(document_xml(invoice)).taxes

    assert tax.exemption_reason == "Art. 44; Art. 39"


@pytest.mark.parametrize(
    ("line", "general", "field"),
    [
        (a_line(1, 100, 21, taxExemption={WORDS: "Art. 44"}), {}, "lineItems[0].taxExemption"),
        (free({WORDS: "Art. 44"}, taxCategory="Z"), {}, "lineItems[0].taxExemption"),
        (a_line(1, 100, 21), {CODE: "VATEX-EU-AE"}, "taxExemption"),
        (free({WORDS: "Art. 44"}), {WORDS: "Art. 39"}, "taxExemption"),
    ],
)
def test_a_reason_that_has_no_place_is_told(line, general, field):
    tax = line["taxRate"]
    found = sent(a_body(line, totals=(100, tax, 100 + tax), taxExemption=general))

    assert found.warning("exemption-reason-unused").field == f"invoice.{field}"


def test_an_exemption_of_free_lines_beside_taxed_ones_is_used():
    body = a_body(free(), a_line(1, 100, 21), totals=(200, 21, 221), taxExemption={WORDS: "Art. 1"})
    found = sent(body)

    assert found.vat == [("E", None, "Art. 1"), ("S", None, None)]
    assert "exemption-reason-unused" not in found.codes


@pytest.mark.parametrize("kind", ["allowances", "charges"])
def test_an_allowance_of_exempt_lines_has_their_category(kind):
    extra = {"amount": 10, "reason": "Discount"}
    net = 110 if kind == "charges" else 90
    for given in ({}, {"taxRate": 0}):
        body = a_body(free(), totals=(net, 0, net), taxExemption={CODE: "VATEX-EU-AE"},
                      **{kind: [extra | given]})  # fmt: skip
        assert sent(body).vat == [("AE", "VATEX-EU-AE", None)], given


def test_lines_outside_the_scope_beside_taxed_ones_are_refused_for_that_first():
    """A deposit outside the scope of VAT (O); the supplier's VAT number is not what is missing."""
    lines = (a_line(1, 100, 21), free(taxCategory="O"))
    found = sent(a_body(*lines, totals=(200, 21, 221)))

    assert found.report.errors[0].rule_id == "BR-O-11"
    assert "separate invoice" in found.report.errors[0].suggestion
    assert "vat-number-dropped" not in found.codes
    assert not any(error.rule_id.startswith("BR-S-") for error in found.report.errors)


def test_an_invoice_outside_the_scope_has_no_vat_numbers_and_is_told_so():
    found = of(free(taxCategory="O"))

    assert found.invoice.seller.vat_id is None
    assert "vat-number-dropped" in found.codes
    assert not found.report.errors
