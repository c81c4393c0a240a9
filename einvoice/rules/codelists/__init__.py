"""The codes each layer accepts: one data file a list, with its name, version and users.

A file starts with "# key: value" lines, then the column name "code", then a code a line. The lists
differ between layers on purpose (the Peppol currencies have STN, the CEN list has STD). A new
version of a list is a new file; the rule pack that uses it says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class CodeList:
    """A code list as one layer accepts it."""

    name: str  # of the file
    title: str
    version: str
    used_by: str
    codes: frozenset[str]
    ordered: tuple[str, ...]  # as published

    def __contains__(self, code: str) -> bool:
        return code in self.codes


@cache
def code_list(name: str) -> CodeList:
    """The list in `<name>.csv`. Raises FileNotFoundError: a missing list is our mistake."""
    header: dict[str, str] = {}
    codes: list[str] = []
    rows = (_FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    for row in rows:
        if row.startswith("#"):
            key, _, value = row[1:].partition(":")
            header[key.strip()] = value.strip()
        else:
            codes.append(row.strip())
    told = codes[1:]
    used_by = header.get("used by", "")
    return CodeList(name, header["list"], header["version"], used_by, frozenset(told), tuple(told))


def every_list() -> Iterator[CodeList]:
    """All lists of this release, by file name."""
    for file in sorted(_FOLDER.glob("*.csv")):
        yield code_list(file.stem)
