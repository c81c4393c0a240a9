"""Factur-X: which profile judges a document, its structure, and what is not judged."""

from __future__ import annotations

from datetime import date

import pytest

from einvoice.rules import built_in
from einvoice.rules.factur_x import PROFILES, Profile
from einvoice.rules.factur_x.structure import rows
from einvoice.validation import Judgement, Light, judge, report_of
from tests.rules.changes import (
    Change,
    Element,
    add,
    both,
    changed,
    drop,
    found,
    good,
    put,
    put_all,
    twice,
)

DAY = date(2026, 11, 22)
GUIDELINE = "GuidelineSpecifiedDocumentContextParameter/ID"
EN16931 = "urn:cen.eu:en16931:2017"
BASIC = f"{EN16931}#compliant#urn:factur-x.eu:1p0:basic"
BASIC_WL, MINIMUM = "urn:factur-x.eu:1p0:basicwl", "urn:factur-x.eu:1p0:minimum"
EXTENDED = f"{EN16931}#conformant#urn:factur-x.eu:1p0:extended"
LAYERS = {
    EN16931: "FACTURX-EN16931", BASIC: "FACTURX-BASIC", BASIC_WL: "FACTURX-BASIC-WL",
    MINIMUM: "FACTURX-MINIMUM", EXTENDED: "FACTURX-EXTENDED",
}  # fmt: skip


def judged(specification: str, *changes, asked: str | None = None, schema=False) -> Judgement:
    content = changed(good("good_cii.xml"), put(GUIDELINE, specification), *changes)
    return judge(content, on=DAY, schema=schema, asked=asked)


def broken(specification: str, *changes) -> set[str]:
    verdict = judged(specification, *changes, asked="factur-x").verdict
    assert verdict is not None
    return {each.id for each in verdict.findings}


@pytest.mark.parametrize(
    ("specification", "rule_set", "unjudged"),
    [
        (EN16931, "en16931", None),
        (BASIC, "factur-x", None),
        (f"{EN16931}#compliant#urn:zugferd.de:2p0:basic", "factur-x", None),
        (EXTENDED, "factur-x", None),
        ("urn:factur-x.eu:1p0:basicwl", "factur-x", "profile"),
        ("urn:zugferd.de:2p0:minimum", "factur-x", "profile"),
        (f"{EN16931}#compliant#urn:example:cius", "en16931", "specification"),
        (f"{EN16931}#conformant#urn:example:extension", "en16931", "extension"),
        ("urn:example:other", "peppol-bis-billing", None),
    ],
)
def test_the_specification_chooses_the_rules_and_says_what_is_not_judged(
    specification, rule_set, unjudged
):
    found = judged(specification)

    assert (found.choice.rule_set.name, found.unjudged) == (rule_set, unjudged)


@pytest.mark.parametrize(
    "specification",
    [f"{EN16931}#compliant#urn:example:cius", f"{EN16931}#conformant#urn:example:extension"],
)
def test_a_correct_document_of_which_not_all_is_judged_is_amber_and_says_so(specification):
    """Never green; never red for a rule that is not its own."""
    found = judged(specification)
    [*_, last] = [each for each in report_of(found).findings if each.rule_id[:3] == "NOT"]

    assert found.light is Light.AMBER
    assert last.rule_id.startswith("NOT-JUDGED-")
    assert "not" in f"{last.message} {last.explanation}"


def test_what_an_extension_breaks_of_en_16931_is_a_warning():
    """An extension may allow it; a CIUS may not."""
    wrong = put("GrandTotalAmount", "1.00")
    cius = judged(f"{EN16931}#compliant#urn:example:cius", wrong)
    extension = judged(f"{EN16931}#conformant#urn:example:extension", wrong)

    assert (cius.light, extension.light) == (Light.RED, Light.AMBER)
    found = {each.rule_id: each.severity for each in report_of(extension).findings}
    assert found["BR-CO-15"] == "warning"


def test_a_rule_set_that_is_asked_for_leaves_nothing_unsaid():
    found = judged(f"{EN16931}#compliant#urn:example:cius", asked="en16931")

    assert (found.unjudged, found.light) == (None, Light.GREEN)


def test_only_the_layer_of_the_profile_is_run():
    for specification, layer in LAYERS.items():
        verdict = judged(specification, drop("SellerTradeParty/Name"), asked="factur-x").verdict

        assert {str(each.layer) for each in verdict.findings} == {layer}


def test_each_profile_has_a_schema_of_its_own():
    """It knows no element that the profile does not use. The sample is one of EN 16931."""
    unknown = add("SellerTradeParty", "<ram:Unknown>SE</ram:Unknown>")
    valid = {
        each for each in LAYERS if not judged(each, asked="factur-x", schema=True).schema
    }  # fmt: skip

    assert valid == {EN16931, EXTENDED}
    assert judged(EXTENDED, unknown, asked="factur-x", schema=True).schema


