"""Reads payments of sent invoices from a CSV file, such as one made of a bank statement.

>>> str(amount_of("1 234,56")), str(amount_of("1.234,56")), str(amount_of("-1,234.5"))
('1234.56', '1234.56', '-1234.50')
>>> day_of("21.11.2026") == day_of("21/11/2026") == day_of("2026-11-21") == date(2026, 11, 21)
True
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from decimal import Decimal
from typing import Final

from einvoice.documents import csv_table
from einvoice.documents.csv_table import CsvTable, InvalidCell
from einvoice.domain.directory import CsvColumn
from einvoice.domain.typed_numbers import number_of

MAX_ROWS: Final = 1_000
_MOST: Final = Decimal(10) ** 13
MAX_NUMBER, MAX_ID, MAX_REFERENCE = 200, 40, 140
COLUMNS: Final = (
    CsvColumn("number", "number"),
    CsvColumn("invoiceId", "invoice_id"),
    CsvColumn("amount", "amount", required=True),
    CsvColumn("date", "paid_on", required=True),
    CsvColumn("reference", "reference"),
)
_DAY_FIRST: Final = re.compile(r"([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4})", re.ASCII)
_ISO: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def read(content: bytes) -> CsvTable:
    """Parse a file.

    Raises CsvUnreadable, CsvMissingColumns, CsvTooManyColumns and CsvTooManyRows.
    """
    readers = {
        "number": _text(MAX_NUMBER),
        "invoice_id": _text(MAX_ID),
        "amount": amount_of,
        "paid_on": day_of,
        "reference": _text(MAX_REFERENCE),
    }
    return csv_table.read(COLUMNS, readers, content, MAX_ROWS)


def amount_of(cell: str) -> Decimal:
    """An amount of at most two decimals, with decimal point or comma.

    Raises InvalidCell, also where it can be read twice: 1.234 is a thousand in one country and
    little more than one in another.
    """
    found = number_of(cell, has_comma=True)
    if isinstance(found, Decimal) and found == round(found, 2) and abs(found) < _MOST:
        return round(found, 2)
    raise InvalidCell("not-a-number", "is not an amount, or can be read in two ways: write 1234.50")


def day_of(cell: str) -> date:
    """A day as YYYY-MM-DD, or with the day first. Raises InvalidCell."""
    with suppress(ValueError):
        if _ISO.fullmatch(cell):
            return date.fromisoformat(cell)
        if found := _DAY_FIRST.fullmatch(cell):
            return date(int(found[4]), int(found[3]), int(found[1]))
    raise InvalidCell("not-a-date", "is not a date such as 2026-11-21 or 21.11.2026")


def _text(longest: int) -> Callable[[str], str]:
    def _read(cell: str) -> str:
        if len(cell) > longest:
            words = f"has {len(cell)} characters; at most {longest} are allowed"
            raise InvalidCell("too-long", words)
        return cell

    return _read
