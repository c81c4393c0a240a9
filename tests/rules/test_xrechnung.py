"""XRechnung: its rules are listed, its scenarios count, and its books are imported when needed."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest
from lxml import etree

from einvoice.rules import XRECHNUNG, Flag, Layer, Syntax
from einvoice.rules.xrechnung.scenarios import CIUS, CVD, EN16931, EXTENSION, SCENARIOS
from einvoice.validation import Light, judge, report_of
from einvoice.validation.locations import ElementIndex
from einvoice.xml import parse
from tests.conformance.ours import DAY
from tests.oracle.sources import ROOT

PACK = XRECHNUNG.on(DAY)
UBL = (ROOT / "tests/samples/xrechnung_ubl.xml").read_text()
CII = (ROOT / "tests/samples/xrechnung_cii.xml").read_text()
BOTH = pytest.mark.parametrize("text", [UBL, CII], ids=["UBL", "CII"])


def judged(text: str, **options):
    return judge(text.encode(), on=DAY, **options)


def ids(text: str, **options) -> list[str]:
    verdict = judged(text, **options).verdict
    return sorted(found.id for found in verdict.findings)


@BOTH
def test_the_samples_are_green_and_judged_as_xrechnung(text):
    judgement = judged(text)

    assert judgement.light is Light.GREEN
    assert judgement.pack.id == "xrechnung-3.0.2-schematron-2.6.0"
    assert not judgement.verdict.findings


@pytest.mark.parametrize(
    ("layer", "flags"),
    [
        (Layer.XRECHNUNG_UBL, {Flag.FATAL: 66, Flag.WARNING: 10, Flag.INFORMATION: 1}),
        (Layer.XRECHNUNG_CII, {Flag.FATAL: 61, Flag.WARNING: 12, Flag.INFORMATION: 1}),
    ],
)
def test_each_layer_has_all_rules_of_the_release(layer, flags):
    """77 in UBL, 74 in CII."""
    assert Counter(rule.flag for rule in PACK.book(layer).rules) == flags


def test_the_books_are_imported_when_the_first_xrechnung_is_judged():
    """A service without XRechnungen pays neither time nor memory for them."""
    script = (
        "import sys, einvoice.validation as v, datetime, pathlib;"
        "loaded = lambda: any(m.startswith('einvoice.rules.xrechnung.ubl') for m in sys.modules);"
        "judge = lambda name: v.judge(pathlib.Path('tests/samples', name).read_bytes(),"
        " on=datetime.date(2026, 11, 21));"
        "judge('good_ubl.xml'); before = loaded();"
        "judge('xrechnung_ubl.xml'); print(before, loaded())"
    )
    printed = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout

    assert printed.split() == ["False", "True"]


@BOTH
@pytest.mark.parametrize(
    "written", [f" {CIUS}", CIUS.upper(), f"{CIUS}.1", f"{CIUS}#compliant#urn:other"]
)
def test_an_identifier_that_kosit_does_not_know_is_refused(text, written):
    """Blanks and case count; the finding names the identifier and leads to it."""
    judgement = judged(text.replace(CIUS, written))
    finding = report_of(judgement).findings[0]
    named = ElementIndex(judgement.root).at(finding.location)

    assert judgement.pack.id == "xrechnung-3.0.2-schematron-2.6.0"
    assert judgement.light is Light.RED
    assert finding.rule_id == "NO-SCENARIO"
    assert written.strip() in finding.explanation
    assert named.text == written


def test_a_credit_note_of_the_extension_fits_no_scenario():
    roots = {root for root, identifier in SCENARIOS if identifier == EXTENSION}

    assert {etree.QName(root).localname for root in roots} == {"Invoice", "CrossIndustryInvoice"}


def test_a_comment_in_the_identifier_matters_in_cii_only():
    """KoSIT compares the value of a UBL invoice, but the text nodes of a CII document."""
    split = CIUS.replace("xrechnung", "<!-- -->xrechnung")

    assert judged(UBL.replace(CIUS, split)).light is Light.GREEN
    assert judged(CII.replace(CIUS, split), asked="xrechnung").light is Light.RED


@pytest.mark.parametrize(
    ("identifier", "level"),
    [(CIUS, Flag.WARNING), (EXTENSION, Flag.INFORMATION), (CVD, Flag.WARNING)],
)
def test_a_scenario_gives_a_rule_another_level(identifier, level):
    """BR-CL-21 is fatal in EN 16931, a warning in XRechnung, replaced in the Extension."""
    bad = '<cac:StandardItemIdentification><cbc:ID schemeID="9999">1</cbc:ID>'
    text = UBL.replace(CIUS, identifier).replace(
        "<cac:ClassifiedTaxCategory>",
        f"{bad}</cac:StandardItemIdentification><cac:ClassifiedTaxCategory>",
        1,
    )
    found = {one.id: one for one in judged(text).verdict.findings}["BR-CL-21"]

    assert (found.flag, found.severity) == (Flag.FATAL, level)


def test_information_leaves_a_document_green():
    dated = "<cbc:ActualDeliveryDate>2026-11-02</cbc:ActualDeliveryDate>"
    text = UBL.replace(f"<cac:Delivery>{dated}</cac:Delivery>", "")
    judgement = judged(text)

    assert [finding.severity for finding in report_of(judgement).findings] == ["information"]
    assert judgement.light is Light.GREEN


@BOTH
def test_of_a_plain_invoice_only_the_layer_of_en16931_counts(text):
    """KoSIT's scenarios EN16931; the rules of XRechnung are not listed."""
    text = text.replace(CIUS, EN16931).replace("04011000-12345-03", " ")
    layers = {one.layer for one in judged(text, asked="xrechnung").verdict.findings}

    assert layers <= {Layer.CEN_UBL, Layer.CEN_CII}


