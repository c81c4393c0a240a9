"""The words of findings, a folder of data files for each language.

A language is the folder `<code>/` with TOML files whose tables are merged:

- `terms`, `parts`, `within`: the names of business terms and parts of an invoice in a sentence;
- `kinds`: words by the kind of a rule (presence, sum, code list …), for rules without their own;
- `evaluation_errors`: words by the id of an error;
- `questions`, `categories`: the VAT category rules (BR-<category>-<number>): words by number, with
  other words for single categories, and the name of each category;
- `rules`: words of single rules by id; `schema`, `xml`: words by error code; `fold`, `cli`;
- `warnings`: the messages of warnings by code and variant (warnings.py); every language has all;
- `announced`: the message of a rule whose release is not in force yet;
- `pdf`: words for PDFs and the invoices attached to them;
- `unjudged`: words for what of a document no rule judges;
- `scenario`: words for a document that the publisher of its rule set refuses.

An entry of rules, kinds and questions has `message` (what is required), `explanation` and
`suggestion`; one with `like` has what it lacks of the entry of that name beside it. Each is a text
or a list of texts with {placeholders}: the first whose placeholders all have a value is used, so a
list goes from the most to the least specific. `facts.py` lists the
placeholders. To add a language, copy `en` and translate it: tests compare every folder with the
rule books. A language without `kinds` lists single rules and VAT category rules in full, with texts
that need no names of terms or places; every other finding is in English. One without `warnings`
has the rules of single networks only, such as Arabic those of ZATCA.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from string import Formatter
from typing import Any

from einvoice.domain.field_names import SEND_FIELDS, FieldNames

_FOLDER = Path(__file__).parent
DEFAULT_LANGUAGE = "en"
_TABLES = (
    "terms", "parts", "within", "kinds", "evaluation_errors", "questions", "categories", "lacking",
    "rules", "scenario", "unjudged", "pdf", "schema", "xml", "fold", "announced",
    "warnings",
)  # fmt: skip
_WITH_LIKES = ("rules", "questions")

Template = str | Sequence[str]
TextEntry = Mapping[str, Template]
Facts = Mapping[str, str]


@cache
def language(
    code: str = DEFAULT_LANGUAGE, names: FieldNames = SEND_FIELDS, more: Path | None = None
) -> Mapping[str, Any]:
    """All tables of one language, whose texts call the fields by these names.

    `more`: a folder like this one with the words of further rules, such as a plugin's rule set;
    a complete language that it does not have is English there. A table that the language does not
    have is empty. Raises KeyError for a language that has no folder.
    """
    files = sorted((_FOLDER / code).glob("*.toml"))
    if not files:
        raise KeyError(code)
    if more is not None:
        own = sorted((more / code).glob("*.toml"))
        files += own if own or not is_complete(code) else sorted((more / "en").glob("*.toml"))
    tables: dict[str, dict[str, Any]] = {name: {} for name in _TABLES}
    for file in files:
        for name, table in tomllib.loads(file.read_text(encoding="utf-8")).items():
            tables.setdefault(name, {}).update(table)
    for name in _WITH_LIKES:
        tables[name] = _completed(tables[name])
    return {name: _renamed(table, names) for name, table in tables.items()}


def _completed(entries: Mapping[str, Any]) -> dict[str, Any]:
    """The entries, each with what it lacks of the one that its `like` names; also those inside."""
    return {name: _whole_entry(entries, name) for name in entries}


def _whole_entry(entries: Mapping[str, Any], name: str) -> Any:
    entry = entries[name]
    if not isinstance(entry, dict):
        return entry
    own = _completed({part: text for part, text in entry.items() if part != "like"})
    return {**_whole_entry(entries, entry["like"]), **own} if "like" in entry else own


def _renamed(templates: Any, names: FieldNames) -> Any:
    """The tables, lists and texts given, the texts with the names of the body."""
    if isinstance(templates, dict):
        return {name: _renamed(entry, names) for name, entry in templates.items()}
    if isinstance(templates, list):
        return [_renamed(entry, names) for entry in templates]
    return names.in_template(templates) if isinstance(templates, str) else templates


def best_language(tags: Iterable[str]) -> str:
    """The first of these language tags, in order of preference, that has a folder; else English."""
    there = languages()
    wanted = (tag.lower().replace("_", "-").partition("-")[0] for tag in tags)
    return next((code for code in wanted if code in there), DEFAULT_LANGUAGE)


@cache
def languages() -> list[str]:
    """The languages that have a folder."""
    return sorted(folder.name for folder in _FOLDER.iterdir() if any(folder.glob("*.toml")))


def is_complete(code: str) -> bool:
    """Whether a language has words for every finding, not for single rules only."""
    return bool(language(code)["kinds"])


def fill(template: Template | None, facts: Facts) -> str | None:
    """The first text whose placeholders all have a value, filled; None if there is none."""
    for text in alternatives(template):
        if all(facts.get(name) for name in placeholders(text)):
            return text.format_map(facts)
    return None


def alternatives(template: Template | None) -> Iterator[str]:
    """The texts of an entry, the most specific first."""
    if isinstance(template, str):
        yield template
    elif template:
        yield from template


@lru_cache(maxsize=4096)
def placeholders(text: str) -> tuple[str, ...]:
    """The names in braces."""
    return tuple(name for _, name, _, _ in Formatter().parse(text) if name)
