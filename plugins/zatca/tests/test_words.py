"""Words of the rules of ZATCA, in Arabic too."""

from __future__ import annotations

import re
import tomllib

import pytest

from einvoice.rules import RuleFinding
from einvoice.validation import folded, texts, wording
from einvoice.validation.locations import ElementIndex
from einvoice_zatca.rules import RULES
from einvoice_zatca.rules.conditions import KSA
from tests.validation.every_rule import ROOT

OWN = {rule.id: rule for book in RULES.packs[0].books for rule in book.rules if rule.layer is KSA}
PARTS = ("message", "explanation", "suggestion")
_ARABIC = re.compile(r"[\u0600-\u06ff]")
# Latin letters that are no word: names of terms, fields, codes and forms.
_NAMES = re.compile(
    r"\b(?:BT|BG|KSA)-\d+|\b[a-z]+(?:[.][a-zA-Z0-9]+)+|\btax[A-Z]\w+(?:[.]\w+)?|VATEX-SA-\w+|\(\w+\)"
    r"|\b[A-Z]{1,5}\b|CRN:\d+|\bUNTDID\b|hh:mm:ss|YYYY-MM-DD|reporting:1[.]0|true|false"
)


def finding_of(rule, language):
    fired = RuleFinding(rule.layer, rule.id, rule.flag, "/Invoice[1]", {}, rule)
    return wording.finding_of(fired, ElementIndex(ROOT), language)


def test_every_rule_of_zatca_is_worded_in_arabic_in_full():
    wrong = [
        (rule.id, part)
        for rule in OWN.values()
        for found in [finding_of(rule, "ar")]
        for part in PARTS
        if found.language or not _ARABIC.search(getattr(found, part) or "")
    ]

    assert (len(OWN), wrong) == (141, [])


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("BR-KSA-17", "invoice.correctionText"),
        ("BR-KSA-18", "An export is Z with the reasonCode VATEX-SA-32 (goods)"),
        ("BR-KSA-73", "invoice.prepayments"),
        ("BR-KSA-80", "invoice.prepayments"),
        ("BR-KSA-F-04", "stands in a credit note"),
    ],
)
def test_a_refusal_says_what_to_send(rule, words):
    """A person who knows VAT, and no rules, can go on from it."""
    assert words in finding_of(OWN[rule], "en").suggestion


def test_english_words_are_of_rules_that_are_there():
    zatca = tomllib.loads((texts._FOLDER / "en" / "zatca.toml").read_text("utf-8"))

    assert zatca["rules"].keys() <= OWN.keys()


def test_there_is_no_word_for_a_rule_that_is_not_there():
    """Entries that several rules have in common have no message."""
    words = texts.language("ar")["rules"]

    assert {name for name, entry in words.items() if "message" in entry} == OWN.keys()


def test_the_words_have_no_word_of_another_language():
    found = {
        (rule, part, word)
        for rule, entry in texts.language("ar")["rules"].items()
        for part in PARTS
        for word in re.findall("[A-Za-z]{2,}", _NAMES.sub(" ", entry.get(part, "")))
    }

    assert found == set()


@pytest.mark.parametrize("rule", ["BR-02", "BR-CO-15"])
def test_a_rule_of_en_16931_is_in_english_and_says_so(rule):
    (of_en,) = [each for each in RULES.packs[0].books[0].rules if each.id == rule][:1]
    found = finding_of(of_en, "ar")

    assert (found.message, found.language) == (finding_of(of_en, "en").message, "en")
    assert [each.language for each in folded([found], "ar")] == ["en"]


def test_the_words_await_a_native_reader():
    for file in (texts._FOLDER / "ar").glob("*.toml"):
        assert "a review by a native reader" in file.read_text("utf-8")[:250]
