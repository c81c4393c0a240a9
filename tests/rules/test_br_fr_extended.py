"""EXTENDED-CTC-FR: what it asks for beside BR-FR, and what it allows."""

from __future__ import annotations

import re
from datetime import date

import pytest

from einvoice.rules.br_fr import EXTENDED, extended, is_extended
from einvoice.rules.en16931.cii import CEN_CII
from einvoice.rules.en16931.ubl import CEN_UBL
from einvoice.rules.scenarios import Declared
from einvoice.validation import judge
from tests.rules import official
from tests.rules.test_br_fr import CAC, CBC, SETS

DAY = date(2026, 11, 24)
SPECIFICATION = re.compile(rb"urn:cen\.eu:en16931:2017(?=<)")


def as_extended(document: bytes) -> bytes:
    return SPECIFICATION.sub(EXTENDED.encode(), document, count=1)


def found(document: bytes) -> set[str]:
    verdict = judge(document, on=DAY, schema=False).verdict
    assert verdict is not None
    return {each.id for each in verdict.findings if each.flag.value == "fatal"}


@official.needed
def test_published_invoices_break_no_rule_as_documents_of_the_extension():
    """Which allows what EN 16931 does."""
    wrong = {name: found(as_extended(content)) for name, content, _ in SETS[0].samples()}

    assert len(wrong) == 16
    assert {name: rules for name, rules in wrong.items() if rules} == {}


def samples(syntax: bytes) -> list[bytes]:
    return [as_extended(c) for _, c, _ in SETS[0].samples() if syntax in c[:3000]]


@official.needed
@pytest.mark.parametrize(
    ("off", "breaks"), [("0.01", set()), ("5.00", {"BR-FREXT-CO-13", "BR-FREXT-CO-15"})]
)
def test_totals_may_differ_by_a_cent_for_each_amount(off, breaks):
    """EN 16931 allows no difference."""
    document = samples(b"CrossIndustryInvoice")[0]
    amount = re.search(rb"TaxBasisTotalAmount>([0-9.]+)<", document)
    assert amount
    other = f"{float(amount[1]) + float(off):.2f}".encode()
    changed = document.replace(amount[0], b"TaxBasisTotalAmount>" + other + b"<")

    assert {each for each in found(changed) if each.startswith("BR-FREXT")} == breaks


@pytest.mark.parametrize(
    ("book", "whole"),
    [(extended.CEN_UBL_OF_EXTENDED, CEN_UBL), (extended.CEN_CII_OF_EXTENDED, CEN_CII)],
)
def test_what_is_left_out_are_rules_of_en_16931(book, whole):
    kept, all_ = {rule.id for rule in book.rules}, {rule.id for rule in whole.rules}
    left_out = extended.LEFT_OUT[book.layer]

    assert kept == all_ - left_out
    assert left_out <= all_


def test_no_rule_of_the_extension_has_the_id_of_another():
    ids = [rule.id for rule in extended.EXTENDED_CII.rules]

    assert len(ids) == len(set(ids)) == len(extended.OF_FACTUR_X)
    assert not {*ids} & {rule.id for rule in extended.CEN_CII_OF_EXTENDED.rules}


@pytest.mark.parametrize(
    ("specification", "is_one"),
    [(EXTENDED, True), (f"{EXTENDED}#x", False), ("urn:cen.eu:en16931:2017", False), (None, False)],
)
def test_a_document_says_that_it_is_of_the_extension(specification, is_one):
    assert is_extended(Declared("Invoice", specification, "S1")) is is_one


def ubl(*lines: tuple[str, str, str], net: str, process: str = "S1") -> bytes:
    """An invoice of lines (id, kind, net): what the rules on sums read."""
    return f"""<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
 xmlns:cac="{CAC}" xmlns:cbc="{CBC}"><cbc:CustomizationID>{EXTENDED}</cbc:CustomizationID>
 <cbc:ProfileID>{process}</cbc:ProfileID><cbc:ID>F1</cbc:ID>
 <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
 <cac:LegalMonetaryTotal><cbc:LineExtensionAmount>{net}</cbc:LineExtensionAmount>
 <cbc:TaxExclusiveAmount>{net}</cbc:TaxExclusiveAmount></cac:LegalMonetaryTotal>
 {"".join(line(*each) for each in lines)}</Invoice>""".encode()


def line(id: str, kind: str, net: str) -> str:  # noqa: A002
    reference = (
        kind
        and f"""<cac:BillingReference><cac:InvoiceDocumentReference><cbc:ID>F1</cbc:ID>
 <cbc:DocumentStatusCode>{kind}</cbc:DocumentStatusCode></cac:InvoiceDocumentReference>
 </cac:BillingReference>"""
    )
    return f"""<cac:InvoiceLine><cbc:ID>{id}</cbc:ID>
 <cbc:LineExtensionAmount>{net}</cbc:LineExtensionAmount>{reference}</cac:InvoiceLine>"""


GROUP = (("1", "GROUP", "10.00"), ("2", "DETAIL", "4.00"), ("3", "DETAIL", "6.00"))
SUMS = {"BR-FREXT-CO-10", "BR-FREXT-CO-13"}


@pytest.mark.parametrize(
    ("net", "breaks"), [("10.00", set()), ("10.02", set()), ("10.03", SUMS), ("20.00", SUMS)]
)
def test_a_group_repeats_the_amounts_of_its_details(net, breaks):
    """Two amounts count, so the sum may differ by two cents."""
    assert found(ubl(*GROUP, net=net)) & SUMS == breaks


def test_lines_that_count_need_quantity_price_and_category_and_groups_do_not():
    alone = {"BR-FREXT-22", "BR-FREXT-23", "BR-FREXT-26", "BR-FREXT-CO-04"}

    assert found(ubl(("1", "GROUP", "1.00"), net="0.00")) & alone == set()
    assert found(ubl(("1", "DETAIL", "1.00"), net="1.00")) & alone == alone
    assert found(ubl(("1", "", "1.00"), net="1.00")) & alone == alone
