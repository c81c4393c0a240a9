"""The words of warnings: assumptions of the service, improbable values, and warnings of rules.

A warning is stored as code, field and values (SendWarning.as_data), or of a rule as its wording,
and is put into words when it is read. One that is stored in words is read as it is: it is of an
earlier release, or of a plugin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from einvoice.domain.field_names import SEND_FIELDS, FieldNames
from einvoice.validation import texts
from einvoice.validation.report import Finding, Wording
from einvoice.validation.wording import other_language, words_of

_ONLY = "message"  # the variant of a code that has no others
Stored = Mapping[str, Any]


def of_finding(finding: Finding) -> dict[str, object]:
    """The warning of a rule in the form that is stored."""
    warning: dict[str, object] = {"code": finding.rule_id, "field": finding.field}
    wording = finding.wording
    if wording is None or wording.words is not None:  # of a plugin, which may be gone when read
        return warning | {"message": finding.message}
    parts = {"kind": wording.kind, "part": wording.part, "term": wording.term}
    return warning | {"wording": parts | {"facts": dict(wording.facts)}}


def in_words(
    stored: Iterable[Stored],
    language: str = texts.DEFAULT_LANGUAGE,
    names: FieldNames = SEND_FIELDS,
) -> list[dict[str, object]]:
    """Stored warnings as JSON, in words of this language, which use these names of fields."""
    return [_in_words(warning, language, names) for warning in stored]


def message_of(code: str, variant: str, values: Mapping[str, str], language: str) -> str:
    """The message of a warning of the service; in English where the language has none."""
    for text, names in _templates(code, variant, language):
        if all(map(values.get, names)):
            return text.format_map(values) if names else text
    return code


@lru_cache(maxsize=1024)
def _templates(code: str, variant: str, language: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The texts of a warning with their placeholders, in the order in which they are tried."""
    entries = (
        texts.language(each)["warnings"].get(code, {}).get(variant or _ONLY)
        for each in (language, texts.DEFAULT_LANGUAGE)
    )
    found = (text for entry in entries for text in texts.alternatives(entry))
    return tuple((text, texts.placeholders(text)) for text in found)


def _in_words(warning: Stored, language: str, names: FieldNames) -> dict[str, object]:
    field = warning["field"]
    other = _other_language(warning, language)
    return {
        "code": warning["code"],
        "message": _message(warning, language, names),
        "field": names.of(field) if field and names.by_path else field,
        **({"language": other} if other else {}),
    }


def _message(warning: Stored, language: str, names: FieldNames) -> str:
    code = str(warning["code"])
    if "wording" in warning:
        return words_of(code, _wording(warning), language, names)[0]
    if "message" in warning:
        return str(warning["message"])
    return message_of(code, warning.get("variant", ""), warning["values"], language)


def _wording(warning: Stored) -> Wording:
    parts = warning["wording"]
    return Wording(parts["kind"], parts["part"], parts["term"], parts["facts"])


def _other_language(warning: Stored, language: str) -> str | None:
    """The language of the message if it is not this one: a language of networks alone has none of
    the service."""
    if "wording" in warning:
        return other_language(str(warning["code"]), _wording(warning), language)
    if "message" not in warning and texts.language(language)["warnings"]:
        return None
    return other_language("", None, language)
