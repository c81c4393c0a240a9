"""A language may list single rules; every other finding is in English, and says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from einvoice.rules.book import Kind, Rule
from einvoice.rules.layers import Layer
from einvoice.validation import folded, texts, wording
from tests.validation.every_rule import VALUES, distinct, finding_of, rules

PARTIAL = [
    code
    for code in texts.languages()
    if not texts.is_complete(code) and texts.language(code)["warnings"]
]
_XRECHNUNG = (Layer.XRECHNUNG_UBL, Layer.XRECHNUNG_CII)
PARTS = ("message", "explanation", "suggestion")
# Facts from tables of the language that these languages have, for the VAT category rules.
_OF_CATEGORIES = {"category", "category_name", "vatex", "lacking", "lacking_fields"}
_ALWAYS_FILLED = {"category", "category_name"}
_OF_PEPPOL = re.compile(r"PEPPOL-EN16931-R0[0-6]\d")
# English words that none of these languages has, and what of a text is no word: names of fields,
# identifiers and examples.
_ENGLISH = re.compile(
    r"\b(the|and|must|which|should|with|from|this|that|give|write|line|invoice|supplier|buyer|"
    r"missing|amount|amounts|rate|number|have|has|may|there|least|most)\b",
    re.IGNORECASE,
)
_NO_WORDS = re.compile(
    r"\bInvoice\b|\{\w+\}|\S*\w[.:#\[]\w\S*|\b[a-z]+[A-Z]\w*|“[^”]*”|„[^”“]*[”“]"
)


def listed(language: str) -> list[Rule]:
    """The rules of which the language has words."""
    own = texts.language(language)
    return [rule for rule in distinct() if wording.lists(rule.id, own)]


def of_every_language() -> set[str]:
    """What an invoice that is written by hand meets: EN 16931, and the first rules of Peppol."""
    return {
        rule.id
        for rule in rules()
        if (
            rule.id.startswith("BR-")
            and rule.layer.source == "en16931"
            and rule.layer != Layer.FACTURX_EXTENDED
        )
        or _OF_PEPPOL.fullmatch(rule.id)
    }


def sentences(rule: Rule, language: str) -> Iterator[tuple[str, list[str]]]:
    """The texts that may be used for each part, to the first that can always be filled."""
    own = texts.language(language)
    for part in PARTS:
        used = []
        for entry in wording._entries(rule.id, rule.kind.value, own):
            for text in texts.alternatives(entry.get(part)):
                used.append(text)
                if set(texts.placeholders(text)) <= _ALWAYS_FILLED:
                    break
            else:
                continue
            break
        yield part, used


def test_every_language_words_what_an_invoice_written_by_hand_meets() -> None:
    wanted = of_every_language()
    missing = {code: sorted(wanted - {rule.id for rule in listed(code)}) for code in PARTIAL}

    assert len(wanted) > 200
    assert {code: ids for code, ids in missing.items() if ids} == {}


def test_a_country_has_the_rules_of_its_own_specification() -> None:
    """German XRechnung, Dutch NLCIUS, Romanian CIUS-RO but for lengths and decimals."""
    known = {code: {rule.id for rule in listed(code)} for code in PARTIAL}
    own_words = set(texts.language("en")["rules"])
    of_layer = {
        layer: {rule.id for rule in rules() if rule.layer is layer}
        for layer in (*_XRECHNUNG, Layer.NLCIUS_UBL)
    }
    of_romania = {
        rule.id for rule in rules()
        if rule.layer is Layer.CIUS_RO_UBL
        and (rule.kind is Kind.PRESENCE or rule.id in own_words)
    }  # fmt: skip

    assert of_layer[_XRECHNUNG[0]] | of_layer[_XRECHNUNG[1]] <= known["de"]
    assert of_layer[Layer.NLCIUS_UBL] <= known["nl"]
    assert of_romania <= known["ro"]


@pytest.mark.parametrize("language", PARTIAL)
def test_a_listed_rule_is_worded_in_full(language: str) -> None:
    """No part is in English or missing, with any values."""
    wrong = [
        (rule.id, part, values)
        for rule in listed(language)
        for values in VALUES
        for found, english in [[finding_of(rule, values, code) for code in (language, "en")]]
        for part in PARTS
        if getattr(found, part) in (None, "", getattr(english, part)) or found.language
    ]

    assert wrong == []


@pytest.mark.parametrize("language", PARTIAL)
def test_a_listed_rule_has_no_word_of_english(language: str) -> None:
    found = {
        (rule.id, part, word[0])
        for rule in listed(language)
        for part, used in sentences(rule, language)
        for text in used
        for word in _ENGLISH.finditer(_NO_WORDS.sub(" ", text))
    }

    assert found == set()


@pytest.mark.parametrize("language", PARTIAL)
def test_a_rule_that_is_not_listed_is_in_english_and_says_so(language: str) -> None:
    own = texts.language(language)
    wrong = [
        rule.id
        for rule in distinct()
        if not wording.lists(rule.id, own)
        for found, english in [[finding_of(rule, {}, code) for code in (language, "en")]]
        if found != english or found.as_json() != english.as_json() | {"language": "en"}
    ]

    assert wrong == []


@pytest.mark.parametrize("language", PARTIAL)
def test_a_listed_rule_needs_stored_facts_only(language: str) -> None:
    """Or those of the VAT categories; and its last text can always be filled."""
    wrong = []
    for rule in listed(language):
        known = wording._needed(rule.id, rule.kind.value, rule.layer.words) | _OF_CATEGORIES
        for part, used in sentences(rule, language):
            unknown = {name for text in used for name in texts.placeholders(text)} - known
            if unknown or not used or set(texts.placeholders(used[-1])) - _ALWAYS_FILLED:
                wrong.append((rule.id, part, unknown))

    assert wrong == []


def test_every_language_words_the_announcement_of_a_rule() -> None:
    """It stands around the message of the rule, so the two are one sentence for a reader."""
    assert [code for code in PARTIAL if not texts.language(code)["announced"].get("message")] == []


@pytest.mark.parametrize("language", PARTIAL)
def test_every_file_says_that_it_awaits_a_native_reader(language: str) -> None:
    silent = [
        file.name
        for file in (texts._FOLDER / language).glob("*.toml")
        if "a review by a native reader" not in " ".join(file.read_text("utf-8").split())[:250]
        .replace("# ", "")
    ]  # fmt: skip

    assert silent == []


@pytest.mark.parametrize("language", PARTIAL)
def test_warnings_that_are_folded_are_in_english(language: str) -> None:
    rule = next(rule for rule in rules() if rule.id.startswith("UBL-CR-"))
    found = finding_of(rule, {}, language)

    assert folded([found], language) == folded([found], "en")
