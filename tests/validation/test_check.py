"""The report on raw XML: parsing, the schema, the rules, evaluation errors."""

from __future__ import annotations

import re
from datetime import date

import pytest

from einvoice import validation
from einvoice.documents.ubl.write import document_xml
from einvoice.validation import Light, document_report
from tests.rules import changes
from tests.validation.conftest import derived

DAY = date(2026, 11, 21)


@pytest.fixture(scope="module")
def good() -> bytes:
    return document_xml(derived({})[0])


def replaced(document: bytes, pattern: bytes, replacement: bytes) -> bytes:
    changed, count = re.subn(pattern, replacement, document, count=1)
    assert count == 1
    return changed


def rules(report: validation.Report) -> list[str]:
    return [finding.rule_id for finding in report.findings]


def test_a_good_document_is_green(good: bytes) -> None:
    report = validation.check(good, on=DAY)

    assert (report.light, report.form, report.kind) == (Light.GREEN, "ubl", "invoice")
    assert report.as_json() == {
        "trafficLight": "green",
        "outcome": "Pass",
        "syntaxErrors": 0,
        "semanticErrors": 0,
        "semanticWarnings": 0,
        "ruleSet": "peppol-bis-billing-3.0.21",
        "ruleSetChosenBy": "document",
        "format": "ubl",
        "documentType": "invoice",
        "findings": [],
    }


def test_a_credit_note_is_distinguished_from_an_invoice() -> None:
    credit = document_xml(derived({"invoice.type": "creditNote"})[0])

    assert validation.check(credit, on=DAY).kind == "creditNote"


NOT_XML = {
    b"": "XML-EMPTY",
    b"PDF-1.7": "XML-NOT-WELL-FORMED",
    b"<Invoice>": "XML-NOT-WELL-FORMED",
    b"<!DOCTYPE x><x/>": "XML-DOCTYPE",
    "<x>ü</x>".encode("latin-1"): "XML-ENCODING",
    b"<a>" * 101 + b"</a>" * 101: "XML-TOO-DEEP",
}


@pytest.mark.parametrize(("data", "rule"), NOT_XML.items())
def test_bytes_that_cannot_be_parsed_are_red_with_the_reason(data: bytes, rule: str) -> None:
    report = validation.check(data, on=DAY)
    [finding] = report.findings

    assert (finding.rule_id, finding.source) == (rule, "xsd")
    assert finding.explanation
    assert finding.suggestion
    assert (report.light, report.is_document) == (Light.RED, False)
    assert report.as_json()["syntaxErrors"] == 1


@pytest.mark.parametrize("data", [b"<Invoice/>", b"<html/>", b"<Invoice xmlns='urn:mine'/>"])
def test_xml_of_another_kind_is_red(data: bytes) -> None:
    for schema in (True, False):
        report = validation.check(data, on=DAY, schema=schema)

        assert rules(report) == ["XSD-UNKNOWN-DOCUMENT"]
        assert not report.is_document


def test_the_rules_are_run_only_if_the_schema_accepts(good: bytes) -> None:
    """They would repeat the error of the schema many times."""
    broken = replaced(good, b"<cbc:ID>", b"<cbc:UnheardOf/><cbc:ID>")
    refused = validation.check(broken, on=DAY)
    judged = validation.check(broken, on=DAY, schema=False)

    assert rules(refused) == ["XSD-ELEMENT-UNEXPECTED"]
    assert (refused.light, refused.findings[0].line) == (Light.RED, 2)
    assert not any(rule.startswith("XSD") for rule in rules(judged))


def test_a_schema_finding_names_the_field(good: bytes) -> None:
    broken = replaced(good, b">2026-11-21</cbc:IssueDate>", b">21.11.2026</cbc:IssueDate>")
    [finding] = validation.check(broken, on=DAY).findings

    assert (finding.rule_id, finding.field) == ("XSD-VALUE-MALFORMED", "invoice.issueDate")
    assert finding.business_terms == ("BT-2",)
    assert "21.11.2026" in (finding.explanation or "")


def test_both_numbers_of_a_sum_are_in_the_explanation(good: bytes) -> None:
    broken = replaced(
        good, b">121.00</cbc:TaxInclusiveAmount>", b">120.00</cbc:TaxInclusiveAmount>"
    )
    report = validation.check(broken, on=DAY)
    finding = next(one for one in report.findings if one.rule_id == "BR-CO-15")

    assert "120.00" in (finding.explanation or "")
    assert "121.00" in (finding.explanation or "")
    assert "121.00" in (finding.suggestion or "")
    assert (finding.field, finding.source) == ("invoice.totals.grandTotal", "en16931")


