"""The rules of PINT and of tax data documents agree with the official ones, by id and flag.

Daily a part of the damaged examples; the whole is marked long.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import pytest

from einvoice.validation import Light, judge
from tests.rules import official
from tests.rules.official import Fired, Official

DAY = date(2026, 11, 22)
_PART = 8  # daily every eighth damaged example
SETS = (
    Official("pint-ae", "ae", ("verdicts-billing.csv",), "mutants-pint-ae-billing"),
    Official(
        "pint-ae-selfbilling", "ae", ("verdicts-selfbilling.csv",), "mutants-pint-ae-selfbilling"
    ),
    Official("pint-om", "om", ("verdicts-billing.csv",), "mutants-pint-om-billing"),
    Official(
        "pint-om-selfbilling", "om", ("verdicts-selfbilling.csv",), "mutants-pint-om-selfbilling"
    ),
    Official("tdd-ae", "ae", ("verdicts-tdd.csv", "verdicts-tdd-peppol-uae.csv"), "mutants-tdd-ae"),
    Official("tdd-om", "om", ("verdicts-tdd.csv",), "mutants-tdd-om"),
    Official("tdd-sk", "sk", ("verdicts-tdd.csv",), "mutants-tdd-sk"),
)
# Two transactions, of which one has no process: officially that of the other one is taken for it.
# Red by ibr-tdd-11 and by R001 on both sides.
TWO_TRANSACTIONS = {("tdd-sk", "0116.xml")}
every_set = pytest.mark.parametrize("of", SETS, ids=lambda of: of.rule_set)


def found(document: bytes, rule_set: str) -> Fired:
    judged = judge(document, on=DAY, schema=False, asked=rule_set)
    assert judged.verdict is not None
    return {(each.id, each.flag.value) for each in judged.verdict.findings}


def differing(
    documents: Iterable[tuple[str, bytes, Fired]], rule_set: str
) -> dict[str, Fired]:  # fmt: skip
    """Of each document whose findings differ: those that only one side has."""
    both = {name: found(content, rule_set) ^ fired for name, content, fired in documents}
    return {name: rules for name, rules in both.items() if rules}


def judged_mutants(of: Official) -> list[tuple[str, bytes, Fired]]:
    return [
        (row["file"], content, official.fired_in(row))
        for row, content in of.damaged()
        if not row.get("no_verdict_from") and (of.rule_set, row["file"]) not in TWO_TRANSACTIONS
    ]


@official.needed
@every_set
def test_published_examples_have_the_official_findings(of):
    assert not differing(of.samples(), of.rule_set)


@official.needed
@every_set
def test_a_part_of_the_damaged_examples_has_the_official_findings(of):
    assert not differing(judged_mutants(of)[::_PART], of.rule_set)


@official.needed
@pytest.mark.long
@every_set
def test_damaged_examples_have_the_official_findings(of):
    assert not differing(judged_mutants(of), of.rule_set)


@official.needed
@every_set
def test_an_example_that_stops_the_official_rules_is_never_green(of):
    stopped = [(row["file"], doc) for row, doc in of.damaged() if row.get("no_verdict_from")]

    for name, content in stopped:
        assert judge(content, on=DAY, schema=False, asked=of.rule_set).light is Light.RED, name


@official.needed
@pytest.mark.parametrize("of", [of for of in SETS if of.rule_set.startswith("tdd")],
                         ids=lambda of: of.rule_set)  # fmt: skip
def test_our_schema_of_tax_data_documents_accepts_what_the_official_one_does(of):
    """The embedded document is content of any kind for both."""
    different = {
        row["file"]: row["schema_valid"]
        for row, content in of.damaged()
        if (not judge(content, on=DAY, asked=of.rule_set).schema) is not row["schema_valid"]
    }

    assert not different
