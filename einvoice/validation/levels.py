"""Levels of rules that the caller of a validation chooses, as KoSIT's scenarios do.

A file in TOML names rules by their ids below the level that they are to have:

    warning = ["PEPPOL-EN16931-R008", "BR-CL-21"]
    error = ["BR-DE-21"]
    information = ["UBL-CR-646"]

Its levels come after the rule set's, and count in every layer. What is no rule keeps its
level: the parser, the schema, and rules that cannot be evaluated. Only validations on the command
line take such a file; a send is judged by the levels of its network.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from einvoice.rules import Flag, RuleSets

MAX_BYTES: Final = 1024 * 1024
_MAX_SHOWN: Final = 60  # characters of an id in a message
_FLAGS: Final = {
    "error": Flag.FATAL,
    "warning": Flag.WARNING,
    "information": Flag.INFORMATION,
}
_NAMES: Final = {flag: name for name, flag in _FLAGS.items()}


class InvalidLevels(ValueError):
    """The file is none of levels, or names a rule that no rule set has."""


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels of a file.

    file    its name as it was given
    sha256  of its bytes
    flags   id of a rule → its level
    """

    file: str
    sha256: str
    flags: Mapping[str, Flag]

    @classmethod
    def read(cls, file: Path, rule_sets: RuleSets) -> Levels:
        """The levels of a file. Raises InvalidLevels, and OSError."""
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InvalidLevels(f"it has more than {MAX_BYTES} bytes")
        flags = dict(_flags(_parsed(content)))
        known = _rule_ids(rule_sets)
        for rule in flags:
            if rule not in known:
                raise InvalidLevels(f"no rule set has a rule {rule[:_MAX_SHOWN]!r}")
        return cls(str(file), hashlib.sha256(content).hexdigest(), flags)

    @property
    def named(self) -> Mapping[str, str]:
        """Id of a rule → error, warning or information."""
        return {rule: _NAMES[flag] for rule, flag in sorted(self.flags.items())}

    def as_json(self) -> dict[str, object]:
        return {"file": self.file, "sha256": self.sha256, "rules": dict(self.named)}


def _parsed(content: bytes) -> Mapping[str, Any]:
    try:
        return tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise InvalidLevels(f"it is not TOML: {fault}") from None


def _flags(tables: Mapping[str, Any]) -> Iterator[tuple[str, Flag]]:
    met: set[str] = set()
    for level, rules in tables.items():
        if level not in _FLAGS:
            known = ", ".join(_FLAGS)
            raise InvalidLevels(f"{level[:_MAX_SHOWN]!r} is no level; there are {known}")
        if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
            raise InvalidLevels(f'{level} must be a list of ids: {level} = ["BR-01"]')
        for rule in rules:
            if rule in met:
                raise InvalidLevels(f"{rule[:_MAX_SHOWN]} is named twice")
            met.add(rule)
            yield rule, _FLAGS[level]


def _rule_ids(rule_sets: RuleSets) -> frozenset[str]:
    books = (book for each in rule_sets for pack in each.packs for book in pack.books)
    return frozenset(rule.id for book in books for rule in book.rules)