SUMMATION = "SpecifiedTradeSettlementHeaderMonetarySummation"
SUMS = [
    ("good_cii.xml", f"{SUMMATION}/LineTotalAmount", "BR-CO-10"),
    ("good_cii.xml", f"{SUMMATION}/AllowanceTotalAmount", "BR-CO-11"),
    ("good_cii.xml", f"{SUMMATION}/ChargeTotalAmount", "BR-CO-12"),
    ("good_cii.xml", f"{SUMMATION}/TaxBasisTotalAmount", "BR-CO-13"),
    ("good_cii.xml", f"{SUMMATION}/TaxTotalAmount", "BR-CO-14"),
    ("good_cii.xml", f"{SUMMATION}/GrandTotalAmount", "BR-CO-15"),
    ("good_cii.xml", f"{SUMMATION}/DuePayableAmount", "BR-CO-16"),
    ("good_cii.xml", "ApplicableHeaderTradeSettlement/ApplicableTradeTax/BasisAmount", "BR-S-08"),
    (
        "good_cii.xml",
        "ApplicableHeaderTradeSettlement/ApplicableTradeTax/CalculatedAmount",
        "BR-S-09",
    ),
    ("good_ubl.xml", "LegalMonetaryTotal/LineExtensionAmount", "BR-CO-10"),
    ("good_ubl.xml", "LegalMonetaryTotal/AllowanceTotalAmount", "BR-CO-11"),
    ("good_ubl.xml", "LegalMonetaryTotal/ChargeTotalAmount", "BR-CO-12"),
    ("good_ubl.xml", "LegalMonetaryTotal/TaxExclusiveAmount", "BR-CO-13"),
    ("good_ubl.xml", "TaxTotal/TaxAmount", "BR-CO-14"),
    ("good_ubl.xml", "LegalMonetaryTotal/TaxInclusiveAmount", "BR-CO-15"),
    ("good_ubl.xml", "LegalMonetaryTotal/PayableAmount", "BR-CO-16"),
    ("good_ubl.xml", "TaxSubtotal/TaxableAmount", "BR-S-08"),
    ("good_ubl.xml", "TaxSubtotal/TaxAmount", "BR-S-09"),
]


@pytest.mark.parametrize(("sample", "path", "rule"), SUMS)
def test_both_numbers_of_every_sum_are_in_the_explanation(
    sample: str, path: str, rule: str
) -> None:
    """In the same form, whether a rule computes in decimals, in doubles or on texts."""
    right = changes.first(changes.good(sample), path).text
    broken = changes.changed(changes.good(sample), changes.put(path, "7000"))
    report = validation.check(broken, on=DAY)
    finding = next(one for one in report.findings if one.rule_id == rule)

    assert f" {right}" in (finding.explanation or "")
    assert " 7000" in (finding.explanation or "")


LINE_CHARGE = "SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge/ActualAmount"
WORDS = [
    # sample, change, rule, part of the explanation, part of the suggestion
    ("good_ubl.xml", changes.put("PartyTaxScheme/CompanyID", "\u00a0BE0403019261"), "BR-CO-09",
     "“ BE0403019261” does not begin", "with its country"),
    ("good_ubl.xml", changes.put("DocumentCurrencyCode", "\u00a0EUR"), "BR-CL-04",
     "“ EUR” in the document has spaces around it", "Use EUR if you mean that"),
    ("good_ubl.xml", changes.put("LegalMonetaryTotal/PayableAmount", "170.50 "), "BR-DEC-18",
     "“170.50” in the totals has spaces after it", "Write 170.50 without spaces"),
    ("good_ubl.xml", changes.put("LegalMonetaryTotal/PayableAmount", "170.501 "), "BR-DEC-18",
     "“170.501 ” in the totals has more than 2 decimals", "Round the amount due to 2 decimals"),
    ("good_ubl.xml", changes.put("InvoiceLine/AllowanceCharge/Amount", "9.00"),
     "PEPPOL-EN16931-R040",
     "is 9.00, but 5 % of 100.00 is 5.00: 4.00 apart", "Send 5.00 as amount"),
    ("good_cii.xml", changes.put(LINE_CHARGE, "5.001"), "BR-DEC-24",
     "has more than 2 decimals", "to 2 decimals"),
    ("good_ubl.xml", changes.drop("StandardItemIdentification/ID/@schemeID"), "BR-64",
     "has no schemeID", "0160"),
    ("good_cii.xml", changes.drop("SpecifiedTradeProduct/GlobalID/@schemeID"), "BR-64",
     "has no schemeID", "0160"),
    ("good_ubl.xml", changes.drop("ItemClassificationCode/@listID"), "BR-65",
     "has no listID", "UNTDID 7143"),
    ("good_cii.xml", changes.drop("ClassCode/@listID"), "BR-65", "has no listID", "UNTDID 7143"),
    ("good_cii.xml", changes.drop("ExchangedDocument/TypeCode"), "CII-SR-014",
     "The document type code is not given", "Give the document type code"),
    ("good_cii.xml", changes.put("ApplicableTradeTax/CategoryCode", "Z"), "BR-Z-01",
     "has 0 rows of category Z", "one row"),
]  # fmt: skip


