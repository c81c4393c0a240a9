"""Reads and writes customers and suppliers as CSV files; errors are reported by row and column.

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
from einvoice.domain import directory
from einvoice.domain.codes import COUNTRIES, CURRENCIES, MISTAKEN_COUNTRIES
from einvoice.domain.directory import CsvColumn, DirectoryEntry, EntryKind
from einvoice.domain.errors import (
    CsvMissingColumns,
    CsvTooManyColumns,
    CsvTooManyRows,
    CsvUnreadable,
    InvalidParticipant,
)
from einvoice.domain.identifiers import ParticipantId

MAX_ROWS = 10_000
MAX_COLUMNS = 100  # each is looked at in every row, and reported if it is not imported
MAX_ERRORS = 500
_MAX_SHOWN = 100
_SEPARATORS = (",", ";", "\t", "|")
# What a spreadsheet makes of a long number: its other digits are lost.
_SCIENTIFIC = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?[eE][+-]?[0-9]{1,3}", re.ASCII)

# Also refused in texts of the API: characters that XML does not allow.
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")


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


class _InvalidCell(Exception):
    """The value of a cell is not valid for its column."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code


# -- cells -----------------------------------------------------------------------------------------


def _text(longest: int, form: str = "", words: str = "") -> Callable[[str], str]:
    def _read(cell: str) -> str:
        if len(cell) > longest:
            raise _InvalidCell(
                "too-long", f"has {len(cell)} characters; at most {longest} are allowed"
            )
        if form and not re.fullmatch(form, cell):
            raise _InvalidCell("wrong-form", words)
        return cell

    return _read


def _number(longest: int, *, words: bool = False) -> Callable[[str], str]:
    """A number as text, all of whose digits the spreadsheet has kept; `words`: or a word."""
    text = _text(longest)

    def _read(cell: str) -> str:
        if _SCIENTIFIC.fullmatch(cell):
            reason = "is a number that the spreadsheet has shortened: format the column as text"
            raise _InvalidCell("shortened-number", reason)
        number = text(cell)
        if not words and not any(each.isdigit() for each in cell):
            raise _InvalidCell("not-a-number", "is a word, not a number: leave the cell empty")
        return number

    return _read


def _participant(cell: str) -> str:
    try:
        return str(ParticipantId.parse(cell))
    except InvalidParticipant as fault:
        words = "is not of the form <4-digit scheme>:<identifier>"
        hint = fault.detail.partition(words)[2]
        raise _InvalidCell("invalid-participant-id", f"{words}{hint}") from None


def _code(
    codes: frozenset[str], words: str, mistaken: Mapping[str, tuple[str, ...]] | None = None
) -> Callable[[str], str]:
    def _read(cell: str) -> str:
        code = cell.upper()
        if code not in codes:
            meant = " or ".join((mistaken or {}).get(code, ()))
            hint = f"; use {meant} if you mean that" if meant else ""
            raise _InvalidCell("unknown-code", f"{words}{hint}")
        return code

    return _read


def _days(cell: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", cell, re.ASCII):
        raise _InvalidCell("wrong-type", "is not a whole number of days, in digits")
    if int(cell) > directory.MAX_PAYMENT_TERMS_DAYS:
        raise _InvalidCell("out-of-range", f"must be 0 to {directory.MAX_PAYMENT_TERMS_DAYS} days")
    return int(cell)


# How a cell becomes the value of an attribute.
_READERS: dict[str, Callable[[str], Any]] = {
    "name": _text(directory.MAX_NAME),
    "tax_id": _number(directory.MAX_TAX_ID),
    "peppol_id": _participant,
    "country_code": _code(
        COUNTRIES, "is not an ISO 3166-1 alpha-2 country code", MISTAKEN_COUNTRIES
    ),
    "email": _text(directory.MAX_EMAIL, directory.EMAIL_PATTERN, "is not an e-mail address"),
    "phone": _number(directory.MAX_PHONE, words=True),
    "default_currency_code": _code(CURRENCIES, "is not an ISO 4217 currency code"),
    "default_payment_terms_days": _days,
    "default_gl_account_code": _text(directory.MAX_GL_ACCOUNT),
}


# -- reading ---------------------------------------------------------------------------------------


def read(kind: EntryKind, content: bytes) -> CsvTable:
    """Parse a file.

    Raises CsvUnreadable, CsvMissingColumns, CsvTooManyColumns and CsvTooManyRows.
    """
    file = csv_text.decoded(content)
    records = _records(file, kind.csv_columns)
    _, header = next(records, (0, []))
    if len(header) > MAX_COLUMNS:
        words = f"The header has {len(header):,} columns; at most {MAX_COLUMNS} are allowed."
        raise CsvTooManyColumns(words, MAX_COLUMNS)
    table = CsvTable(encoding=file.encoding)
    columns = _mapped(header, kind.csv_columns, table)
    for line, cells in records:
        if any(cells):
            if table.total == MAX_ROWS:
                words = f"The file has more than {MAX_ROWS:,} rows."
                raise CsvTooManyRows(words, MAX_ROWS)
            _read_row(line, cells, columns, table)
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
    line: int, cells: Sequence[str], columns: Sequence[CsvColumn | None], table: CsvTable
) -> None:
    values: dict[str, Any] = {}
    errors: list[CellError] = []
    for place, column in enumerate(columns):
        if column is None:
            continue
        cell = cells[place] if place < len(cells) else ""
        try:
            values[column.attribute] = _read_cell(cell, column)
        except _InvalidCell as wrong:
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


def _read_cell(cell: str, column: CsvColumn) -> Any:
    if _GUARDED.match(cell):
        cell = cell[1:]
    if not cell:
        if column.required:
            raise _InvalidCell("required", "must not be empty")
        return None
    found = _NOT_TEXT.search(cell)
    if found:
        raise _InvalidCell("invalid-character", f"character {found.start() + 1} is not text")
    return _READERS[column.attribute](cell)


# -- writing ---------------------------------------------------------------------------------------


def header(kind: EntryKind) -> str:
    return _line(column.header for column in kind.csv_columns)


def lines(kind: EntryKind, entries: Iterable[DirectoryEntry]) -> str:
    """The rows of the entries, in the order of the header."""
    names = [column.attribute for column in kind.csv_columns]
    return "".join(_line(_cell(getattr(entry, name)) for name in names) for entry in entries)


def report(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A file of these rows, which spreadsheets read as UTF-8."""
    return "\ufeff" + _line(head) + "".join(_line(map(_cell, row)) for row in rows)


def _line(cells: Iterable[str]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\r\n").writerow(list(cells))
    return stream.getvalue()


def _cell(value: object) -> str:
    return "" if value is None else guarded(str(value))


def guarded(text: str) -> str:
    """The text, with an apostrophe before it if a spreadsheet would take it for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text
