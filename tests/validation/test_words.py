"""Every rule has complete words, and all words belong to a rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from einvoice import validation
from einvoice.rules import Flag
from einvoice.rules.book import Kind
from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.validation import document_report, facts, terms, texts
from einvoice.validation.terms import whole
from tests.conformance import corpus
from tests.tables import each_row
from tests.validation.every_rule import VALUES, distinct, finding_of, rules

DAY = date(2026, 11, 21)
SAMPLES = Path(__file__).parents[1] / "samples"
HOLE = re.compile(r"\{\w*\}|\bNone\b|Decimal|  ")


def whole_words(finding: validation.Finding) -> None:
    for words in (finding.message, finding.explanation, finding.suggestion):
        assert words, finding
        assert not HOLE.search(words), (finding.rule_id, words)
        assert words == words.strip(), (finding.rule_id, words)


@pytest.mark.parametrize("language", texts.languages())
def test_every_rule_has_a_message_an_explanation_and_a_suggestion(language: str) -> None:
    """All layers of all packs, with any values."""
    for rule in distinct():
        for values in VALUES:
            whole_words(finding_of(rule, values, language))


def test_every_rule_has_words_in_english() -> None:
    for rule in distinct():
        whole_words(finding_of(rule, {}, "en"))


def test_no_fatal_rule_uses_the_most_general_words() -> None:
    """They are for rules to come."""
    last = [str(text) for text in texts.language()["kinds"]["other"]["message"][1:]]
    vague = [re.sub(r"\\{\w+\\}", ".*", re.escape(text)) for text in last]
    found = {
        rule.id
        for rule in rules()
        if rule.flag is Flag.FATAL
        and any(re.fullmatch(pattern, finding_of(rule, {}, "en").message) for pattern in vague)
    }

    assert found == set()


def test_there_are_no_words_for_rules_that_do_not_exist() -> None:
    """A rule with a misspelt id would use general words."""
    of_plugins = set(texts.language("ar")["rules"])  # compared with their rules by their tests
    known = {rule.id for rule in rules()} | of_plugins
    for language in texts.languages():
        if not texts.language(language)["warnings"]:
            continue  # of a plugin's rules, whose tests compare them
        assert set(texts.language(language)["rules"]) <= known


@each_row(
    ("rule", "words"),
    [
        ("ibr-139-ae", "an export is Z"),
        ("CL-04-OM", "an export is Z"),
        ("IBR-137-OM", "stands in a credit note"),
        ("ibr-cl-01", "such as 380 for an invoice"),
    ],
)
def test_what_the_norm_allows_and_a_country_does_not_has_another_way(rule: str, words: str) -> None:
    """Whoever sends G for an export, or a negative amount, is told what the country has."""
    found = next(each for each in rules() if each.id == rule)

    assert words in (finding_of(found, {}, "en").suggestion or "")


COMPLETE = [code for code in texts.languages() if texts.is_complete(code)]


@pytest.mark.parametrize("language", COMPLETE)
def test_every_business_term_has_a_name(language: str) -> None:
    used = {whole(term) for rule in rules() for term in rule.terms}

    assert used <= set(texts.language(language)["terms"])


@pytest.mark.parametrize("language", COMPLETE)
def test_a_language_has_every_entry_without_a_fallback(language: str) -> None:
    """A rule's own words may be missing; those of kinds, evaluation errors and places may not."""
    words = texts.language(language)
    parts = {part for part, _ in terms.rows().values()}

    assert {kind.value for kind in Kind} <= set(words["kinds"])
    assert {error.id for error in _all_errors()} <= set(words["evaluation_errors"])
    assert parts <= set(words["parts"])
    assert parts <= set(words["within"])


def _all_errors(kind: type[EvaluationError] = EvaluationError) -> Iterator[type[EvaluationError]]:
    """The class and all below it."""
    yield kind
    for child in kind.__subclasses__():
        yield from _all_errors(child)


# Names of values that rules return; facts.py lists the other facts.
VALUE_NAMES = set(
    re.findall(
        r"\w+",
        "declared expected part identifier rate base rows count values countries number price "
        "length currency start end decimals text code most codes_found subject",
    )
)


def placeholders(table: Any) -> set[str]:
    if isinstance(table, str):
        return set(texts.placeholders(table))
    inside = table.values() if isinstance(table, Mapping) else table
    return set().union(*map(placeholders, inside))


@pytest.mark.parametrize("language", texts.languages())
def test_placeholders_are_facts(language: str) -> None:
    """A text with a misspelt placeholder would never be used."""
    known = VALUE_NAMES | set(re.findall(r"`(\w+)`", facts.__doc__ or ""))
    tables = texts.language(language)

    for name in ("kinds", "questions", "rules", "evaluation_errors"):
        assert placeholders(tables[name]) <= known, name


@pytest.mark.skipif(not corpus.present(), reason="no corpus: set EINVOICE_CORPUS")
@pytest.mark.parametrize("part", corpus.PARTS)
def test_findings_of_the_corpus_have_complete_sentences(part: str) -> None:
    """Every seventh document of each part, without its schema."""
    for number, document in enumerate(corpus.documents(part)):
        if number % 7 == 0:
            report = validation.check(document.content, on=DAY, schema=False)
            for finding in report.findings:
                if finding.rule_id != "MORE-FINDINGS":
                    whole_words(finding)


def test_words_are_in_data_files_only() -> None:
    """A language is a folder, so no sentence for callers is in the code."""
    sources = Path(document_report.__file__).parent.glob("*.py")
    sentences = re.compile(r'"[A-Z][a-z]+ [a-z]+ [^"]*\."')
    found = [
        match[0]
        for source in sources
        for line in source.read_text(encoding="utf-8").splitlines()
        if not line.lstrip().startswith(('"""', "#"))
        for match in sentences.finditer(line)
        if '"""' not in line
    ]

    assert found == []


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        (b"TypeCode>380<", b"TypeCode>381<", "P0100"),
        (b"TypeCode>380<", b"TypeCode>325<", "P0100"),
    ],
)
def test_a_type_that_peppol_does_not_take_is_told_with_those_that_it_takes(old, new, rule) -> None:
    """Of each release its own: 389 from 3.0.22 on."""
    content = (SAMPLES / "good_ubl.xml").read_bytes().replace(old, new)
    said = []
    for day in (date(2026, 11, 24), date(2027, 2, 24)):
        found = validation.check(content, on=day).findings
        [finding] = [each for each in found if each.rule_id.endswith(rule)]
        said.append(finding.explanation)

    assert all("Peppol takes 71, 80, 82," in each for each in said)
    assert ["389" in each for each in said] == [False, True]
