"""The judgement on raw bytes and the light that follows from stored findings."""

from __future__ import annotations

from datetime import date

import pytest

from einvoice.validation import Light, Report, check, document_report, judge, traffic_light
from tests.rules.changes import add, changed, drop, good, put

DAY = date(2026, 11, 21)
TYPE_CODE = "ExchangedDocument/TypeCode"


def report(root: bytes) -> Report:
    return check(root, on=DAY, schema=False)


@pytest.mark.parametrize(
    ("data", "light", "is_document"),
    [
        (changed(good("good_ubl.xml")), Light.GREEN, True),
        (changed(good("good_ubl.xml"), add("PostalAddress", "<x/>")), Light.RED, True),
        (changed(good("good_ubl.xml"), drop("IssueDate")), Light.RED, True),
        (changed(good("good_ubl.xml"), put("PayableAmount", "1")), Light.RED, True),
        (b"<html/>", Light.RED, False),
        (b"<Invoice", Light.RED, False),
    ],
    ids=["correct", "schema", "schema and rules", "rules", "another kind", "not XML"],
)
def test_a_judgement_has_a_light_and_knows_whether_it_is_an_invoice(data, light, is_document):
    """Red for anything that is not an invoice, too."""
    judgement = judge(data, on=DAY)

    assert (judgement.light, judgement.is_document) == (light, is_document)


def test_a_judgement_with_warnings_only_is_amber():
    """Unused elements are warnings."""
    unused = changed(good("good_ubl.xml"), put("Invoice/CustomizationID/@schemeID", "x"))
    judgement = judge(unused, on=DAY)

    assert judgement.verdict.findings
    assert judgement.light is Light.AMBER


@pytest.mark.parametrize(
    ("type_code", "kind"), [("380", "invoice"), ("381", "creditNote"), (" 381 ", "creditNote")]
)
def test_the_type_code_of_a_cii_document_decides_its_kind(type_code, kind):
    """CII has one root for invoices and credit notes."""
    assert report(changed(good("good_cii.xml"), put(TYPE_CODE, type_code))).kind == kind


@pytest.mark.parametrize(
    ("severities", "light"),
    [
        ([], "green"),
        (["information"], "green"),
        (["warning"], "amber"),
        (["information", "warning"], "amber"),
        (["warning", "error"], "red"),
    ],
)
def test_the_light_of_stored_findings_is_that_of_the_worst(severities, light):
    findings = [{"severity": severity, "source": "peppol"} for severity in severities]

    assert (
        traffic_light("pack", findings, form="ubl", kind="invoice", chosen_by=None)["trafficLight"]
        == light
    )


def test_a_report_with_the_maximum_of_findings_says_nothing_of_more(monkeypatch):
    """One more finding, and it does."""
    broken = changed(good("good_ubl.xml"), drop("IssueDate"), put("PayableAmount", "1"))
    count = len(report(broken).findings)
    monkeypatch.setattr(document_report, "MAX_FINDINGS", count)

    assert "MORE-FINDINGS" not in {finding.rule_id for finding in report(broken).findings}

    monkeypatch.setattr(document_report, "MAX_FINDINGS", count - 1)

    assert report(broken).findings[-1].rule_id == "MORE-FINDINGS"
