"""Reads CSV files whose header names known columns; errors are reported by row and column.

Spreadsheets treat a cell that begins with = + - @ as a formula. Written files have an apostrophe
before such cells, which reading removes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from einvoice.documents import csv_text
from einvoice.documents.csv_text import CsvText
from einvoice.domain.directory import CsvColumn
from einvoice.domain.errors import (
    CsvMissingColumns,
    CsvTooManyColumns,
    CsvTooManyRows,
    CsvUnreadable,
)

MAX_COLUMNS = 100  # each is looked at in every row, and reported if it is not imported
MAX_ERRORS = 500
_MAX_SHOWN = 100
_SEPARATORS = (",", ";", "\t", "|")
# Also refused in texts of the API: characters that XML does not allow.
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")

# How a cell becomes the value of an attribute, by attribute; raises InvalidCell.
Readers = Mapping[str, Callable[[str], Any]]


@dataclass(frozen=True, slots=True)
class CellError:
    """An invalid cell. `row` is the line of the file where its row begins; the header is line 1."""

    row: int
    column: str | None
    code: str
    message: str
    value: str


@dataclass(frozen=True, slots=True)
class IgnoredColumn:
    """A column of the file that is not imported."""

    code: str
    column: str
    message: str


@dataclass(slots=True)
class CsvTable:
    """The valid rows of a file, and the errors of the others (at most MAX_ERRORS).

    lines     of each valid row, the line of the file where it begins; the header is line 1
    encoding  how the bytes of the file were read
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    failed: int = 0
    errors: list[CellError] = field(default_factory=list)
    errors_truncated: bool = False
    ignored_columns: list[IgnoredColumn] = field(default_factory=list)
    encoding: str = csv_text.UTF_8

    @property
    def total(self) -> int:
        return len(self.rows) + self.failed

    def fail(self, errors: Iterable[CellError]) -> None:
        self.failed += 1
        room = MAX_ERRORS - len(self.errors)
        found = list(errors)
        self.errors += found[:room]
        self.errors_truncated = self.errors_truncated or len(found) > room


class InvalidCell(Exception):
    """The value of a cell is not valid for its column."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code


# -- reading -------------------------------------------------------------------------------------


def read(
    columns: Sequence[CsvColumn], readers: Readers, content: bytes, most_rows: int
) -> CsvTable:
    """Parse a file of at most `most_rows` rows below its header.

    Raises CsvUnreadable, CsvMissingColumns, CsvTooManyColumns and CsvTooManyRows.
    """
    file = csv_text.decoded(content)
    records = _records(file, columns)
    _, header = next(records, (0, []))
    if len(header) > MAX_COLUMNS:
        words = f"The header has {len(header):,} columns; at most {MAX_COLUMNS} are allowed."
        raise CsvTooManyColumns(words, MAX_COLUMNS)
    table = CsvTable(encoding=file.encoding)
    mapped = _mapped(header, columns, table)
    for line, cells in records:
        if any(cells):
            if table.total == most_rows:
                words = f"The file has more than {most_rows:,} rows."
                raise CsvTooManyRows(words, most_rows)
            _read_row(line, cells, mapped, readers, table)
    return table


def _records(file: CsvText, columns: Sequence[CsvColumn]) -> Iterator[tuple[int, list[str]]]:
    """The first line and the stripped cells of each row, the header included."""
    stream = io.StringIO(file.text, newline="")
    separator = file.separator or _separator(file.text, columns)
    reader = csv.reader(stream, delimiter=separator, strict=True)
    line = 1 + file.skipped
    try:
        for cells in reader:
            yield line, [cell.strip() for cell in cells]
            line = reader.line_num + 1 + file.skipped
    except csv.Error as fault:
        raise CsvUnreadable(
            f"The row that begins in line {line} cannot be read: {fault}."
        ) from None


def _separator(text: str, columns: Sequence[CsvColumn]) -> str:
    """The separator by which the header names the most columns."""
    known = {column.header.lower() for column in columns}

    def _named(separator: str) -> int:
        with suppress(csv.Error, StopIteration):
            header = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
            return sum(cell.strip().lower() in known for cell in header)
        return 0

    return max(_SEPARATORS, key=_named)


def _mapped(
    header: list[str], columns: Sequence[CsvColumn], table: CsvTable
) -> list[CsvColumn | None]:
    """The column of each cell of a row; None if it is ignored. Raises CsvMissingColumns."""
    by_name = {column.header.lower(): column for column in columns}
    mapped = [by_name.get(cell.lower()) for cell in header]
    missing = [c.header for c in columns if c.required and c not in mapped]
    if missing:
        raise CsvMissingColumns(f"The header lacks {', '.join(missing)}.", missing)
    for cell, column in zip(header, mapped, strict=True):
        if column is not None and mapped.count(column) > 1:
            raise CsvUnreadable(f"The header names the column {column.header} more than once.")
        if column is None and cell:
            shown = cell[:_MAX_SHOWN]
            table.ignored_columns.append(
                IgnoredColumn("column-ignored", shown, "is not a column of this import")
            )
    return mapped


def _read_row(
    line: int,
    cells: Sequence[str],
    columns: Sequence[CsvColumn | None],
    readers: Readers,
    table: CsvTable,
) -> None:
    values: dict[str, Any] = {}
    errors: list[CellError] = []
    for place, column in enumerate(columns):
        if column is None:
            continue
        cell = cells[place] if place < len(cells) else ""
        try:
            values[column.attribute] = _read_cell(cell, column, readers)
        except InvalidCell as wrong:
            shown = cell[:_MAX_SHOWN]
            errors.append(CellError(line, column.header, wrong.code, str(wrong), shown))
    if any(cells[len(columns) :]):
        words = f"has {len(cells)} cells, the header {len(columns)}: quote cells with separators"
        errors.append(CellError(line, None, "too-many-cells", words, cells[len(columns)][:100]))
    if errors:
        table.fail(errors)
    else:
        table.rows.append(values)
        table.lines.append(line)


def _read_cell(cell: str, column: CsvColumn, readers: Readers) -> Any:
    if _GUARDED.match(cell):
        cell = cell[1:]
    if not cell:
        if column.required:
            raise InvalidCell("required", "must not be empty")
        return None
    found = _NOT_TEXT.search(cell)
    if found:
        raise InvalidCell("invalid-character", f"character {found.start() + 1} is not text")
    return readers[column.attribute](cell)


# -- writing -------------------------------------------------------------------------------------


def report(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A file of these rows, which spreadsheets read as UTF-8."""
    return "\ufeff" + line(head) + "".join(line(map(cell, row)) for row in rows)


def line(cells: Iterable[str]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\r\n").writerow(list(cells))
    return stream.getvalue()


def cell(value: object) -> str:
    return "" if value is None else guarded(str(value))


def guarded(text: str) -> str:
    """The text, with an apostrophe before it if a spreadsheet would take it for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text
