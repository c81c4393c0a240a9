"""Errors of a network about a document that was sent, in the form of findings.

A network names rules and texts of its own. Where a rule is one that is installed here, its words
and its field are ours, in the language of the reader; the text of the network is kept beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from einvoice.rules import built_in
from einvoice.rules.book import Rule
from einvoice.validation import texts
from einvoice.validation.locations import Location, location_of
from einvoice.validation.report import Wording
from einvoice.validation.terms import field_of, term_at, whole
from einvoice.validation.wording import lists, other_language, words_of

_NOWHERE = Location("document", None, None, "")


def refusal(
    rule: str,
    text: str,
    *,
    place: str = "",
    field: str | None = None,
    advice: str | None = None,
) -> dict[str, object]:
    """The form that is stored: without words, which `refusal_in_words` makes.

    rule    its id at the network; empty if it names none
    text    the network's own words
    place   path of an element of the document that was sent, such as `/Invoice[1]/cbc:ID[1]`
    field   the field of a send, where the network or its plugin knows it
    advice  what to do, where the plugin knows it
    """
    known = _installed(rule) if rule else None
    location = location_of(place) if place else _NOWHERE
    term = term_at(location, known.terms if known else ()) if known or place else None
    found = field or (field_of(rule, term, location) if known or place else None)
    data: dict[str, object] = {
        "ruleId": rule or None,
        "text": text,
        "location": place or None,
        "field": found,
        "advice": advice,
    }
    if known is not None:
        data |= {"kind": known.kind.value, "part": location.part, "term": whole(term or "")}
    return data


def refusal_in_words(
    data: Mapping[str, Any], language: str = texts.DEFAULT_LANGUAGE
) -> dict[str, object]:
    """A stored error as JSON: message and suggestion in this language where its rule is known.

    Otherwise the message is the network's own text.
    """
    message, suggestion, other = data["text"], data["advice"], None
    wording = _wording(data, language)
    if wording is not None:
        said, _, advised = words_of(data["ruleId"], wording, language)
        message = message if said == data["ruleId"] else said
        suggestion = suggestion or advised
        other = other_language(data["ruleId"], wording, language)
    return {
        "ruleId": data["ruleId"],
        "message": message,
        "suggestion": suggestion,
        "field": data["field"],
        "location": data["location"],
        "networkText": data["text"],
        **({"language": other} if other else {}),
    }


def _wording(data: Mapping[str, Any], language: str) -> Wording | None:
    """How the rule is worded: one of a plugin only where the language has its own words for it."""
    facts = {"field": data["field"]} if data["field"] else {}
    if "kind" in data:
        return Wording(data["kind"], data["part"], data["term"], facts)
    listed = data["ruleId"] and lists(data["ruleId"], texts.language(language))
    return Wording("", facts=facts) if listed else None


@lru_cache(maxsize=2048)
def _installed(rule: str) -> Rule | None:
    """The rule of this id, of the rule sets of the service."""
    for rule_set in built_in():
        for pack in rule_set.packs:
            for book in pack.books:
                for each in book.rules:
                    if each.id == rule:
                        return each
    return None