def test_no_profile_is_green_without_a_rule():
    """Also where the rule set is asked for by name."""
    wrong = put("SellerTradeParty/PostalTradeAddress/CountryID", "")

    for specification in LAYERS:
        assert "BR-09" in broken(specification, wrong), specification


# A change, and the rules of the two profiles that it breaks, or of both.
CHANGES = [
    (drop("SellerTradeParty"), "FX-SCH-A-000027"),
    (twice("BuyerTradeParty"), "FX-SCH-A-000028"),
    (put("IssueDateTime/DateTimeString/@format", "610"), "FX-SCH-A-000554 FX-SCH-A-000491"),
    (put("ExchangedDocument/TypeCode", "9"), "FX-SCH-A-000555 FX-SCH-A-000492"),
    (put_all("InvoiceCurrencyCode", "XXY"), "FX-SCH-A-000595 FX-SCH-A-000514"),
    (put("ExchangedDocument/ID/@schemeID", "x"), "not-used: @schemeID"),
    (put("ExchangedDocument/ID", ""), "PEPPOL-EN16931-R008"),
    (put("GrandTotalAmount", "1.00"), "BR-CO-15"),
]


@pytest.mark.parametrize(("specification", "index"), [(EN16931, 0), (BASIC, -1)])
@pytest.mark.parametrize(("change", "named"), CHANGES)
def test_a_rule_of_the_structure_is_broken_by_its_change_alone(specification, index, change, named):
    rule = named.split(" FX")[index] if " FX" in named else named
    rule = rule if rule.startswith(("FX", "BR", "not", "PEPPOL")) else f"FX{rule}"

    assert rule in broken(specification, change)
    assert rule not in broken(specification)


def test_every_profile_is_in_the_table_and_its_rules_have_words():
    assert set(PROFILES.values()) == set(Profile)
    pack = built_in()["factur-x"].on(DAY)
    assert {row.rule for row in rows() if row.rule} <= {
        rule.id for book in pack.books for rule in book.rules
    }


ROW = "ApplicableHeaderTradeSettlement/ApplicableTradeTax"
ITEM = "IncludedSupplyChainTradeLineItem"
LINE = f"{ITEM}/AssociatedDocumentLineDocument"


def add_to_line(line: int, xml: str) -> Change:
    return lambda root: add(".", xml)(found(root, LINE)[line])


def status(line: int, text: str) -> Change:
    return add_to_line(line, f"<ram:LineStatusReasonCode>{text}</ram:LineStatusReasonCode>")


def below(line: int, parent: str, text: str) -> Change:
    """Put a line below another one, with a status."""
    parent_id = add_to_line(line, f"<ram:ParentLineID>{parent}</ram:ParentLineID>")
    return both(parent_id, status(line, text))


NET = "SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"


def put_second_net(text: str) -> Change:
    def change(root: Element) -> None:
        found(root, NET)[1].text = text

    return change


