"""The rules of Fatoora find what the official ones find, by id and flag.

Daily a sample of the damaged documents; the whole is marked long.
"""

from __future__ import annotations

import random

import pytest

from einvoice.documents.schemas import schema_errors
from einvoice.rules import Syntax
from einvoice.xml import NotXml, parse
from einvoice_zatca.rules import RULES
from plugins.zatca.tests import official, verdicts
from tests.seed import SEED

SAMPLE = 60  # of the damaged samples of a table
MUTANTS = ("mutants-sa", "mutants-sa-directed")
ENGINE = RULES.packs[0].engine(Syntax.UBL)
FLAGS = {"fatal": "error", "warning": "warning"}


def found(document: bytes) -> verdicts.Findings:
    verdict = ENGINE.check(parse(document), document)
    return {(each.id, FLAGS[each.flag.value]) for each in verdict.findings}


def differing(documents) -> dict[str, verdicts.Findings]:
    """Of each document whose findings differ: those that only one side has."""
    both = {name: found(content) ^ fired for name, content, fired in documents}
    return {name: rules for name, rules in both.items() if rules}


@pytest.mark.parametrize("table", ["verdicts-3.4.6.csv", "verdicts-3.4.6-on-sdk-samples.csv"])
def test_published_samples_have_the_official_findings(table):
    assert differing(verdicts.of_samples(table)) == {}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_sample_of_the_damaged_documents_has_the_official_findings(name):
    documents = list(verdicts.of_mutants(name))

    assert differing(random.Random(SEED).sample(documents, SAMPLE)) == {}, f"EINVOICE_SEED={SEED}"


@pytest.mark.long
@pytest.mark.parametrize("name", MUTANTS)
def test_damaged_documents_have_the_official_findings(name):
    assert differing(verdicts.of_mutants(name)) == {}


def test_a_document_without_an_official_verdict_has_a_fatal_finding_or_a_wrong_schema():
    for name, content, _ in verdicts.of_mutants("mutants-sa", judged=False):
        try:
            root = parse(content)
        except NotXml:
            continue
        verdict = ENGINE.check(root, content)
        fatal = any(each.flag.value == "fatal" for each in verdict.findings)
        assert fatal or list(schema_errors(root)), name


def test_every_official_rule_is_listed_with_its_flag():
    """But for BR-KSA-98, which is about the moment of sending."""
    rules = (rule for book in RULES.packs[0].books for rule in book.rules)
    ours = {(rule.id, FLAGS[rule.flag.value]) for rule in rules}
    theirs = {(row["id"], row["flag"]) for row in official.table("rules-3.4.6.csv")}

    assert {rule for rule, _ in theirs ^ ours} == verdicts.LEFT_OUT