@pytest.mark.parametrize(("sample", "change", "rule", "explained", "suggested"), WORDS)
def test_words_describe_the_error(sample, change, rule, explained, suggested) -> None:
    """Invisible spaces, a missing attribute, a missing element."""
    broken = changes.changed(changes.good(sample), change)
    report = validation.check(broken, on=DAY, schema=False)
    finding = next(one for one in report.findings if one.rule_id == rule)

    assert explained in (finding.explanation or "")
    assert suggested in (finding.suggestion or "")


def test_a_failed_layer_is_red_and_names_the_repeated_element(good: bytes) -> None:
    """Officially there is no verdict then, which must not be green."""
    amount = rb"(<cbc:PayableAmount [^>]*>[^<]*</cbc:PayableAmount>)"
    report = validation.check(replaced(good, amount, rb"\1\1"), on=DAY, schema=False)
    error = next(one for one in report.findings if one.rule_id == "STOPPED-CARDINALITY")

    assert report.light is Light.RED
    assert "PayableAmount" in error.message
    assert "2 times" in (error.explanation or "")


def test_a_wrong_number_is_quoted_as_written(good: bytes) -> None:
    report = validation.check(
        replaced(good, b">121.00</cbc:PayableAmount>", b">1 21,00</cbc:PayableAmount>"),
        on=DAY,
        schema=False,
    )
    error = next(one for one in report.findings if one.rule_id == "STOPPED-NUMBER")

    assert "1 21,00" in (error.explanation or "")


@pytest.mark.parametrize("day", [date(2020, 1, 1), DAY, date(2126, 1, 1)])
def test_every_day_has_rules(good: bytes, day: date) -> None:
    """Before the first pack the first is used, after the last the last."""
    assert validation.check(good, on=day).rule_set.startswith("peppol-bis-billing-3.0.")


def test_a_report_has_at_most_a_thousand_findings(good: bytes) -> None:
    """Errors first, and a last finding that there are more."""
    line = re.search(rb"<cac:InvoiceLine>.*</cac:InvoiceLine>", good, re.DOTALL)
    assert line is not None
    bad = line[0].replace(b'unitCode="C62"', b'unitCode="??"')
    report = validation.check(good.replace(line[0], bad * 1_100), on=DAY)

    assert len(report.findings) == document_report.MAX_FINDINGS + 1
    assert (report.light, report.findings[-1].rule_id) == (Light.RED, "MORE-FINDINGS")
    assert {finding.severity for finding in report.findings[:-1]} == {"error"}


def test_warnings_about_unused_elements_are_folded_for_people(good: bytes) -> None:
    """The machine-readable list keeps every one."""
    item = b"<cac:Item>"
    extra = (
        b"<cbc:UUID>1</cbc:UUID><cbc:TaxPointDate>2026-11-21</cbc:TaxPointDate>"
        b"<cbc:AccountingCostCode>1</cbc:AccountingCostCode><cbc:FreeOfChargeIndicator>false</cbc:FreeOfChargeIndicator>"
    )
    changed = good.replace(item, extra + item)
    report = validation.check(changed, on=DAY, schema=False)
    unused = [f for f in report.findings if f.rule_id.startswith("UBL-CR-")]
    [fold] = [f for f in validation.folded(report.findings) if f.rule_id.startswith("UBL-CR-")]

    assert (report.light, len(unused)) == (Light.AMBER, 4)
    assert fold.message.startswith("4 elements or attributes are not part of the core invoice")
    assert "InvoiceLine/UUID" in fold.message


def test_texts_of_a_document_are_made_safe_in_a_sentence(good: bytes) -> None:
    """Braces are not placeholders, control characters are removed, long texts are shortened."""
    code = b"{0}{x}%s\x7f&#x202e;" + b"x" * 500
    report = validation.check(
        replaced(
            good, b">EUR</cbc:DocumentCurrencyCode>", b">" + code + b"</cbc:DocumentCurrencyCode>"
        ),
        on=DAY,
    )
    finding = next(one for one in report.findings if one.rule_id == "BR-CL-04")

    assert "{0}{x}%s" in (finding.explanation or "")
    assert (finding.explanation or "").isprintable()
    assert len(finding.explanation or "") < 300