@pytest.mark.parametrize(("prefix", "broken"), [("ram", False), ("x", True)])
def test_the_delivery_group_may_be_empty_under_its_usual_prefix(prefix, broken):
    """R008 in CII compares the name as it is written."""
    name = "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
    root = parse(CII.encode())
    group = root.find(f".//{{{name}}}ApplicableHeaderTradeDelivery")
    empty = etree.SubElement(
        group.getparent(), f"{{{name}}}ApplicableHeaderTradeDelivery", nsmap={prefix: name}
    )
    group.getparent().replace(group, empty)
    text = etree.tostring(root, encoding="unicode")
    if prefix == "x":
        text = text.replace(
            "<ram:ApplicableHeaderTradeDelivery",
            f'<x:ApplicableHeaderTradeDelivery xmlns:x="{name}"',
        )

    assert ("PEPPOL-EN16931-R008" in ids(text)) is broken


@pytest.mark.parametrize(("currency", "fired"), [("EUR", True), ("HUF", False)])
@BOTH
def test_amounts_in_forints_have_a_larger_tolerance(text, currency, fired):
    """R120: a line of 100.30 that comes to 100.00."""
    text = text.replace("EUR", currency)
    text = text.replace(
        'LineExtensionAmount currencyID="HUF">100.00', 'LineExtensionAmount currencyID="HUF">100.30'
    )
    text = text.replace(
        'LineExtensionAmount currencyID="EUR">100.00', 'LineExtensionAmount currencyID="EUR">100.30'
    )
    text = text.replace("<ram:LineTotalAmount>100.00", "<ram:LineTotalAmount>100.30")

    assert ("PEPPOL-EN16931-R120" in ids(text)) is fired


def test_the_base_quantity_of_the_gross_price_counts_in_cii():
    """R120: a price for ten pieces makes the line a tenth, also in lines that repeat others."""
    gross = (
        "<ram:GrossPriceProductTradePrice><ram:ChargeAmount>50.00</ram:ChargeAmount>"
        '<ram:BasisQuantity unitCode="C62">10</ram:BasisQuantity>'
        "</ram:GrossPriceProductTradePrice><ram:NetPriceProductTradePrice>"
    )

    assert ids(CII.replace("<ram:NetPriceProductTradePrice>", gross)) == ["PEPPOL-EN16931-R120"]


@pytest.mark.parametrize("syntax", [Syntax.UBL, Syntax.CII])
def test_german_rules_hold_whatever_the_countries(syntax):
    """A seller in Austria needs a contact too."""
    text = UBL if syntax is Syntax.UBL else CII
    start, end = (
        ("<cac:Contact>", "</cac:Contact>")
        if syntax is Syntax.UBL
        else ("<ram:DefinedTradeContact>", "</ram:DefinedTradeContact>")
    )
    before, _, rest = text.replace(">DE<", ">AT<").partition(start)

    assert ids(before + rest.partition(end)[2]) == ["BR-DE-2"]


def test_a_telephone_number_in_a_child_counts():
    """XPath takes the whole text of an element, if the schema does not refuse the document."""
    number = "<ram:CompleteNumber>+49 421 123456</ram:CompleteNumber>"
    inside = "<ram:CompleteNumber><ram:Name>+49 421 123456</ram:Name></ram:CompleteNumber>"

    assert "BR-DE-6" not in ids(CII.replace(number, inside), schema=False)
