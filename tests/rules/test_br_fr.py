"""BR-FR: the official findings for published and damaged French invoices, and joint invoices.

The damaged examples were judged by release 1.4.0.01. Of those that 1.4.0.04 judges otherwise,
`fr-newer-sheet-differences.jsonl` has what is new.
"""

from __future__ import annotations

import json
from datetime import date
from functools import partial

import pytest
from lxml import etree

from einvoice.rules import br_fr
from einvoice.rules.scenarios import Declared
from einvoice.validation import Light, judge
from tests.rules import official
from tests.rules.official import Fired, Official

DAY = date(2026, 11, 24)
RENAMED = {"BR-FR-01_BT-EXT-FR-FE-136-2": "BR-FR-01_EXT-FR-FE-136-2"}
SETS = tuple(
    Official("br-fr", "fr", ("verdicts-ubl.csv", "verdicts-cii.csv"), mutants)
    for mutants in ("mutants-fr-ubl", "mutants-fr-ubl-directed")
)
every_set = pytest.mark.parametrize("of", SETS, ids=lambda of: of.mutants)
judged = partial(judge, on=DAY, schema=False, asked="br-fr")


def found(document: bytes) -> Fired:
    verdict = judged(document).verdict
    assert verdict is not None
    return {(each.id, each.flag.value) for each in verdict.findings}


def judged_anew(of: Official) -> dict[str, set[str]]:
    """Of each damaged example that the newer release judges otherwise: what only that finds."""
    lines = (of.folder / "fr-newer-sheet-differences.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["set"] == of.mutants]
    return {row["file"]: set(row["br_fr_new_only"]) for row in rows}


def expected(of: Official) -> dict[str, tuple[bytes, Fired]]:
    """The damaged examples with a verdict: content, and findings of the newer release."""
    new = judged_anew(of)
    return {
        row["file"]: (
            content,
            {(RENAMED.get(rule, rule), flag) for rule, flag in official.fired_in(row)}
            | {(rule, "fatal") for rule in new.get(row["file"], ())},
        )
        for row, content in of.damaged()
        if not row.get("no_verdict_from")
    }


@official.needed
def test_published_examples_have_the_official_findings():
    wrong = {name: found(content) ^ fired for name, content, fired in SETS[0].samples()}

    assert {name: rules for name, rules in wrong.items() if rules} == {}


@official.needed
@every_set
def test_damaged_examples_have_the_official_findings(of):
    wrong = {name: found(content) ^ fired for name, (content, fired) in expected(of).items()}

    assert {name: rules for name, rules in wrong.items() if rules} == {}


@official.needed
@every_set
def test_an_example_that_stops_the_official_rules_is_never_green(of):
    green = [
        row["file"]
        for row, content in of.damaged()
        if row.get("no_verdict_from") and judged(content).light is not Light.RED
    ]

    assert green == []


@pytest.mark.parametrize(
    ("specification", "process", "is_french"),
    [
        ("urn:cen.eu:en16931:2017", "S1", True),
        ("urn:cen.eu:en16931:2017", "M9", True),
        ("urn:cen.eu:en16931:2017", "S7 and more", False),
        ("urn:cen.eu:en16931:2017", "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0", False),
        ("urn:cen.eu:en16931:2017", None, False),
        ("urn:cen.eu:en16931:2017#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr", "S1", False),
    ],
)
def test_a_french_process_of_en_16931_alone_is_judged_by_br_fr(specification, process, is_french):
    assert br_fr.is_french(Declared("Invoice", specification, process)) is is_french


CAC = "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
CBC = "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"


def joint(*lines: tuple[str, str, str, str, str], process: str = "S8", kind: str = "380") -> bytes:
    """A joint invoice of lines (kind, parent, seller, number, net): what its own rules read."""
    return f"""<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
 xmlns:cac="{CAC}" xmlns:cbc="{CBC}"><cbc:ProfileID>{process}</cbc:ProfileID><cbc:ID>F1</cbc:ID>
 <cbc:InvoiceTypeCode>{kind}</cbc:InvoiceTypeCode>
 <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
 {"".join(line(str(number), *each) for number, each in enumerate(lines, 1))}</Invoice>""".encode()


def line(id: str, kind: str, parent: str, seller: str, number: str, net: str) -> str:  # noqa: A002
    above = (
        parent and f"<cac:BillingReferenceLine><cbc:ID>{parent}</cbc:ID></cac:BillingReferenceLine>"
    )
    return f"""<cac:InvoiceLine><cbc:ID>{id}</cbc:ID>
 <cbc:LineExtensionAmount currencyID="EUR">{net}</cbc:LineExtensionAmount>
 <cac:BillingReference><cac:InvoiceDocumentReference><cbc:ID>F1</cbc:ID>
 <cbc:DocumentStatusCode>{kind}</cbc:DocumentStatusCode></cac:InvoiceDocumentReference>{above}
 </cac:BillingReference>
 <cac:DocumentReference><cbc:ID schemeID="AFL">{number}</cbc:ID>
 <cbc:DocumentTypeCode>130</cbc:DocumentTypeCode></cac:DocumentReference>
 <cac:Item><cac:ManufacturerParty><cac:PartyLegalEntity><cbc:CompanyID>{seller}</cbc:CompanyID>
 </cac:PartyLegalEntity></cac:ManufacturerParty></cac:Item></cac:InvoiceLine>"""


GROUP, OTHER = ("GROUP", "", "A", "H1", "10.00"), ("GROUP", "", "B", "H2", "5.00")
PART, PART_OF_OTHER = ("DETAIL", "1", "A", "H1", "10.00"), ("DETAIL", "2", "B", "H2", "5.00")
TWO = (GROUP, OTHER, PART, PART_OF_OTHER)


@pytest.mark.parametrize(
    ("rule", "holds", "fires"),
    [
        ("BR-FR-MV-02_EXT-FR-FE-163", joint(*TWO), joint(PART)),
        ("BR-FR-BD-02_EXT-FR-FE-163", joint(*TWO, process="S9"), joint(GROUP, process="S9")),
        ("BR-FR-MV-05_EXT-FR-FE-BG-12", joint(GROUP, ("DETAIL", "1", "A", "H1", "9.99")),
         joint(GROUP, ("DETAIL", "1", "A", "H1", "9.98"))),
        ("BR-FR-MV-06_EXT-FR-FE-167", joint(GROUP, PART),
         joint(GROUP, ("DETAIL", "1", "B", "H1", "10.00"))),
        ("BR-FR-MV-07_BT-128", joint(GROUP, PART),
         joint(GROUP, ("DETAIL", "1", "A", "H2", "10.00"))),
        ("BR-FR-MV-12_BT-128", joint(GROUP, OTHER), joint(GROUP, ("GROUP", "", "B", "H1", "5.00"))),
        ("BR-FR-MV-13_BT-3", joint(GROUP), joint(GROUP, kind="389")),
        ("BR-FR-MV-BD_BT-3", joint(GROUP, kind="389", process="S9"), joint(GROUP, process="S9")),
        ("BR-FR-MV-13_BT-3", joint(GROUP, kind="389", process="S1"), joint(GROUP, kind="389")),
    ],
)  # fmt: skip
def test_a_joint_invoice_agrees_with_the_invoices_that_it_holds(rule, holds, fires):
    assert (rule in ids(holds), rule in ids(fires)) == (False, True)


def ids(document: bytes) -> set[str]:
    return {rule for rule, _ in found(etree.tostring(etree.fromstring(document)))}
