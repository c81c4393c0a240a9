"""The words of findings in former forms of the report (report_forms.py): all tables of all
languages as they were, one file for each form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from einvoice.validation import texts
from einvoice.validation.facts import with_names
from einvoice.validation.wording import lists, sentences

FOLDER = Path(__file__).parent
# Tables that no finding of a report has words of.
_OF_OTHERS = frozenset({"warnings", "cli"})

Tables = Mapping[str, Mapping[str, Any]]


def file_of(form: int) -> Path:
    """The file with the words of a form."""
    return FOLDER / f"former_words_{form}.json"


def words_of_today() -> dict[str, Tables]:
    """The words that findings have today, by language; each language has the sentence for
    announced rules."""
    english = texts.language()["announced"]
    found: dict[str, Tables] = {}
    for code in texts.languages():
        own = {name: t for name, t in texts.language(code).items() if name not in _OF_OTHERS}
        found[code] = own | {"announced": own["announced"] or english}
    return found


def freeze(form: int) -> Path:
    """Write today's words as the words of a form. Raises FileExistsError if it has its words."""
    text = json.dumps(words_of_today(), ensure_ascii=False, indent=1, sort_keys=True)
    with file_of(form).open("x", encoding="utf-8") as file:
        file.write(text + "\n")
    return file_of(form)


@cache
def _words(form: int) -> Mapping[str, Tables]:
    known: Mapping[str, Tables] = json.loads(file_of(form).read_text(encoding="utf-8"))
    return known


def former_finding(form: int, data: Mapping[str, Any], language: str) -> dict[str, object]:
    """A stored finding as JSON in the words of a former form; one that is stored in words as it is.

    It is English as a whole if the form has no such language, or the language did not list the
    rule and had no words of kinds.
    """
    if "message" in data:
        return dict(data)
    rule, known = data["ruleId"], _words(form)
    words = _words_for(rule, known, language)
    facts = with_names(data["facts"], rule, data["part"], data["term"], words)
    message, explanation, suggestion = sentences(rule, data["kind"], facts, words)
    return {
        "severity": data["severity"],
        "source": data["source"],
        "ruleId": rule,
        "message": message,
        "explanation": explanation,
        "suggestion": suggestion,
        "location": data["location"],
        "line": data["line"],
        "field": data["field"],
        "businessTerms": data["businessTerms"],
    }


def former_named_finding(form: int, data: Mapping[str, Any], language: str) -> dict[str, object]:
    """The same with the member `language` where the words are in another language than this one,
    as forms have it from form 2 on."""
    found, known = former_finding(form, data, language), _words(form)
    english = texts.DEFAULT_LANGUAGE
    is_english = "message" in data or _words_for(data["ruleId"], known, language) is known[english]
    return found | {"language": english} if is_english and language != english else found


def _words_for(rule: str, known: Mapping[str, Tables], language: str) -> Tables:
    english = known[texts.DEFAULT_LANGUAGE]
    words = known.get(language, english)
    return words if words["kinds"] or lists(rule, words) else english
