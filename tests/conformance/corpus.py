"""Corpora: documents with the official verdict, read once and compared as sets.

The corpus of Peppol BIS Billing lies outside the project (EINVOICE_CORPUS, else ../shared/corpus).
Its PEPPOL-CII verdicts are a reconstruction: the 3.0.19 rules changed by the published differences
to 3.0.21, run through Saxon. Corpora of other rule sets are folders beside it, named
`corpus-<rule set>`: `rule_set_of` is the set that judges the documents of a folder.
"""

import json
import os
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from einvoice.rules import built_in
from tests.oracle.official import Fired
from tests.oracle.sources import ROOT

PARTS = ("valid", "examples", "unit", "mutants", "directed")

OUTDATED = frozenset({"PEPPOL-COMMON-R048", "DK-R-003"})
"""Rules whose published unit tests are of 3.0.19 and differ from the verdicts of 3.0.21."""


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """A document of the corpus with the reports of the official rules.

    `fired` has an entry for each place; `at` is empty if the corpus does not have the place.
    `accepted`: whether the publisher's validator accepts it; None if the corpus does not say.
    `layers`: those that have a verdict, if not all of the rule set have.
    """

    file: str
    part: str
    syntax: str
    schema_valid: bool
    fired: tuple[Fired, ...]
    failed_layers: frozenset[str]
    content: bytes
    accepted: bool | None = None
    layers: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """The part, with the family of mutants: `mutants/vat`."""
        return "/".join(Path(self.file).parts[:2]) if self.part == "mutants" else self.part


def folder() -> Path:
    """The folder of the corpus, which may be absent."""
    return Path(os.environ.get("EINVOICE_CORPUS", ROOT.parent / "shared" / "corpus"))


def present() -> bool:
    return (folder() / "mutants.jsonl").exists()


DAYS = {"peppol-3.0.22": date(2027, 2, 24), "xrechnung": date(2026, 8, 30)}
"""The day of the release that a folder is for, where it is not that of the others."""


NAMES = {"facturx": "factur-x", "xrechnung-2.6.0": "xrechnung"}
"""The rule set of a folder that is not named as the set."""

DOCUMENTS = {"xrechnung-2.6.0": "corpus-xrechnung"}
"""The folder beside it that has the documents which a folder does not repeat."""


def rule_set_of(place: Path) -> str:
    """The rule set that a folder of documents is for, by its name; else Peppol BIS Billing."""
    name = NAMES.get(_name(place), _name(place))
    return name if name in built_in() else built_in().default.name


def day_of(place: Path) -> date:
    """A day on which the release that a folder is for is in force."""
    return DAYS.get(_name(place), date(2026, 11, 21))


def further() -> list[Path]:
    """The folders of other rule sets and releases beside the corpus."""
    found = sorted(folder().parent.glob("corpus-*"))
    known = {rule_set.name for rule_set in built_in()} | DAYS.keys() | NAMES.keys()
    return [each for each in found if _name(each) in known and _documents_of(each).exists()]


def _name(place: Path) -> str:
    return place.resolve().name.removeprefix("corpus-")


def _documents_of(place: Path) -> Path:
    """The folder with the documents of a folder."""
    return place.parent / DOCUMENTS[_name(place)] if _name(place) in DOCUMENTS else place


def documents(
    *parts: str, syntax: str | None = None, place: Path | None = None
) -> Iterator[CorpusDocument]:
    """The documents of the named parts (all if none is named), in the order of the files.

    `place`: the folder of the corpus; None: that of Peppol BIS Billing.
    """
    place = place or folder()
    for part in parts or PARTS:
        for row in _rows(place / f"verdicts_{part}.jsonl"):
            if syntax is None or row["syntax"] == syntax:
                yield _judged(row, part, place)


@cache
def expectations() -> dict[str, dict[str, str]]:
    """The published unit tests: file → rule → outcome (pass, fatal or warning)."""
    return {
        row["file"]: {each["rule"]: each["outcome"] for each in row["expect"]}
        for row in _rows(folder() / "unit_cases.jsonl")
    }


def _rows(file: Path) -> list[dict[str, Any]]:
    """The lines of a file; none if the corpus does not have it."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _judged(row: dict[str, Any], part: str, place: Path) -> CorpusDocument:
    fired = (Fired(f["source"], f["id"], f["flag"], f.get("at", "")) for f in row["fired"])
    return CorpusDocument(
        file=row["file"],
        part=part,
        syntax=row["syntax"],
        schema_valid=row["schema_valid"],
        fired=tuple(fired),
        failed_layers=frozenset(row.get("no_verdict_from", ())),
        content=_content(row["file"], part, place),
        accepted=row.get("accepted"),
        layers=(f"FACTURX-{row['profile']}", "CEN-CII") if "profile" in row else (),
    )


def _content(file: str, part: str, place: Path) -> bytes:
    packed = _packed(part, place) or _packed(part, _documents_of(place))
    return packed[file] if packed else (place / file).read_bytes()


@cache
def _packed(part: str, place: Path) -> dict[str, bytes]:
    """The documents of a part that is an archive; none if it is a folder."""
    found = next(place.glob(f"{part}.tar.*"), None)
    if found is None:
        return {}
    with tarfile.open(found) as archive:
        members = [member for member in archive if member.isfile()]
        return {member.name: archive.extractfile(member).read() for member in members}
