"""The number that follows the last one of an account's documents.

>>> after("2026-0099", 2026), after("INV 7/A", 2026), after("2025/0099", 2026)
('2026-0100', 'INV 8/A', '2026/0001')
>>> after("none", 2026), after("9" * 30, 2026)
('', '')
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from einvoice.services.invoices.lists import InvoiceListItem

_YEAR = re.compile(r"(?<![0-9])[0-9]{4}(?![0-9])", re.ASCII)
_COUNTED = re.compile(r"(.*?)([0-9]{1,12})([^0-9]{0,20})", re.DOTALL | re.ASCII)


def proposed(newest: Iterable[InvoiceListItem], kind: str, year: int) -> str:
    """The number after that of the newest document of this kind; blank without one."""
    last = next((each.number for each in newest if each.kind == kind and each.number), "")
    return after(last, year)


def after(number: str, year: int) -> str:
    """The next number. A number with the year before begins again in this year."""
    match = _COUNTED.fullmatch(number)
    if match is None or match[1][-1:].isdigit():
        return ""
    head, digits, tail = match.groups()
    begun = _YEAR.sub(lambda found: str(year) if found[0] == str(year - 1) else found[0], head)
    if begun != head:
        return f"{begun}{'1'.rjust(len(digits), '0')}{tail}"
    return f"{head}{str(int(digits) + 1).rjust(len(digits), '0')}{tail}"
