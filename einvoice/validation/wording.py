"""The words of findings: message, explanation and suggestion.

Words are looked up for the rule, then for its VAT category, then for its kind. Each of the three
sentences is looked up independently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from einvoice.documents.schemas import SchemaError
from einvoice.domain.field_names import SEND_FIELDS, FieldNames
from einvoice.rules.book import Flag, Kind
from einvoice.rules.evaluation import RuleFinding
from einvoice.validation import texts
from einvoice.validation.facts import facts_of, shown, with_names
from einvoice.validation.locations import ElementIndex, location_of
from einvoice.validation.pdf import PDF_RULE, Misfit
from einvoice.validation.report import Finding, Report, Wording
from einvoice.validation.terms import field_of, term_at, vat_rule, whole
from einvoice.xml import NotXml

_SEVERITIES = {
    Flag.FATAL: "error",
    Flag.WARNING: "warning",
    Flag.INFORMATION: "information",
}
_NATIONAL = re.compile(r"[A-Z]{2}-[RS]-")
_PARTS = ("message", "explanation", "suggestion")
_FIELD_FACTS = ("field", "endpoint_field")
_PLACE = ("line", "item")
_BINDING_FROM = "binding_from"  # the day from which an announced rule is in force
# The facts that a language's own are made from (facts.with_names).
_BEHIND: Mapping[str, tuple[str, ...]] = {
    "where": _PLACE,
    "Where": _PLACE,
    "within": _PLACE,
    "term": ("element",),
    "Term": ("element",),
    "Missing": ("missing", "element"),
    "missing": ("element",),
    "lacking_fields": ("lacking",),
}

# Kinds of wordings besides the kinds of rules (Kind).
_EVALUATION_ERROR, _SCHEMA, _XML, _MORE = "evaluation error", "schema", "xml", "more"
_ALIEN = "alien"
_UNJUDGED = "unjudged"
_ENCODED = "encoding"
_PDF = "pdf"
_MAX_IN_PDF = 400  # characters of what a PDF or veraPDF says
_NOT_JUDGED = "NOT-JUDGED-"
_MAX_IDENTIFIER = 240  # characters shown of a specification identifier
_UNKNOWN_DOCUMENT = "unknown-document"


def finding_of(
    fired: RuleFinding,
    index: ElementIndex,
    language: str = texts.DEFAULT_LANGUAGE,
    names: FieldNames = SEND_FIELDS,
) -> Finding:
    """The finding of a rule, or an evaluation error, in words that use these names of fields.

    The finding's `field` is the path in the body of a send.
    """
    below = str(fired.rule.parameters.get("path") or "") if fired.rule else ""
    location = location_of(fired.place, below, index)
    terms = fired.rule.terms if fired.rule else ()
    term = term_at(location, terms)
    field = field_of(fired.id, term, location, buyer=fired.values.get("lacking") == "buyer")
    facts = facts_of(fired, location, index.at(fired.place), field)
    kind = fired.rule.kind.value if fired.rule else _EVALUATION_ERROR
    needed = _needed(fired.id, kind, fired.layer.words)
    used = {name: fact for name, fact in facts.items() if fact and name in needed}
    if fired.layer.binding_from:
        used[_BINDING_FROM] = str(fired.layer.binding_from)
    wording = Wording(kind, location.part, whole(term or ""), used, fired.layer.words)
    return _worded(
        Finding(
            severity=_SEVERITIES[fired.severity],
            source=source_of(fired),
            rule_id=fired.id,
            message="",
            location=fired.place,
            line=index.line(fired.place),
            field=field,
            business_terms=terms,
            about=below or None,
            wording=wording,
        ),
        language,
        names,
    )


def _worded(finding: Finding, language: str, names: FieldNames = SEND_FIELDS) -> Finding:
    """The finding in words; one with fixed words, which are English, as it is."""
    if finding.wording is None:
        return replace(finding, language=other_language(finding.rule_id, None, language))
    message, explanation, suggestion = words_of(finding.rule_id, finding.wording, language, names)
    return replace(
        finding,
        message=message,
        explanation=explanation,
        suggestion=suggestion,
        language=other_language(finding.rule_id, finding.wording, language),
    )


def in_language(report: Report, language: str, names: FieldNames = SEND_FIELDS) -> Report:
    """The report in words of this language, which use these names of fields."""
    found = tuple(_worded(finding, language, names) for finding in report.findings)
    return replace(report, findings=found)


def from_data(data: Mapping[str, Any], language: str = texts.DEFAULT_LANGUAGE) -> dict[str, object]:
    """A stored finding (Finding.as_data) as JSON in words; one that is stored in words as it is."""
    if "message" in data:
        other = other_language(data["ruleId"], None, language)
        return dict(data) | ({"language": other} if other else {})
    wording = Wording(data["kind"], data["part"], data["term"], data["facts"])
    message, explanation, suggestion = words_of(data["ruleId"], wording, language)
    return Finding(
        severity=data["severity"],
        source=data["source"],
        rule_id=data["ruleId"],
        message=message,
        explanation=explanation,
        suggestion=suggestion,
        location=data["location"],
        line=data["line"],
        field=data["field"],
        business_terms=tuple(data["businessTerms"]),
        language=other_language(data["ruleId"], wording, language),
    ).as_json()


def source_of(fired: RuleFinding) -> str:
    """The origin of the rule: its layer's, or country for a national rule of Peppol."""
    national = fired.layer.source == "peppol" and _NATIONAL.match(fired.id)
    return "country" if national else fired.layer.source


