"""The words of findings: message, explanation and suggestion.

Words are looked up for the rule, then for its VAT category, then for its kind. Each of the three
sentences is looked up independently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from einvoice.documents.schemas import SchemaError
from einvoice.domain.field_names import SEND_FIELDS, FieldNames
from einvoice.rules.book import Flag, Kind
from einvoice.rules.evaluation import RuleFinding
from einvoice.validation import texts
from einvoice.validation.facts import facts_of, shown
from einvoice.validation.locations import ElementIndex, location_of
from einvoice.validation.report import Finding
from einvoice.validation.terms import field_of, term_at
from einvoice.xml import NotXml

_SEVERITIES = {Flag.FATAL: "error", Flag.WARNING: "warning"}
_NATIONAL = re.compile(r"[A-Z]{2}-[RS]-")
_CATEGORY = re.compile(r"BR-([A-Z]{1,2})-(\d\d)")
_PARTS = ("message", "explanation", "suggestion")
_FIELD_FACTS = ("field", "endpoint_field")


def finding_of(
    fired: RuleFinding,
    index: ElementIndex,
    language: str = texts.DEFAULT_LANGUAGE,
    names: FieldNames = SEND_FIELDS,
) -> Finding:
    """The finding of a rule, or an evaluation error, in words that use these names of fields.

    The finding's `field` is the path in the body of a send.
    """
    words = texts.language(language, names, fired.layer.words)
    below = str(fired.rule.parameters.get("path") or "") if fired.rule else ""
    location = location_of(fired.place, below, index)
    terms = fired.rule.terms if fired.rule else ()
    term = term_at(location, terms)
    field = field_of(fired.id, term, location, buyer=fired.values.get("lacking") == "buyer")
    facts = facts_of(fired, location, index.at(fired.place), term, field, words)
    facts |= {fact: names.of(facts[fact]) for fact in _FIELD_FACTS}
    message, explanation, suggestion = (
        _first(_entries(fired, words), part, facts) for part in _PARTS
    )
    return Finding(
        severity=_SEVERITIES[fired.flag],
        source=source_of(fired),
        rule_id=fired.id,
        message=message,
        explanation=explanation,
        suggestion=suggestion,
        location=fired.place,
        line=index.line(fired.place),
        field=field,
        business_terms=terms,
        about=below or None,
    )


def source_of(fired: RuleFinding) -> str:
    """The origin of the rule: that of its layer, or country for a national rule of Peppol."""
    national = fired.layer.source == "peppol" and _NATIONAL.match(fired.id)
    return "country" if national else fired.layer.source


def _first(entries: Iterator[texts.TextEntry], part: str, facts: texts.Facts) -> str:
    for entry in entries:
        text = texts.fill(entry.get(part), facts)
        if text:
            return text
    raise LookupError(f"no {part} for {facts['rule']}")  # cannot happen: every kind has words


def _entries(fired: RuleFinding, words: Mapping[str, Any]) -> Iterator[texts.TextEntry]:
    """The entries to look for words in, the most specific first."""
    if fired.rule is None:
        errors = words["evaluation_errors"]
        yield errors.get(fired.id, errors["STOPPED"])
        return
    own = words["rules"].get(fired.id)
    if own:
        yield own
    yield from _category_entries(fired.id, words)
    kinds = words["kinds"]
    yield kinds.get(fired.rule.kind.value, kinds[Kind.OTHER.value])


def _category_entries(rule: str, words: Mapping[str, Any]) -> Iterator[texts.TextEntry]:
    category = _CATEGORY.fullmatch(rule)
    if category and category[1] in words["categories"]:
        entry = words["questions"].get(category[2], {})
        yield entry.get(category[1], {})
        yield entry


def unreadable(error: NotXml, language: str = texts.DEFAULT_LANGUAGE) -> Finding:
    """The finding on bytes that cannot be parsed."""
    words = texts.language(language)["xml"]
    suggestions = words["suggestions"]
    return Finding(
        severity="error",
        source="xsd",
        rule_id=f"XML-{error.code.upper()}",
        message=words["message"],
        explanation=words["explanation"].format(reason=shown(error.reason)),
        suggestion=suggestions.get(error.code, suggestions["not-well-formed"]),
        line=error.line,
    )


def against_schema(error: SchemaError, language: str = texts.DEFAULT_LANGUAGE) -> Finding:
    """The finding on an error of the schema."""
    words = texts.language(language)["schema"]
    suggestions = words["suggestions"]
    unknown = error.code == "unknown-document"
    location = location_of(error.path)
    term = term_at(location, ())
    said = shown(error.message)
    return Finding(
        severity="error",
        source="xsd",
        rule_id=f"XSD-{error.code.upper()}",
        message=words["unknown"] if unknown else words["message"],
        explanation=_sentence(said),
        suggestion=suggestions.get(error.code, suggestions["schema"]),
        location=error.path,
        line=error.line or None,
        field=None if unknown else field_of("", term, location),
        business_terms=(term,) if term else (),
    )


def _sentence(said: str) -> str:
    """The text with a capital and a full stop; a leading element name is unchanged."""
    starts_with_name = ":" in said.partition(" ")[0]
    start = said[:1] if starts_with_name else said[:1].upper()
    return start + said[1:] + ("" if said.endswith((".", "…")) else ".")
