"""The code lists of the layers, one CSV file a list.

A file starts with lines "# key: value" (list, version, used by), then the column name "code", then
a code a line. A list that is `based on` another one has its differences instead: "-code" is not in
it, "+code" is in it too. The lists differ between layers, as the official ones do: the Peppol
currencies have STN, the CEN list has STD. A new version of a list is a new file, which the rules of
the next pack name.
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
    """The list in `<name>.csv`. Raises FileNotFoundError."""
    header: dict[str, str] = {}
    codes: list[str] = []
    rows = (_FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    for row in rows:
        if row.startswith("#"):
            key, _, value = row[1:].partition(":")
            header[key.strip()] = value.strip()
        else:
            codes.append(row.strip())
    ordered = codes[1:]  # without the column name
    if "based on" in header:
        ordered = _changed(code_list(header["based on"]).ordered, ordered)
    used_by = header.get("used by", "")
    return CodeList(
        name, header["list"], header["version"], used_by, frozenset(ordered), tuple(ordered)
    )


def _changed(base: tuple[str, ...], changes: list[str]) -> list[str]:
    """The codes of another list without those of rows "-code", then those of rows "+code"."""
    without = {row[1:] for row in changes if row.startswith("-")}
    added = [row[1:] for row in changes if row.startswith("+")]
    return [code for code in base if code not in without] + added


def all_lists() -> Iterator[CodeList]:
    """All lists of this release, by file name."""
    for file in sorted(_FOLDER.glob("*.csv")):
        yield code_list(file.stem)
