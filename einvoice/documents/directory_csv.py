"""Reads and writes customers and suppliers as CSV files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from einvoice.documents import csv_table
from einvoice.documents.csv_table import CsvTable, InvalidCell, Readers
from einvoice.domain import directory
from einvoice.domain.codes import COUNTRIES, CURRENCIES, MISTAKEN_COUNTRIES
from einvoice.domain.directory import DirectoryEntry, EntryKind
from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import ParticipantId

MAX_ROWS = 10_000
# What a spreadsheet makes of a long number: its other digits are lost.
_SCIENTIFIC = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?[eE][+-]?[0-9]{1,3}", re.ASCII)


# -- cells ---------------------------------------------------------------------------------------


def _text(longest: int, form: str = "", words: str = "") -> Callable[[str], str]:
    def _read(cell: str) -> str:
        if len(cell) > longest:
            raise InvalidCell(
                "too-long", f"has {len(cell)} characters; at most {longest} are allowed"
            )
        if form and not re.fullmatch(form, cell):
            raise InvalidCell("wrong-form", words)
        return cell

    return _read


def _number(longest: int, *, words: bool = False) -> Callable[[str], str]:
    """A number as text, all of whose digits the spreadsheet has kept; `words`: or a word."""
    text = _text(longest)

    def _read(cell: str) -> str:
        if _SCIENTIFIC.fullmatch(cell):
            reason = "is a number that the spreadsheet has shortened: format the column as text"
            raise InvalidCell("shortened-number", reason)
        number = text(cell)
        if not words and not any(each.isdigit() for each in cell):
            raise InvalidCell("not-a-number", "is a word, not a number: leave the cell empty")
        return number

    return _read


def _participant(cell: str) -> str:
    try:
        return str(ParticipantId.parse(cell))
    except InvalidParticipant as fault:
        words = "is not of the form <4-digit scheme>:<identifier>"
        hint = fault.detail.partition(words)[2]
        raise InvalidCell("invalid-participant-id", f"{words}{hint}") from None


def _code(
    codes: frozenset[str], words: str, mistaken: Mapping[str, tuple[str, ...]] | None = None
) -> Callable[[str], str]:
    def _read(cell: str) -> str:
        code = cell.upper()
        if code not in codes:
            meant = " or ".join((mistaken or {}).get(code, ()))
            hint = f"; use {meant} if you mean that" if meant else ""
            raise InvalidCell("unknown-code", f"{words}{hint}")
        return code

    return _read


def _days(cell: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", cell, re.ASCII):
        raise InvalidCell("wrong-type", "is not a whole number of days, in digits")
    if int(cell) > directory.MAX_PAYMENT_TERMS_DAYS:
        raise InvalidCell("out-of-range", f"must be 0 to {directory.MAX_PAYMENT_TERMS_DAYS} days")
    return int(cell)


_READERS: Readers = {
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


# -- files ---------------------------------------------------------------------------------------


def read(kind: EntryKind, content: bytes) -> CsvTable:
    """Parse a file.

    Raises CsvUnreadable, CsvMissingColumns, CsvTooManyColumns and CsvTooManyRows.
    """
    return csv_table.read(kind.csv_columns, _READERS, content, MAX_ROWS)


def header(kind: EntryKind) -> str:
    return csv_table.line(column.header for column in kind.csv_columns)


def lines(kind: EntryKind, entries: Iterable[DirectoryEntry]) -> str:
    """The rows of the entries, in the order of the header."""
    names = [column.attribute for column in kind.csv_columns]
    return "".join(
        csv_table.line(csv_table.cell(getattr(entry, name)) for name in names) for entry in entries
    )