def words_of(
    rule: str, wording: Wording, language: str, names: FieldNames = SEND_FIELDS
) -> tuple[str, str | None, str | None]:
    """Message, explanation and suggestion, all three in one language.

    They are English if the language does not list the rule and has no words of kinds.
    """
    language = other_language(rule, wording, language) or language
    words = texts.language(language, names, wording.words)
    facts = with_names(wording.facts, rule, wording.part, wording.term, words)
    facts |= {fact: names.of(facts[fact]) for fact in _FIELD_FACTS if fact in facts}
    return sentences(rule, wording.kind, facts, words)


def sentences(
    rule: str, kind: str, facts: texts.Facts, words: Mapping[str, Any]
) -> tuple[str, str | None, str | None]:
    """Message, explanation and suggestion of these tables; the facts have all names."""
    entries = list(_entries(rule, kind, words))
    message, explanation, suggestion = (_first(entries, part, facts) for part in _PARTS)
    message = message or rule
    if _BINDING_FROM in facts:
        template = words["announced"].get("message") or texts.language()["announced"]["message"]
        message = template.format(message=message, day=facts[_BINDING_FROM])
    return message, explanation, suggestion


def other_language(rule: str, wording: Wording | None, language: str) -> str | None:
    """The language of the words of a rule if they are not in this language; None if they are.

    Words without a wording are fixed, and English.
    """
    if language == texts.DEFAULT_LANGUAGE:
        return None
    listed = wording is not None and (
        texts.is_complete(language) or lists(rule, texts.language(language, more=wording.words))
    )
    return None if listed else texts.DEFAULT_LANGUAGE


def lists(rule: str, words: Mapping[str, Any]) -> bool:
    """Whether a language without words of kinds has its own for the rule."""
    entries = _category_entries(rule, words)
    return rule in words["rules"] or any("message" in entry for entry in entries)


def _first(entries: Iterable[texts.TextEntry], part: str, facts: texts.Facts) -> str | None:
    filled = (texts.fill(entry.get(part), facts) for entry in entries)
    return next((text for text in filled if text), None)


