"""The check of FA(3): our tables against the official schema, and the rules beside it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from einvoice import clock
from einvoice.rules import RuleSets
from einvoice.validation import Light, judge, report_of
from einvoice_ksef.fa3.rules import RULES
from plugins.ksef.tests import official
from tests import growth

DAY = datetime(2026, 11, 22, 12, tzinfo=UTC)
RULE_SETS = RuleSets([RULES], RULES.name, None)
DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/">
  <Naglowek>
    <KodFormularza kodSystemowy="FA (3)" wersjaSchemy="1-0E">FA</KodFormularza>
    <WariantFormularza>3</WariantFormularza>
    <DataWytworzeniaFa>2026-11-22T00:00:00Z</DataWytworzeniaFa>
  </Naglowek>
  <Podmiot1>
    <DaneIdentyfikacyjne><NIP>5265877635</NIP><Nazwa>Sprzedawca</Nazwa></DaneIdentyfikacyjne>
    <Adres><KodKraju>PL</KodKraju><AdresL1>ul. Polna 1</AdresL1></Adres>
  </Podmiot1>
  <Podmiot2>
    <DaneIdentyfikacyjne><BrakID>1</BrakID><Nazwa>Nabywca</Nazwa></DaneIdentyfikacyjne>
    <JST>2</JST><GV>2</GV>
  </Podmiot2>
  <Fa>
    <KodWaluty>PLN</KodWaluty><P_1>2026-11-22</P_1><P_2>FV/1</P_2>
    <P_13_1>100.00</P_13_1><P_14_1>23.00</P_14_1><P_15>123.00</P_15>
    <Adnotacje>
      <P_16>2</P_16><P_17>2</P_17><P_18>2</P_18><P_18A>2</P_18A>
      <Zwolnienie><P_19N>1</P_19N></Zwolnienie>
      <NoweSrodkiTransportu><P_22N>1</P_22N></NoweSrodkiTransportu>
      <P_23>2</P_23><PMarzy><P_PMarzyN>1</P_PMarzyN></PMarzy>
    </Adnotacje>
    <RodzajFaktury>VAT</RodzajFaktury>
  </Fa>
</Faktura>
"""


@pytest.fixture(autouse=True)
def _today(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: DAY)


def judged(document: bytes):
    return judge(document, on=DAY.date(), rule_sets=RULE_SETS)


def found(document: bytes) -> list[str]:
    return [each.rule_id for each in report_of(judged(document)).findings]


def changed(*replacements: tuple[str, str]) -> bytes:
    text = DOCUMENT
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return text.encode()


@official.needed
def test_the_published_samples_have_the_structure():
    samples = official.samples()

    assert len(samples) == 25
    assert {name: judged(one).schema for name, one in samples.items() if judged(one).schema} == {}


@official.needed
def test_the_structure_accepts_what_the_official_schema_accepts_and_nothing_else():
    """1,500 damaged samples, of which the official schema accepts 428."""
    different, count = [], 0
    for name, content, is_valid in official.mutants():
        count += 1
        if (not judged(content).schema) is not is_valid:
            different.append(name)

    assert count == 1500
    assert different == []


def test_a_correct_document_has_no_finding():
    assert judged(DOCUMENT.encode()).light is Light.GREEN


