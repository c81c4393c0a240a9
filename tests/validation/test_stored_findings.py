"""Findings are stored as data and put into words when they are read."""

from __future__ import annotations

import json
from datetime import date

import pytest

from einvoice import validation
from einvoice.rules import RuleFinding
from einvoice.validation import Finding, facts, wording
from einvoice.validation.locations import ElementIndex
from tests.validation.every_rule import ROOT, VALUES, finding_of, rules
from tests.web.submission.documents import two_lines

WORDS = ("message", "explanation", "suggestion")


def stored(finding: Finding) -> dict[str, object]:
    """What the database returns of a finding."""
    data: dict[str, object] = json.loads(json.dumps(finding.as_data()))
    return data


def test_the_words_of_every_rule_are_the_same_after_storage() -> None:
    for rule in rules():
        for values in VALUES:
            finding = finding_of(rule, values, "en")
            data = stored(finding)

            assert not set(WORDS) & set(data)
            assert validation.from_data(data) == finding.as_json()


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"<a",
        b"<a/>",
        two_lines("V-1").replace(b"<cbc:ID>", b"<cbc:Id>"),
        two_lines("V-1").replace(b'unitCode="C62"', b'unitCode="ZZZ9"'),
        two_lines("V-1").replace(b">Consulting<", b"><"),
    ],
)
def test_the_words_of_a_report_are_the_same_after_storage(document: bytes) -> None:
    """For bytes that are no XML, unknown documents, errors of the schema and of rules."""
    report = validation.check(document, on=date(2026, 11, 21))

    assert report.findings
    for finding in report.findings:
        data = stored(finding)
        assert "message" not in data
        assert validation.from_data(data) == finding.as_json()


def test_a_finding_that_was_stored_in_words_keeps_them() -> None:
    """As of invoices of earlier releases; in another language it says that they are English."""
    old = Finding("error", "peppol", "R-1", "Words of then.", "Why.", "Do it.").as_json()

    assert validation.from_data(old) == old
    assert validation.from_data(old, "de") == {**old, "language": "en"}


def test_a_finding_with_fixed_words_is_stored_in_words() -> None:
    fixed = Finding("error", "xsd", "NOT-JUDGED", "It was not judged.")

    assert fixed.as_data() == fixed.as_json()


def test_stored_facts_are_those_that_texts_need() -> None:
    """A rule with words of its own does not store its requirement."""
    rule = next(rule for rule in rules() if rule.id == "BR-16")
    fired = RuleFinding(rule.layer, rule.id, rule.flag, "/Invoice[1]", {"unused": "x"}, rule)
    finding = wording.finding_of(fired, ElementIndex(ROOT))

    assert finding.wording is not None
    assert finding.wording.facts == {}


def test_findings_as_data_are_not_longer_than_in_words() -> None:
    """All rules together, as JSON."""
    found = [finding_of(rule, {}, "en") for rule in rules()]

    assert len(json.dumps([one.as_data() for one in found])) < len(
        json.dumps([one.as_json() for one in found])
    )


def test_a_stored_rule_that_has_no_words_any_more_has_those_of_its_kind() -> None:
    data = {
        "severity": "error", "source": "peppol", "ruleId": "GONE-1", "location": "/Invoice[1]",
        "line": 1, "field": None, "businessTerms": [], "kind": "gone", "part": "document",
        "term": "", "facts": {"element": "ID"},
    }  # fmt: skip

    assert validation.from_data(data)["message"]
    assert facts.with_names({}, "GONE-1", "gone", "", wording.texts.language())["where"] == "gone"
