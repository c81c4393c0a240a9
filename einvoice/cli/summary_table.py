"""The table at the end of `einvoice validate` on several files: their rule sets, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from einvoice.cli.checked_file import UNREADABLE, CheckedFile

_MAX_FILES: Final = 200  # of more files, only the counts by rule set are shown
_COLUMNS: Final = ("green", "amber", "red", "unreadable")
_OTHER: Final = "other"  # a column only if there are any
_UNOPENED: Final = "-"


class SummaryTable:
    """Rows for the files, then one for each rule set with the numbers of its files by light.

    `many`: there is a row only for a file that is not green.
    """

    def __init__(self, *, many: bool) -> None:
        self._many = many
        self._files: list[tuple[str, str, str]] = []
        self._counts: dict[str, Counter[str]] = {}

    def add(self, checked: CheckedFile) -> None:
        unreadable = checked.exit_code == UNREADABLE
        light = "unreadable" if unreadable else checked.light.value
        light = _OTHER if checked.is_other else light
        rule_set = _UNOPENED if checked.is_other else checked.rule_set or _UNOPENED
        self._counts.setdefault(rule_set, Counter())[light] += 1
        if not (self._many and checked.is_green) and len(self._files) <= _MAX_FILES:
            self._files.append((light, rule_set, plain(checked.file)))

    def rows(self) -> Iterator[str]:
        """The lines of both tables, each with a heading."""
        if 0 < len(self._files) <= _MAX_FILES:
            yield from _aligned([("result", "rule set", "file"), *self._files])
            yield ""
        has_others = any(found[_OTHER] for found in self._counts.values())
        columns = (*_COLUMNS, _OTHER) if has_others else _COLUMNS
        counts = [
            (rule_set, *(str(found[column]) for column in columns))
            for rule_set, found in sorted(self._counts.items())
        ]
        yield from _aligned([("rule set", *columns), *counts])


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def plain(text: str) -> str:
    """Replace control characters in text from documents and file names, to protect the terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