# What breaks each rule that EXTENDED adds, and what is just inside of it.
EXTENDED_CASES = {
    "BR-FXEXT-01": (
        both(add("IncludedNote", "<ram:SubjectCode>AAI</ram:SubjectCode>"),
                drop("IncludedNote/Content")),
        add("IncludedNote", "<ram:SubjectCode>AAI</ram:SubjectCode>"),
    ),
    "BR-FXEXT-03": (
        put("BuyerTradeParty/SpecifiedTaxRegistration/ID/@schemeID", "FC"),
        put("SellerTradeParty/SpecifiedTaxRegistration/ID/@schemeID", "FC"),
    ),
    "BR-FXEXT-04": (
        add("ApplicableProductCharacteristic", "<ram:TypeCode>colour</ram:TypeCode>"),
        add("ApplicableProductCharacteristic", "<ram:TypeCode>COLOR_TEXT</ram:TypeCode>"),
    ),
    "BR-FXEXT-06": (
        add(LINE, "<ram:ParentLineID>2</ram:ParentLineID>"), below(0, "2", "DETAIL"),
    ),
    "BR-FXEXT-08": (
        both(status(1, "GROUP"), below(0, "2", "DETAIL")),
        both(status(1, "GROUP"), below(0, "2", "DETAIL"),
                put_second_net("97.00")),
    ),
    "BR-FXEXT-11": (below(0, "3", "DETAIL"), below(0, "2", "DETAIL")),
    "BR-FXEXT-BR-22": (
        drop("SpecifiedLineTradeDelivery/BilledQuantity"),
        both(status(0, "INFORMATION"), drop("SpecifiedLineTradeDelivery/BilledQuantity")),
    ),
    "BR-FXEXT-BR-23": (drop("BilledQuantity/@unitCode"), status(0, "DETAIL")),
    "BR-FXEXT-BR-24": (drop(NET), status(0, "GROUP")),
    "BR-FXEXT-BR-54-1": (
        drop("ApplicableProductCharacteristic/Description"),
        both(drop("ApplicableProductCharacteristic/Description"),
                add("ApplicableProductCharacteristic", "<ram:TypeCode>A</ram:TypeCode>")),
    ),
    "BR-FXEXT-BR-54-2": (
        drop("ApplicableProductCharacteristic/Value"),
        both(drop("ApplicableProductCharacteristic/Value"),
                add("ApplicableProductCharacteristic",
                    '<ram:ValueMeasure unitCode="KGM">1</ram:ValueMeasure>')),
    ),
    # Two lines: within two cents, less what doubles lose.
    "BR-FXEXT-CO-10": (put(NET, "97.03"), put(NET, "97.01")),
    "BR-FXEXT-CO-15": (put("GrandTotalAmount", "1.00"), put("RoundingAmount", "1.00")),
    "BR-FXEXT-CO-16": (put("DuePayableAmount", "1.00"), put("ExchangedDocument/ID", "2")),
    "BR-FXEXT-S08b": (put(f"{ROW}/BasisAmount", "1.00"), put("ExchangedDocument/ID", "2")),
    "BR-FXEXT-S-09b": (
        put(f"{ROW}/CalculatedAmount", "1.00"), put("ExchangedDocument/ID", "2"),
    ),
    "BR-FXEXT-Z-01": (
        put("ApplicableTradeTax/CategoryCode", "Z"), put("ExchangedDocument/ID", "2"),
    ),
    "BR-FXEXT-CII-DT-097a": (
        both(put("IssueDateTime/DateTimeString/@format", "205"),
                put("IssueDateTime/DateTimeString", "202611022460")),
        both(put("IssueDateTime/DateTimeString/@format", "205"),
                put("IssueDateTime/DateTimeString", "202611022359")),
    ),
}  # fmt: skip


def test_each_rule_of_extended_is_broken_by_its_change_and_not_by_one_just_inside():
    wrong = [
        (rule, outside, inside)
        for rule, (change, fine) in EXTENDED_CASES.items()
        if (outside := rule in broken(EXTENDED, change), inside := rule in broken(EXTENDED, fine))
        != (True, False)
    ]

    assert not wrong


def test_lines_that_refer_to_each_other_are_all_read():
    """A line that repeats another but for its number may be the one that a third is below."""
    copies = [twice(ITEM)] * 30

    def numbered(root: Element) -> None:
        for number, line in enumerate(found(root, f"{LINE}/LineID"), start=1):
            line.text = str(number)

    assert "BR-FXEXT-11" not in broken(EXTENDED, *copies, numbered, below(0, "29", "DETAIL"))
    assert "BR-FXEXT-11" in broken(EXTENDED, *copies, numbered, below(0, "99", "DETAIL"))


def test_the_vat_point_is_given_once_in_each_row():
    """CEN asks whether the document has both anywhere, the profiles ask each row.

    The row of the sample has a code (BT-8).
    """
    day = '<udt:DateString format="102">20261102</udt:DateString>'
    point = add(ROW, f"<ram:TaxPointDate>{day}</ram:TaxPointDate>")
    in_two_rows = twice(ROW), drop(f"{ROW}/DueDateTypeCode"), point

    for specification in (EN16931, BASIC, BASIC_WL, EXTENDED):
        assert "BR-CO-03" in broken(specification, point), specification
        assert "BR-CO-03" not in broken(specification, *in_two_rows), specification


def _unused_attributes() -> list[tuple[str, str]]:
    """Places of the sample where the profile EN 16931 uses no attribute of this name."""
    document = good("good_cii.xml")
    places = [
        ("/".join(name.partition(":")[2] for name, _ in row.steps), row.argument)
        for row in rows()
        if row.kind == "no-attribute" and "E" in row.profiles
        and not any(condition for _, condition in row.steps)
    ]  # fmt: skip
    return [(place, name) for place, name in places if found(document, place)]


@pytest.mark.parametrize(("place", "attribute"), _unused_attributes()[:30])
def test_leaving_out_what_is_not_used_removes_the_finding(place, attribute):
    """As its suggestion says."""
    change = put(f"{place}/@{attribute}", "x")
    report = report_of(judged(EN16931, change, asked="factur-x"))
    [finding] = [each for each in report.findings if each.rule_id == f"not-used: @{attribute}"]

    assert (finding.suggestion or "").startswith("Leave ")
    assert finding.location is not None
    assert finding.location.endswith(place.rpartition("/")[2] + "[1]")
    assert finding.rule_id not in broken(EN16931, change, drop(f"{place}/@{attribute}"))


def test_the_sample_has_enough_of_them():
    assert len(_unused_attributes()) >= 15