def _entries(rule: str, kind: str, words: Mapping[str, Any]) -> Iterator[texts.TextEntry]:
    """The entries to look for words in, the most specific first."""
    if kind in _OWN_ENTRIES:
        yield _OWN_ENTRIES[kind](rule, words)
        return
    own = words["rules"].get(rule)
    if own:
        yield own
    yield from _category_entries(rule, words)
    kinds = words["kinds"]
    yield kinds.get(kind) or kinds.get(Kind.OTHER.value, {})


def _category_entries(rule: str, words: Mapping[str, Any]) -> Iterator[texts.TextEntry]:
    category, number = vat_rule(rule) or ("", "")
    if category in words["categories"]:
        entry = words["questions"].get(number, {})
        yield entry.get(category, {})
        yield entry


def _evaluation_entry(rule: str, words: Mapping[str, Any]) -> texts.TextEntry:
    errors: Mapping[str, texts.TextEntry] = words["evaluation_errors"]
    return errors.get(rule, errors["STOPPED"])


def _xml_entry(rule: str, words: Mapping[str, Any]) -> texts.TextEntry:
    table = words["xml"]
    code, suggestions = _code(rule), table["suggestions"]
    suggestion = suggestions.get(code, suggestions["not-well-formed"])
    return {**table, "suggestion": suggestion}


def _schema_entry(rule: str, words: Mapping[str, Any]) -> texts.TextEntry:
    table = words["schema"]
    code, suggestions = _code(rule), table["suggestions"]
    return {
        "message": table["unknown" if code == _UNKNOWN_DOCUMENT else "message"],
        "explanation": "{said}",
        "suggestion": suggestions.get(code, suggestions["schema"]),
    }


def _more_entry(_: str, words: Mapping[str, Any]) -> texts.TextEntry:
    table = words["fold"]
    return {"message": table["truncated"], "explanation": table["truncated_why"]}


def _alien_entry(_: str, words: Mapping[str, Any]) -> texts.TextEntry:
    entry: texts.TextEntry = words["scenario"]
    return entry


def _unjudged_entry(rule: str, words: Mapping[str, Any]) -> texts.TextEntry:
    entry: texts.TextEntry = words["unjudged"].get(rule.removeprefix(_NOT_JUDGED).lower(), {})
    return entry


def _encoded_entry(_: str, words: Mapping[str, Any]) -> texts.TextEntry:
    entry: texts.TextEntry = words["encoding"]
    return entry


def _pdf_entry(rule: str, words: Mapping[str, Any]) -> texts.TextEntry:
    """The words of a finding on a PDF; those of all clauses of PDF/A (PDF-A-6.8-4) are the same."""
    code = rule.removeprefix(PDF_RULE).lower()
    entry: texts.TextEntry = words["pdf"].get("a" if code.startswith("a-") else code, {})
    return entry


_OWN_ENTRIES = {
    _ALIEN: _alien_entry,
    _UNJUDGED: _unjudged_entry,
    _ENCODED: _encoded_entry,
    _PDF: _pdf_entry,
    _EVALUATION_ERROR: _evaluation_entry,
    _XML: _xml_entry,
    _SCHEMA: _schema_entry,
    _MORE: _more_entry,
}


def _code(rule: str) -> str:
    """The code of an error of XML or schema: `empty` of XML-EMPTY."""
    return rule.partition("-")[2].lower()


@lru_cache(maxsize=8192)
def _needed(rule: str, kind: str, more: Path | None) -> frozenset[str]:
    """The names of the facts that the English words of a finding may need.

    Those of other languages need no others (tests/validation/test_words.py).
    """
    words = texts.language(texts.DEFAULT_LANGUAGE, SEND_FIELDS, more)
    entries = list(_entries(rule, kind, words))
    named = {name for part in _PARTS for name in _named(entries, part)}
    behind = {fact for name in named for fact in _BEHIND.get(name, ())}
    return frozenset(named | behind)


def _named(entries: Iterable[texts.TextEntry], part: str) -> Iterator[str]:
    """The placeholders of the texts that may be used, to the first that has none."""
    for entry in entries:
        for text in texts.alternatives(entry.get(part)):
            names = texts.placeholders(text)
            yield from names
            if not names:
                return


