"""XRechnung by Schematron 2.6.0: what changes against 2.5.0, each beside the release before."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest

from einvoice.rules import XRECHNUNG, Flag, Layer
from einvoice.rules.xrechnung.scenarios import CIUS, CVD, EN16931, EXTENSION
from einvoice.validation import Light, judge, report_of
from tests.oracle.sources import ROOT

BEFORE, AFTER = XRECHNUNG.packs
LAST_DAY, FIRST_DAY = date(2026, 8, 30), date(2026, 8, 31)
UBL = (ROOT / "tests/samples/xrechnung_ubl.xml").read_text()
CII = (ROOT / "tests/samples/xrechnung_cii.xml").read_text()
FILE = '<ram:AttachmentBinaryObject mimeCode="application/pdf" filename="{}">QQ==</ram:Attachment'
STOPPED = "STOPPED-CARDINALITY"
NEW = {"BR-TMP-4", "BR-TMP-5", "BR-TMP-6", "BR-TMP-7"}
RAISED = {"BR-TMP-2", "CII-SR-465", "CII-SR-466", "CII-SR-475", "CII-SR-476"}
CHANGED = NEW | RAISED | {"PEPPOL-EN16931-R008", STOPPED}


def ubl(changed: str) -> str:
    """The UBL sample, with this before the supplier."""
    return UBL.replace("<cac:AccountingSupplierParty>", f"{changed}<cac:AccountingSupplierParty>")


def issued(written: str) -> str:
    return UBL.replace("<cbc:IssueDate>2026-11-10<", f"<cbc:IssueDate>{written}<")


def issued_cii(written: str, form: str = ' format="102"') -> str:
    return CII.replace(' format="102">20261110<', f"{form}>{written}<")


def external(uri: str) -> str:
    return ubl(
        "<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID><cac:Attachment>"
        f"<cac:ExternalReference>{uri}</cac:ExternalReference></cac:Attachment>"
        "</cac:AdditionalDocumentReference>"
    )


def supporting(*contents: str, code: str = "916") -> str:
    """The CII sample with these supporting documents."""
    documents = "".join(
        f"<ram:AdditionalReferencedDocument><ram:IssuerAssignedID>{number}</ram:IssuerAssignedID>"
        f"{content}</ram:AdditionalReferencedDocument>".replace("TYPE", code)
        for number, content in enumerate(contents)
    )
    start, end, rest = CII.partition("</ram:BuyerTradeParty>")
    return start + end + documents + rest


def ordered(content: str, parent: str = "cac:OrderReference") -> str:
    return ubl(f"<{parent}>{content}</{parent}>")


def attached(name: str) -> str:
    return f"{FILE.format(name)}BinaryObject>"


def contact(seller: bool, person: str = "<ram:PersonName>E</ram:PersonName>") -> str:
    """The CII sample with both names in the contact of the seller, or of the buyer."""
    both = f"{person}<ram:DepartmentName>Einkauf</ram:DepartmentName>"
    if seller:
        return CII.replace("<ram:PersonName>Erika Muster</ram:PersonName>", both)
    head, buyer, rest = CII.partition("<ram:BuyerTradeParty>")
    group = f"<ram:DefinedTradeContact>{both}</ram:DefinedTradeContact><ram:PostalTradeAddress>"
    return head + buyer + rest.replace("<ram:PostalTradeAddress>", group, 1)


def severities(text: str, day: date = FIRST_DAY, **options) -> dict[str, str]:
    """Changed rule → level, of the findings of the document without its schema."""
    found = judge(text.encode(), on=day, schema=False, **options).verdict.findings
    return {each.id: str(each.severity) for each in found if each.id in CHANGED}


@pytest.mark.parametrize(
    ("day", "pack"), [(date(2020, 1, 1), BEFORE), (LAST_DAY, BEFORE), (FIRST_DAY, AFTER)]
)
def test_the_day_chooses_the_release(day, pack):
    assert XRECHNUNG.on(day) is pack
    assert judge(UBL.encode(), on=day).pack is pack


@pytest.mark.parametrize(
    ("layer", "new"),
    [
        (Layer.XRECHNUNG_UBL, {"BR-TMP-6"}),
        (Layer.XRECHNUNG_CII, {"BR-TMP-4", "BR-TMP-5", "BR-TMP-7"}),
    ],
)
def test_the_changes_are_those_that_were_published(layer, new):
    """New rules are warnings, BR-TMP-2 becomes fatal, nothing is withdrawn."""
    before, after = ({rule.id: rule.flag for rule in pack.book(layer).rules}
                     for pack in (BEFORE, AFTER))  # fmt: skip

    assert after.keys() - before.keys() == new
    assert {after[rule] for rule in new} == {Flag.WARNING}
    assert before.keys() <= after.keys()
    assert {rule for rule in before if after[rule] is not before[rule]} == {"BR-TMP-2"}
    assert Counter(after.values())[Flag.FATAL] == {"UBL": 66, "CII": 61}[layer.syntax]


CASES = {
    # An external document is at a URL; spaces before it count.
    "a URL": (external("<cbc:URI>https://a.example/b</cbc:URI>"), {}),
    "two letters": (external("<cbc:URI>ab:</cbc:URI>"), {}),
    "one letter": (external("<cbc:URI>C:\\x</cbc:URI>"), {"BR-TMP-2": "fatal"}),
    "a space": (external("<cbc:URI> https://a.example</cbc:URI>"), {"BR-TMP-2": "fatal"}),
    "no URI": (external("<cbc:FileName>a</cbc:FileName>"), {"BR-TMP-2": "fatal"}),
    "a URL in CII": (supporting("<ram:URIID>ftp:a</ram:URIID><ram:TypeCode>TYPE</ram:TypeCode>"),
                     {}),
    "no URL in CII": (supporting("<ram:URIID>a</ram:URIID><ram:TypeCode>TYPE</ram:TypeCode>"),
                      {"BR-TMP-2": "fatal"}),
    "a reference to a tender": (
        supporting("<ram:URIID>a</ram:URIID><ram:TypeCode>TYPE</ram:TypeCode>", code="50"), {}),
    "two URLs in CII": (
        supporting("<ram:URIID>a:</ram:URIID><ram:URIID>b:</ram:URIID>"
                   "<ram:TypeCode>TYPE</ram:TypeCode>"), {STOPPED: "fatal"}),
    # Dates in UBL.
    "spaces": (issued(" 2026-11-10\n"), {}),
    "no such month": (issued("2026-13-41"), {}),
    "a time zone": (issued("2026-11-10Z"), {"BR-TMP-6": "warning"}),
    "five digits": (issued("12026-11-10"), {"BR-TMP-6": "warning"}),
    "a sign": (issued("-2026-11-10"), {"BR-TMP-6": "warning"}),
    "no date": (issued(""), {"BR-TMP-6": "warning", "PEPPOL-EN16931-R008": "fatal"}),
    "a comment in a date": (issued("2026-<!-- -->11-10"), {STOPPED: "fatal"}),
    "a comment beside a date": (issued("2026-11-10<!-- -->"), {}),
    "a date of a reference": (
        ubl("<cac:BillingReference><cac:InvoiceDocumentReference><cbc:ID>1</cbc:ID>"
            "<cbc:IssueDate>2026-01-01+01:00</cbc:IssueDate></cac:InvoiceDocumentReference>"
            "</cac:BillingReference>"), {"BR-TMP-6": "warning"}),
    "another date": (
        ubl("<cac:ContractDocumentReference><cbc:ID>1</cbc:ID><cac:ValidityPeriod>"
            "<cbc:DurationMeasure unitCode='DAY'>1</cbc:DurationMeasure></cac:ValidityPeriod>"
            "</cac:ContractDocumentReference>"), {}),
    # Dates in CII.
    "eight digits": (issued_cii(" 20269999 ", ' format=" 102 "'), {}),
    "seven digits": (issued_cii("2026111"), {"BR-TMP-7": "warning"}),
    "hyphens": (issued_cii("2026-11-10"), {"BR-TMP-7": "warning"}),
    "no format": (issued_cii("20261110", ""), {"BR-TMP-7": "warning"}),
    "another format": (issued_cii("202611", ' format="610"'), {"BR-TMP-7": "warning"}),
    "a comment in CII": (issued_cii("2026<!-- -->1110"), {STOPPED: "fatal"}),
    "a comment and another format": (issued_cii("2026<!-- -->1110", ' format="1"'),
                                     {"BR-TMP-7": "warning"}),
    # Empty elements: an order may have no number of its own.
    "an empty order": (ordered("<cbc:ID/>"), {}),
    "an order of a comment": (ordered("<cbc:ID> <!-- --></cbc:ID>"), {}),
    "an empty sales order": (ordered("<cbc:ID>1</cbc:ID><cbc:SalesOrderID/>"),
                             {"PEPPOL-EN16931-R008": "fatal"}),
    "an empty contract": (ordered("<cbc:ID/>", "cac:ContractDocumentReference"),
                          {"PEPPOL-EN16931-R008": "fatal"}),
    "an empty order in CII": (
        CII.replace("</ram:BuyerTradeParty>", "</ram:BuyerTradeParty><ram:"
                    "BuyerOrderReferencedDocument><ram:IssuerAssignedID/>"
                    "</ram:BuyerOrderReferencedDocument>"), {"PEPPOL-EN16931-R008": "fatal"}),
    # Names and files of each supporting document.
    "two names": (
        supporting("<ram:TypeCode>TYPE</ram:TypeCode><ram:Name>a</ram:Name><ram:Name>b</ram:Name>"),
        {"BR-TMP-4": "warning", "CII-SR-475": "information"}),
    "two names, code with spaces": (
        supporting("<ram:TypeCode>TYPE</ram:TypeCode><ram:Name>a</ram:Name><ram:Name>b</ram:Name>",
                   code=" 916 "), {"CII-SR-475": "information"}),
    "two files": (
        supporting(f"<ram:TypeCode>TYPE</ram:TypeCode>{attached('a')}{attached('b')}"),
        {"BR-TMP-5": "warning", "CII-SR-476": "information"}),
    "a name and a file in each of two": (
        supporting(*[f"<ram:TypeCode>TYPE</ram:TypeCode><ram:Name>a</ram:Name>{attached(name)}"
                     for name in "ab"]),
        {"CII-SR-475": "information", "CII-SR-476": "information"}),
    # A contact is a person or a department.
    "a seller's contact": (contact(seller=True), {"CII-SR-465": "fatal"}),
    "a buyer's contact": (contact(seller=False), {"CII-SR-466": "fatal"}),
    "a department": (contact(seller=False, person=""), {}),
}  # fmt: skip


def test_each_change_holds_from_its_day_and_for_what_it_says():
    found = {name: severities(text) for name, (text, _) in CASES.items()}

    assert found == {name: expected for name, (_, expected) in CASES.items()}


def test_before_its_day_no_change_holds():
    """2.5.0 has neither the new rules nor the new levels, and no empty order."""
    seen: dict[str, str] = {}
    for text, _ in CASES.values():
        seen |= severities(text, LAST_DAY)

    assert not NEW & seen.keys()
    assert {rule: seen[rule] for rule in RAISED} == dict.fromkeys(RAISED, "warning")
    assert severities(CASES["an empty order"][0], LAST_DAY) == {"PEPPOL-EN16931-R008": "fatal"}


@pytest.mark.parametrize("identifier", [CIUS, EXTENSION, CVD])
def test_the_levels_are_those_of_the_scenarios_of_xrechnung(identifier):
    found = severities(contact(seller=True).replace(CIUS, identifier))
    two = severities(CASES["two names"][0].replace(CIUS, identifier))

    assert (found["CII-SR-465"], two["CII-SR-475"]) == ("fatal", "information")


@pytest.mark.parametrize("asked", [None, "xrechnung"])
def test_a_plain_invoice_keeps_the_flags_of_en16931(asked):
    """KoSIT's scenario EN16931 (CII) changes no level, whichever set judges the document."""
    found = severities(contact(seller=True).replace(CIUS, EN16931), asked=asked)
    two = severities(CASES["two names"][0].replace(CIUS, EN16931), asked=asked)

    assert (found["CII-SR-465"], two["CII-SR-475"]) == ("warning", "warning")
    assert not {"BR-TMP-4", "BR-TMP-7"} & (found.keys() | two.keys())


