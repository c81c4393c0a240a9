"""Rows of a spreadsheet as lines of the form of a new invoice.

Cells are separated by tabs, rows by line breaks, as spreadsheets put them on the clipboard. The
columns are description, quantity, unit, price and VAT; unit, VAT and quantity may be missing.

>>> [row.price for row in rows("Description\\tQty\\tPrice\\nPaper\\t2\\t€ 1,50\\n", {})]
['1,50']
>>> rows("Hours\\t7,5\\thour\\t80\\t21 %", {"hour": "HUR"})
[PastedRow(description='Hours', quantity='7,5', unit='HUR', price='80', rate='21')]
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MAX_TEXT = 100_000  # characters
_NUMBER = re.compile(r"-?[0-9][0-9\s'’.,]*", re.ASCII)
_AROUND = re.compile(r"^[^0-9-]{1,4}(?=-?[0-9])|(?<=[0-9])\s*[^0-9]{1,4}$")


@dataclass(frozen=True, slots=True)
class PastedRow:
    """The texts of a line; a blank one was not in the row."""

    description: str
    quantity: str
    unit: str
    price: str
    rate: str


def rows(text: str, units: Mapping[str, str]) -> list[PastedRow]:
    """The rows with a description or a price, but for a first one of headings.

    units  codes by the names of units, in lower case
    """
    lines = text[:MAX_TEXT].replace("\x00", "").splitlines(keepends=True)
    try:
        read = list(csv.reader(lines, delimiter="\t"))
    except csv.Error:
        return []
    found = [_row([cell.strip() for cell in cells], units) for cells in read if any(cells)]
    if len(found) > 1 and not _number(found[0].price):
        found = found[1:]
    return [row for row in found if row.description or row.price]


def _row(cells: Sequence[str], units: Mapping[str, str]) -> PastedRow:
    first, *more = cells
    match more:
        case []:
            return PastedRow(first, "", "", "", "")
        case [price]:
            return PastedRow(first, "", "", _plain(price), "")
        case [quantity, price]:
            return PastedRow(first, _plain(quantity), "", _plain(price), "")
        case [quantity, third, fourth] if _number(_plain(third)):
            return PastedRow(first, _plain(quantity), "", _plain(third), _plain(fourth))
        case [quantity, unit, price, *rest]:
            code = units.get(unit.lower(), unit if unit in units.values() else "")
            rate = _plain(rest[0]) if rest else ""
            return PastedRow(first, _plain(quantity), code, _plain(price), rate)
    raise AssertionError(more)


def _plain(text: str) -> str:
    """A number without the sign of a currency or of per cent; other texts as they are."""
    bare = _AROUND.sub("", text).strip()
    return bare if _number(bare) else text


def _number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None