def more_findings(number: int, shown_of_them: int, language: str) -> Finding:
    """The finding that a report does not show all findings."""
    facts = {"shown": shown_of_them, "count": number, "more": number - shown_of_them}
    wording = Wording(_MORE, facts={name: str(fact) for name, fact in facts.items()})
    return _worded(
        Finding("information", "en16931", "MORE-FINDINGS", "", wording=wording), language
    )


def alien(
    specification: str, rule_set: str, location: str, language: str = texts.DEFAULT_LANGUAGE
) -> Finding:
    """The finding on a document that the publisher of the rule set has no scenario for.

    location  of the specification identifier (BT-24)
    """
    written = " ".join(specification.split())[:_MAX_IDENTIFIER]
    wording = Wording(_ALIEN, facts={"text": written, "set": rule_set})
    finding = Finding(
        "error",
        "country",
        "NO-SCENARIO",
        "",
        location=location,
        business_terms=("BT-24",),
        wording=wording,
    )
    return _worded(finding, language)


def encoded(encoding: str, language: str = texts.DEFAULT_LANGUAGE) -> Finding:
    """The finding on a document that declares another encoding than UTF-8."""
    wording = Wording(_ENCODED, facts={"text": encoding})
    return _worded(Finding("warning", "xsd", "XML-NOT-UTF-8", "", wording=wording), language)


def not_judged(
    what: str,
    specification: str,
    language: str = texts.DEFAULT_LANGUAGE,
    name: str | None = None,
) -> Finding:
    """The finding on what of a document no rule judged; `what` is a key of the texts.

    `name`: that of its specification, where it is known.
    """
    written = " ".join(specification.split())[:_MAX_IDENTIFIER]
    wording = Wording(_UNJUDGED, facts={"text": written} | ({"set": name} if name else {}))
    rule = f"{_NOT_JUDGED}{what.upper()}"
    finding = Finding("warning", "en16931", rule, "", business_terms=("BT-24",), wording=wording)
    return _worded(finding, language)


def in_pdf(misfit: Misfit, language: str = texts.DEFAULT_LANGUAGE) -> Finding:
    """The finding on a PDF and the invoice attached to it."""
    facts = {name: shown(fact, _MAX_IN_PDF) for name, fact in misfit.facts.items()}
    wording = Wording(_PDF, facts=facts)
    return _worded(Finding(misfit.severity, "xsd", misfit.rule, "", wording=wording), language)


def unreadable(error: NotXml, language: str = texts.DEFAULT_LANGUAGE) -> Finding:
    """The finding on bytes that cannot be parsed."""
    if error.code.startswith("pdf-"):
        return in_pdf(Misfit(error.code.removeprefix("pdf-"), "error"), language)
    wording = Wording(_XML, facts={"reason": shown(error.reason)})
    rule = f"XML-{error.code.upper()}"
    return _worded(Finding("error", "xsd", rule, "", line=error.line, wording=wording), language)


def against_schema(error: SchemaError, language: str = texts.DEFAULT_LANGUAGE) -> Finding:
    """The finding on an error of the schema."""
    location = location_of(error.path)
    term = term_at(location, ())
    finding = Finding(
        severity="error",
        source="xsd",
        rule_id=f"XSD-{error.code.upper()}",
        message="",
        location=error.path,
        line=error.line or None,
        field=None if error.code == _UNKNOWN_DOCUMENT else field_of("", term, location),
        business_terms=(term,) if term else (),
        wording=Wording(_SCHEMA, facts={"said": _sentence(shown(error.message))}),
    )
    return _worded(finding, language)


def _sentence(said: str) -> str:
    """The text with a capital and a full stop; a leading element name is unchanged."""
    starts_with_name = ":" in said.partition(" ")[0]
    start = said[:1] if starts_with_name else said[:1].upper()
    return start + said[1:] + ("" if said.endswith((".", "…")) else ".")
