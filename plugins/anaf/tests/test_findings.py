"""Errors of the ministry as data: rule, text, and the place or field that they name."""

from __future__ import annotations

import pytest

from einvoice.network.types import Rejected
from einvoice_anaf.findings import findings_of
from einvoice_anaf.sealed import error_of
from plugins.anaf.tests import company
from tests.networks.anaf import texts

SAX = "org.xml.sax.SAXParseException; lineNumber: {}; columnNumber: 9; cvc-type.3.1.3: The value "


def found(*said: str, document: bytes = b"<Invoice/>"):
    return findings_of([error_of(each) for each in said], document)


def test_each_error_of_a_rejection_is_a_finding_with_its_rule(bound, authority):
    authority.judge = lambda document: ["E: x [BR-RO-110]-Subdiviziunea", "R_CUI CUI vanzator"]
    outcome = company.sent(bound, company.envelope())

    assert isinstance(outcome, Rejected)
    assert [(each.rule, each.text) for each in outcome.findings] == [
        ("BR-RO-110", "E: x [BR-RO-110]-Subdiviziunea"),
        ("R_CUI", "R_CUI CUI vanzator"),
    ]


def test_a_fault_of_the_schema_at_upload_is_a_finding_with_its_place(bound):
    """At the element that the parser names, if it is the only one of its line."""
    one = company.envelope()
    lines = one.document.replace(b"><", b">\n<").replace(b"RON</cbc:Doc", b"RO N</cbc:Doc")
    broken = lines.replace(b"<cbc:IssueDate>", b"<cbc:IssueDate>x")
    outcome = company.sent(bound, company.envelope(document=broken))

    assert isinstance(outcome, Rejected)
    [finding] = outcome.findings
    assert finding.text.startswith("Fisierul transmis nu este valid.")
    assert finding.place == "/Invoice[1]/IssueDate[1]"


@pytest.mark.parametrize(
    ("text", "document", "place"),
    [
        (SAX.format(2) + "of element 'cbc:ID'", b"<I>\n<ID/><A/></I>", "/I[1]/ID[1]"),
        (SAX.format(2) + "of element '{urn:x}ID'", b"<I><A/>\n<ID/></I>", "/I[1]/ID[1]"),
        (SAX.format(3) + "of element 'ID'", b"<I>\n<A/>\n<A><ID/></A></I>", "/I[1]/A[2]/ID[1]"),
        (SAX.format(2) + "of element 'ID'", b"<I>\n<ID/><ID/></I>", ""),
        (SAX.format(2) + "of element 'No'", b"<I>\n<ID/></I>", ""),
        (SAX.format(2) + "is wrong", b"<I>\n<ID/></I>", ""),
        (SAX.format(2) + "of element 'ID'", b"<I>", ""),
    ],
)
def test_the_place_of_a_fault_is_named_only_where_it_is_clear(text, document, place):
    assert [each.place for each in found(text, document=document)] == [place]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("eroare: R_CUI_1 CUI vanzator gresit", "invoice.supplier.taxId"),
        ("eroare: R_CUI_2 CUI Cumparator gresit", "invoice.buyer.taxId"),
        ("eroare: R_CUI_3 CUI gresit", None),
        ("eroare: R_CUI_4 vanzator si cumparator", None),
    ],
)
def test_a_check_against_a_register_has_the_field_of_the_company_it_names(text, field):
    assert [each.field for each in found(text)] == [field]


def test_a_used_number_has_advice_with_the_earlier_upload():
    [finding] = found(texts.DUPLICATE.format(77, "2026-01-20"))

    assert finding.field == "invoice.number"
    assert "77" in finding.advice


def test_an_error_without_text_is_no_finding():
    assert found("", "Altceva") == found("Altceva")