@pytest.mark.parametrize(
    ("name", "light"),
    [
        ("a name and a file in each of two", Light.GREEN),
        ("two names", Light.AMBER),
        ("a time zone", Light.AMBER),
        ("no URI", Light.RED),
        ("a seller's contact", Light.RED),
        ("a comment in a date", Light.RED),
        ("a comment in CII", Light.RED),
    ],
)
def test_the_light_follows_the_levels(name, light):
    """A document on which the official sheet stops is red."""
    assert judge(CASES[name][0].encode(), on=FIRST_DAY).light is light


@pytest.mark.parametrize(("language", "words"), [("en", "Nothing must"), ("de", "Nichts ist zu")])
def test_two_documents_with_a_name_and_a_file_each_need_no_change(language, words):
    """Rules that count those of all documents do not ask for one of them to be removed."""
    judged = judge(CASES["a name and a file in each of two"][0].encode(), on=FIRST_DAY)
    found = {each.rule_id: each.suggestion for each in report_of(judged, language).findings}

    assert found.keys() >= {"CII-SR-475", "CII-SR-476"}
    assert all(found[rule].startswith(words) for rule in ("CII-SR-475", "CII-SR-476"))


def test_a_send_is_warned_before_the_day():
    """Of a URL that the next release refuses."""
    judged = judge(external("<cbc:URI>a</cbc:URI>").encode(), on=LAST_DAY, announced=True)
    announced = [each for each in judged.verdict.findings if each.layer.binding_from == FIRST_DAY]

    assert [(each.id, each.flag) for each in announced] == [("BR-TMP-2", Flag.WARNING)]
