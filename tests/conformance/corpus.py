"""The corpus: documents with the official verdict, read once and compared as sets.

The corpus lies outside the project (EINVOICE_CORPUS, else ../shared/corpus). Its PEPPOL-CII
verdicts are a reconstruction: the 3.0.19 rules changed by the published differences to 3.0.21, run
through Saxon.
"""

import json
import os
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.oracle.official import Fired
from tests.oracle.sources import ROOT

PARTS = ("valid", "examples", "unit", "mutants")

OUTDATED = frozenset({"PEPPOL-COMMON-R048", "DK-R-003"})
"""Rules whose published unit tests are of 3.0.19 and differ from the verdicts of 3.0.21."""


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """A document of the corpus with the reports of the official rules.

    `fired` has an entry for each place; `at` is empty if the corpus does not have the place.
    """

    file: str
    part: str
    syntax: str
    schema_valid: bool
    fired: tuple[Fired, ...]
    failed_layers: frozenset[str]
    content: bytes

    @property
    def family(self) -> str:
        """The part, with the family of mutants: `mutants/vat`."""
        return "/".join(Path(self.file).parts[:2]) if self.part == "mutants" else self.part


def folder() -> Path:
    """The folder of the corpus, which may be absent."""
    return Path(os.environ.get("EINVOICE_CORPUS", ROOT.parent / "shared" / "corpus"))


def present() -> bool:
    return (folder() / "mutants.jsonl").exists()


def documents(*parts: str, syntax: str | None = None) -> Iterator[CorpusDocument]:
    """The documents of the named parts (all if none is named), in the order of the files."""
    for part in parts or PARTS:
        for row in _rows(f"verdicts_{part}.jsonl"):
            if syntax is None or row["syntax"] == syntax:
                yield _judged(row, part)


@cache
def expectations() -> dict[str, dict[str, str]]:
    """The published unit tests: file → rule → outcome (pass, fatal or warning)."""
    return {
        row["file"]: {each["rule"]: each["outcome"] for each in row["expect"]}
        for row in _rows("unit_cases.jsonl")
    }


def _rows(name: str) -> list[dict[str, Any]]:
    with (folder() / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _judged(row: dict[str, Any], part: str) -> CorpusDocument:
    fired = (Fired(f["source"], f["id"], f["flag"], f.get("at", "")) for f in row["fired"])
    return CorpusDocument(
        file=row["file"],
        part=part,
        syntax=row["syntax"],
        schema_valid=row["schema_valid"],
        fired=tuple(fired),
        failed_layers=frozenset(row.get("no_verdict_from", ())),
        content=_content(row["file"], part),
    )


def _content(file: str, part: str) -> bytes:
    if part == "mutants":
        return _mutants()[file]
    return (folder() / file).read_bytes()


@cache
def _mutants() -> dict[str, bytes]:
    with tarfile.open(folder() / "mutants.tar.gz") as archive:
        members = [member for member in archive if member.isfile()]
        return {member.name: archive.extractfile(member).read() for member in members}
