"""Warnings are data, and worded when they are read: in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import einvoice
from einvoice.domain import request
from einvoice.domain.field_names import FieldNames
from einvoice.domain.request import SendWarning
from einvoice.validation import texts, warnings
from einvoice.validation.report import Finding, Wording

ROOT = Path(einvoice.__file__).parent
LANGUAGES = ("en", "de", "fr", "nl", "pl", "ro")
_RAISED = re.compile(r'(?:SendWarning|_difference)\(\s*(?:"([a-z-]+)"|(VAT_NUMBER_DROPPED))')


def placeholders(template: texts.Template) -> list[set[str]]:
    return [set(texts.placeholders(text)) for text in texts.alternatives(template)]


def table(language: str) -> dict[str, dict[str, texts.Template]]:
    return texts.language(language)["warnings"]


def test_every_warning_has_words():
    raised = {
        code or getattr(request, name)
        for folder in ("domain", "services")
        for path in (ROOT / folder).rglob("*.py")
        for code, name in _RAISED.findall(path.read_text())
    }

    assert raised == set(table("en"))


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_language_has_the_warnings_of_english_with_the_same_values(language):
    english, words = table("en"), table(language)

    assert words.keys() == english.keys()
    for code, entry in english.items():
        assert words[code].keys() == entry.keys(), code
        for variant, template in entry.items():
            assert placeholders(words[code][variant]) == placeholders(template), (code, variant)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_warning_names_a_member_of_the_api(language):
    """People read them at their invoices; programs have the field beside the words."""
    named = re.compile(r"\b[a-z]+[A-Z]\w*|\w+\.\w+\[|\b\w+Means\b")
    found = {
        text
        for entry in table(language).values()
        for template in entry.values()
        for text in texts.alternatives(template)
        if named.search(text)
    }

    assert found == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_warning_is_a_whole_sentence_with_its_values(language):
    for code, entry in table(language).items():
        for variant, template in entry.items():
            values = {name: "VALUE" for each in placeholders(template) for name in each}
            message = warnings.message_of(code, variant, values, language)
            assert message.endswith((".", "?")), (code, variant)
            assert "{" not in message
            assert message.count("VALUE") >= len(next(iter(placeholders(template))))


def test_the_values_choose_the_text():
    """The most specific one that can be filled."""
    stored = SendWarning("not-carried-over", "", "x", "unknown", {"element": "A", "count": "2"})
    [twice] = warnings.in_words([stored.as_data()])
    stored = SendWarning("not-carried-over", "", "x", "unknown", {"element": "A"})
    [once] = warnings.in_words([stored.as_data()])

    assert twice["message"] == "A (2 times) is not carried over: EN 16931 does not know it."
    assert once["message"] == "A is not carried over: EN 16931 does not know it."


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_warning_that_is_stored_in_words_is_read_as_it_is(language):
    """Of an earlier release, or of a plugin; it says that it is English."""
    old = {"code": "due-date-missing", "message": "No due date.", "field": "invoice.dueDate"}
    plugin = SendWarning("dropped-note", "A toll bill holds no note.", "invoice.note")

    said = {} if language == "en" else {"language": "en"}
    assert warnings.in_words([old], language) == [old | said]
    assert warnings.in_words([plugin.as_data()], language)[0]["message"] == plugin.message


def test_the_warning_of_a_rule_is_worded_from_its_facts():
    wording = Wording("format", "header", "BT-73", {"field": "invoice.period"})
    finding = Finding("warning", "en16931", "BR-16", "English words.", wording=wording)
    stored = warnings.of_finding(finding)

    assert "message" not in stored
    [german] = warnings.in_words([stored], "de")
    assert german["message"] == "Eine Rechnung muss mindestens eine Position haben."


def test_the_warning_of_a_plugin_s_rule_is_stored_in_words():
    """Its plugin may be gone when it is read."""
    wording = Wording("format", "", "", {}, Path("words"))
    finding = Finding("warning", "network", "TOLL-01", "Too long.", wording=wording)

    assert warnings.of_finding(finding)["message"] == "Too long."


def test_a_body_with_names_of_its_own_gets_them():
    names = FieldNames({"invoice.dueDate": "dueDate"})
    stored = SendWarning("due-date-missing", field="invoice.dueDate").as_data()

    assert warnings.in_words([stored], "en", names)[0]["field"] == "dueDate"
    assert warnings.in_words([SendWarning("unreadable-document").as_data()])[0]["field"] is None
