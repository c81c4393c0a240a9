"""A language may list single rules; every other finding is in English."""

from __future__ import annotations

import pytest

from einvoice.rules.book import Kind, Rule
from einvoice.rules.layers import Layer
from einvoice.validation import folded, texts, wording
from tests.validation.every_rule import VALUES, finding_of, rules

PARTIAL = [code for code in texts.languages() if not texts.is_complete(code)]
_XRECHNUNG = (Layer.XRECHNUNG_UBL, Layer.XRECHNUNG_CII)
PARTS = ("message", "explanation", "suggestion")
# Facts in the language of the words, which a language without these tables does not have.
NAMED = {
    "where", "Where", "within", "term", "Term", "Named", "missing", "Missing", "category_name",
    "category", "vatex", "lacking", "lacking_fields", "requires",
}  # fmt: skip


def listed(language: str) -> list[Rule]:
    own = texts.language(language)["rules"]
    return [rule for rule in rules() if rule.id in own]


def test_german_and_french_list_the_rules_that_are_broken_most() -> None:
    """The same twenty or more, and German those of XRechnung."""
    german, french = (set(texts.language(code)["rules"]) for code in ("de", "fr"))
    of_xrechnung = {rule.id for rule in rules() if rule.layer in _XRECHNUNG}
    assert german == french | of_xrechnung
    assert len(french) >= 20


def test_dutch_lists_the_rules_of_nlcius() -> None:
    of_nlcius = {rule.id for rule in rules() if rule.layer is Layer.NLCIUS_UBL}

    assert set(texts.language("nl")["rules"]) == of_nlcius


def test_romanian_lists_the_rules_of_cius_ro_that_have_words_of_their_own() -> None:
    """And those for what an address must have; lengths and decimals are worded in English."""
    listed_ids = set(texts.language("ro")["rules"])
    of_cius_ro = {rule.id for rule in rules() if rule.layer is Layer.CIUS_RO_UBL}
    presence = {rule.id for rule in rules()
                if rule.layer is Layer.CIUS_RO_UBL and rule.kind is Kind.PRESENCE}  # fmt: skip

    assert PARTIAL == ["de", "fr", "nl", "ro"]
    assert listed_ids == (set(texts.language("en")["rules"]) & of_cius_ro) | presence


@pytest.mark.parametrize("language", PARTIAL)
def test_a_listed_rule_is_worded_in_full(language: str) -> None:
    """No part is in English or missing, with any values."""
    for rule in listed(language):
        for values in VALUES:
            found, english = (finding_of(rule, values, code) for code in (language, "en"))
            for part in PARTS:
                assert getattr(found, part), (rule.id, part)
                assert getattr(found, part) != getattr(english, part), (rule.id, part)


@pytest.mark.parametrize("language", PARTIAL)
def test_a_rule_that_is_not_listed_is_in_english(language: str) -> None:
    own = texts.language(language)["rules"]
    for rule in rules():
        if rule.id not in own:
            found, english = (finding_of(rule, {}, code) for code in (language, "en"))
            assert [getattr(found, p) for p in PARTS] == [getattr(english, p) for p in PARTS]


@pytest.mark.parametrize("language", PARTIAL)
def test_a_listed_rule_needs_stored_facts_only(language: str) -> None:
    """And none that comes from a table which the language does not have."""
    for rule in listed(language):
        entry = texts.language(language)["rules"][rule.id]
        stored = wording._needed(rule.id, rule.kind.value, rule.layer.words)
        for part in PARTS:
            alternatives = list(texts.alternatives(entry[part]))
            used = {name for text in alternatives for name in texts.placeholders(text)}
            assert used <= stored - NAMED, (rule.id, part)
            assert not texts.placeholders(alternatives[-1]), (rule.id, part)


@pytest.mark.parametrize("language", PARTIAL)
def test_warnings_that_are_folded_are_in_english(language: str) -> None:
    rule = next(rule for rule in rules() if rule.id.startswith("UBL-CR-"))
    found = finding_of(rule, {}, language)

    assert folded([found], language) == folded([found], "en")
