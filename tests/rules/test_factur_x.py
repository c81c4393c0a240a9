"""Factur-X: which profile judges a document, its structure, and what is not judged."""

from __future__ import annotations

from datetime import date

import pytest

from einvoice.rules import built_in
from einvoice.rules.factur_x import PROFILES, Profile
from einvoice.rules.factur_x.structure import rows
from einvoice.validation import Judgement, Light, judge, report_of
from tests.rules.changes import add, changed, drop, found, good, put, put_all, twice

DAY = date(2026, 11, 22)
GUIDELINE = "GuidelineSpecifiedDocumentContextParameter/ID"
EN16931 = "urn:cen.eu:en16931:2017"
BASIC = f"{EN16931}#compliant#urn:factur-x.eu:1p0:basic"


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
        (f"{EN16931}#conformant#urn:factur-x.eu:1p0:extended", "factur-x", "extended"),
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
    [f"{EN16931}#compliant#urn:example:cius", f"{EN16931}#conformant#urn:factur-x.eu:1p0:extended"],
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
    for specification, layer in ((EN16931, "FACTURX-EN16931"), (BASIC, "FACTURX-BASIC")):
        verdict = judged(specification, drop("SellerTradeParty/Name"), asked="factur-x").verdict

        assert {str(each.layer) for each in verdict.findings} == {layer}


def test_a_profile_has_a_schema_of_its_own():
    """It knows no element that the profile does not use."""
    unknown = add("SellerTradeParty", "<ram:RoleCode>SE</ram:RoleCode>")

    assert judged(EN16931, unknown, asked="factur-x", schema=True).schema
    assert not judged(EN16931, asked="factur-x", schema=True).schema


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
