"""Stored findings that use every text of the words of a form, with and without its facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from einvoice.validation import texts

Stored = dict[str, object]
# The kinds of findings whose words are not those of rules, by table, with their ids.
_OWN = {"schema": "XSD", "xml": "XML"}


def findings(words: Mapping[str, Mapping[str, Any]]) -> Iterator[Stored]:
    """Of each rule, category, kind, place, term and code in the words of all languages."""
    facts = _facts(words)
    english = words[texts.DEFAULT_LANGUAGE]
    for rule, kind, part, term in _subjects(words, english):
        for known in ({}, facts, {"element": "ID", "count": "2"}):
            yield _stored(rule, kind, part, term, known)
    yield _stored("BR-02", "presence", "document", "BT-1", {"binding_from": "2027-02-24"})
    for missing in ({"missing": "yes"}, *({"lacking": party} for party in english["lacking"])):
        yield _stored("R-1", "presence", "document", "BT-1", missing)


Subject = tuple[str, str, str, str]  # rule, kind, part, term


def _subjects(
    words: Mapping[str, Mapping[str, Any]], english: Mapping[str, Any]
) -> Iterator[Subject]:
    for rule in sorted({rule for tables in words.values() for rule in tables["rules"]}):
        yield rule, "presence", "line", "BT-131"
    for number in sorted(english["questions"]):
        for category in sorted(english["categories"]):
            yield f"BR-{category}-{number}", "sum", "breakdown", "BT-116"
    for kind in (*sorted(english["kinds"]), "gone"):
        yield "R-1", kind, "line", "BT-131"
    for part in (*sorted(english["parts"]), "gone"):
        yield "R-1", "presence", part, ""
    for term in sorted(english["terms"]):
        yield "R-1", "presence", "document", term
    yield from _without_rules(english)


def _without_rules(english: Mapping[str, Any]) -> Iterator[Subject]:
    for error in (*sorted(english["evaluation_errors"]), "GONE"):
        yield error, "evaluation error", "document", ""
    for table, begins in _OWN.items():
        for code in (*sorted(english[table]["suggestions"]), "unknown-document", "gone"):
            yield f"{begins}-{code.upper()}", table, "document", ""
    for name in sorted(english["unjudged"]):
        yield f"NOT-JUDGED-{name.upper()}", "unjudged", "document", ""
    for name in sorted(english["pdf"]):
        yield f"PDF-{name.upper()}", "pdf", "document", ""
    yield "MORE-FINDINGS", "more", "document", ""
    yield "NO-SCENARIO", "alien", "document", ""


def _stored(rule: str, kind: str, part: str, term: str, facts: Mapping[str, str]) -> Stored:
    return {
        "severity": "error", "source": "en16931", "ruleId": rule, "location": "/Invoice[1]",
        "line": 1, "field": "invoice.number", "businessTerms": ["BT-1"], "kind": kind,
        "part": part, "term": term, "facts": dict(facts),
    }  # fmt: skip


def _facts(words: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """A value for each placeholder."""
    names = {name for tables in words.values() for name in _placeholders(tables)}
    derived = {"binding_from", "missing", "lacking", "message"}  # they choose other words
    return {name: f"<{name}>" for name in sorted(names - derived)}


def _placeholders(table: object) -> Iterator[str]:
    if isinstance(table, str):
        yield from texts.placeholders(table)
    elif isinstance(table, Mapping):
        for entry in table.values():
            yield from _placeholders(entry)
    elif isinstance(table, list):
        for entry in table:
            yield from _placeholders(entry)
