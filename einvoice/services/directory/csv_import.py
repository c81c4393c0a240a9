"""Importing a directory as CSV: valid rows are stored, invalid ones reported (decisions 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from einvoice import clock
from einvoice.documents import directory_csv
from einvoice.documents.csv_table import CsvTable
from einvoice.domain.directory import EntryKind, EntrySource
from einvoice.domain.errors import CsvInvalid, FileTooLarge
from einvoice.services.account import audit
from einvoice.services.computing.pool import Computing
from einvoice.services.directory import bulk_add, entries
from einvoice.services.directory.candidates import CandidateFile, read_file
from einvoice.services.directory.entries import EntryFilters, EntryPageRequest
from einvoice.services.principal import Session
from einvoice.store.core import db
from einvoice.store.directory import pages
from einvoice.store.directory.bulk import NewEntry

MAX_BYTES = 5 * 1024 * 1024
# A megabyte of cells takes 50 ms to read, and 70 for its keys; a megabyte of line breaks 130.
MAX_READ_HERE_BYTES = 256 * 1024
EXPORT_PAGE_SIZE = 1_000


class RowOutcome(StrEnum):
    """The effect of a valid row."""

    NEW = "new"
    EXISTS = "exists"  # in the directory or earlier in the file; the entry is not changed


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """A valid row: its line in the file, its values by attribute, and what becomes of it."""

    line: int
    values: Mapping[str, Any]
    outcome: RowOutcome


@dataclass(frozen=True, slots=True)
class Imported:
    """The numbers of rows that were stored, existed before, or were refused, with the reasons.

    planned  of a dry run: the entries that would be added, by the places of their rows
    """

    table: CsvTable
    created: int
    dry_run: bool
    planned: Mapping[int, NewEntry] = field(default_factory=dict)

    @property
    def skipped(self) -> int:
        return len(self.table.rows) - self.created

    def first_rows(self, most: int) -> list[PlannedRow]:
        """The effects that the first valid rows would have."""
        found = zip(self.table.lines[:most], self.table.rows, strict=False)
        return [
            PlannedRow(line, values, RowOutcome.NEW if place in self.planned else RowOutcome.EXISTS)
            for place, (line, values) in enumerate(found)
        ]


def run(
    kind: EntryKind,
    tenant_id: str,
    content: bytes,
    *,
    dry_run: bool = False,
    atomic: bool = False,
    session: Session | None = None,
    computing: Computing,
) -> Imported:
    """Store the rows of a file that are not in the directory yet, in one transaction.

    The file is read before the turn of the tenant's work with the database, with a computing slot
    or in a computing process.

    Raises FileTooLarge, CsvUnreadable, CsvMissingColumns, CsvTooManyColumns, CsvTooManyRows, and
    CsvInvalid if an atomic import has a row that cannot be stored; ComputingUnavailable and
    ComputationTooLarge for a large file.
    """
    if len(content) > MAX_BYTES:
        raise FileTooLarge(f"A file has at most {MAX_BYTES // 1024**2} MiB.", MAX_BYTES)
    file = _read(kind, tenant_id, content, computing)
    table = file.table
    if atomic and table.failed:
        message = f"{table.failed} of {table.total} rows cannot be stored; nothing was stored."
        raise CsvInvalid(message, faults(table))
    with computing.bulk_work(tenant_id):
        if dry_run:
            planned = _missing(kind, tenant_id, file)
            return Imported(table, len(planned), dry_run, planned)
        return Imported(table, _store(kind, tenant_id, file, session), dry_run)


def _read(kind: EntryKind, tenant_id: str, content: bytes, computing: Computing) -> CandidateFile:
    """The rows of a file with their keys, computed in a computing process if it is large."""
    if len(content) > MAX_READ_HERE_BYTES:
        return computing.run(tenant_id, read_file, kind, content)
    return read_file(kind, content)


def _missing(kind: EntryKind, tenant_id: str, file: CandidateFile) -> Mapping[int, NewEntry]:
    with db.reading() as connection:
        return bulk_add.missing(connection, kind, tenant_id, file.candidates)


def _store(kind: EntryKind, tenant_id: str, file: CandidateFile, session: Session | None) -> int:
    """Store the missing entries; returns their number."""
    with db.writing() as connection:
        created = bulk_add.add_missing(
            connection, kind, tenant_id, file.candidates, source=EntrySource.IMPORT, now=clock.now()
        )
        detail = {"created": created, "total": file.table.total}
        audit.record(connection, tenant_id, session, f"{kind}.imported", tenant_id, detail)
    return created


def faults(table: CsvTable) -> dict[str, object]:
    """The members about refused rows, in the response and in the refusal."""
    return {
        "failed": table.failed,
        "total": table.total,
        "errors": [asdict(fault) for fault in table.errors],
        "errorsTruncated": table.errors_truncated,
    }


def export(kind: EntryKind, tenant_id: str, text: str | None = None) -> Iterator[str]:
    """The directory as CSV that can be imported, ordered by name; yields pieces of the file.

    text  only entries that a search for it finds
    """
    yield directory_csv.header(kind)
    part = EntryPageRequest(limit=EXPORT_PAGE_SIZE, order=pages.NAME, descending=False)
    while True:
        page = entries.page(kind, tenant_id, EntryFilters(text=text), part)
        yield directory_csv.lines(kind, page.items)
        if page.end is None:
            return
        part = EntryPageRequest(
            limit=EXPORT_PAGE_SIZE, order=pages.NAME, descending=False, after=page.end
        )