@pytest.mark.parametrize(
    ("document", "rules"),
    [
        (b"\xef\xbb\xbf" + DOCUMENT.encode(), ["KSEF-BOM"]),
        (changed(('encoding="UTF-8"', 'encoding="utf-8"')), []),
        (changed((' encoding="UTF-8"', "")), []),
        (changed(('encoding="UTF-8"', 'encoding="US-ASCII"')), ["KSEF-ENCODING"]),
        (changed(("<Faktura", "<?xml-stylesheet href='a'?><Faktura")), ["KSEF-INSTRUCTION"]),
        (changed(("</Faktura>", "</Faktura><?php end?>")), ["KSEF-INSTRUCTION"]),
        (DOCUMENT.encode().replace(b"<?xml", b"<?note", 1), ["KSEF-INSTRUCTION"]),
        (changed(("<Fa>", "<!-- <?php ?> --><Fa>")), []),
        (changed(("Nabywca", "<![CDATA[<?php ?>]]>")), []),
        (changed(("<Fa>", "<!-- <![CDATA[ --><?a <!-- ?><Fa>")), ["KSEF-INSTRUCTION"]),
        (changed(("Nabywca", "A\u0084B")), ["KSEF-CHARACTER"]),
        (changed(("Nabywca", "A&#132;B")), ["KSEF-CHARACTER"]),
        (changed(("Nabywca", "A&#x1FFFE;B")), ["KSEF-CHARACTER"]),
        (changed(("Nabywca", "A\u0085B\u00a0C")), []),
        (changed(("<P_1>2026-11-22", "<P_1>2026-11-23")), ["KSEF-DATE"]),
        (changed((">VAT<", ">KOR<")), ["KSEF-CORRECTION"]),
        (changed(("5265877635", "5265877636")), ["KSEF-NIP-SELLER"]),
        (changed(("<BrakID>1</BrakID>", "<NIP>5265877636</NIP>")), ["KSEF-NIP-BUYER"]),
        (changed(("<Faktura", "<!DOCTYPE Faktura><Faktura")), ["XML-DOCTYPE"]),
        (changed(("<P_2>FV/1</P_2>", "")), ["XSD-ELEMENT-UNEXPECTED"]),
    ],
)
def test_a_document_that_the_network_refuses_has_a_finding(document, rules):
    assert found(document) == rules


@pytest.mark.parametrize(
    ("begin", "repeated", "end"),
    [
        ("<?x ", "<!--", "?>"),
        ("<?x ", "<![CDATA[", "?>"),
        ("<!-- ", "<?xml ", "--><?x?>"),
        ("<!-- ", "<?", "-->"),
        ("<!-- ", "<![CDATA[", "--><?x?>"),
    ],
)
def test_openings_within_markup_cost_time_in_proportion(begin, repeated, end):
    """They begin nothing there; 67 KB of them once took more than a minute."""

    def document(size: int) -> bytes:
        markup = begin + repeated * (size // len(repeated)) + end
        return DOCUMENT.replace("</Faktura>", markup + "</Faktura>").encode()

    assert growth.fault(judged, document) is None


def test_a_wrong_check_digit_is_a_warning_as_only_production_refuses_it():
    assert judged(changed(("5265877635", "5265877636"))).light is Light.AMBER


@pytest.mark.parametrize(("size", "rules"), [(1_000_000, []), (1_000_001, ["KSEF-SIZE"])])
def test_a_document_has_at_most_a_million_bytes(size, rules):
    padding = b" " * (size - len(DOCUMENT.encode()))

    assert found(DOCUMENT.encode() + padding) == rules


@pytest.mark.parametrize(("hour", "rules"), [(22, ["KSEF-DATE"]), (23, [])])
def test_the_day_of_issue_is_compared_with_the_day_in_poland(monkeypatch, hour, rules):
    """At 23:00 UTC in winter it is the next day there."""
    monkeypatch.setattr(clock, "now", lambda: DAY.replace(hour=hour, minute=30))

    assert found(changed(("<P_1>2026-11-22", "<P_1>2026-11-23"))) == rules


@pytest.mark.parametrize(
    ("document", "field"),
    [
        (changed(("5265877635", "5265877636")), "invoice.supplier.taxId"),
        (changed(("<BrakID>1</BrakID>", "<NIP>5265877636</NIP>")), "invoice.buyer.taxId"),
    ],
)
def test_a_wrong_check_digit_is_found_at_the_field_of_its_party(document, field):
    (finding,) = report_of(judged(document)).findings

    assert finding.field == field
    assert "That of 5265877636 is wrong." in (finding.explanation or "")


def test_every_finding_has_its_own_words():
    document = changed(("<P_1>2026-11-22", "<P_1>2026-11-23"))
    (finding,) = report_of(judged(document)).findings

    assert finding.message == "The date of issue must not be after today, in Poland."
    assert finding.explanation == "It is 2026-11-23; today is 2026-11-22."
    assert finding.field == "invoice.issueDate"
