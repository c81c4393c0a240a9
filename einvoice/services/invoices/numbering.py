"""The number that follows the last one of an account's documents.

>>> after("2026-0099", 2026), after("INV 7/A", 2026), after("2025/0099", 2026)
('2026-0100', 'INV 8/A', '2026/0001')
>>> after("none", 2026), after("9" * 30, 2026)
('', '')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from einvoice.domain.invoice import DocumentKind
from einvoice.services.invoices.lists import InvoiceListItem

_YEAR = re.compile(r"(?<![0-9])[0-9]{4}(?![0-9])", re.ASCII)
_COUNTED = re.compile(r"(.*?)([0-9]{1,12})([^0-9]{0,20})", re.DOTALL | re.ASCII)


def proposed(newest: Iterable[InvoiceListItem], kind: str, year: int) -> str:
    """The number after the greatest in the series of the newest document of this kind; blank
    without one. The newest may be an old number that was corrected and sent again. The first credit
    note is counted with the invoices: their series may have both."""
    numbered = [each for each in newest if each.number]
    own = [each.number for each in numbered if each.kind == kind and each.number]
    others = [each.number for each in numbered if each.kind != kind and each.number]
    series = [*own, *others] if own or kind == DocumentKind.CREDIT_NOTE else []
    return after(greatest(series), year)


def greatest(numbers: Sequence[str]) -> str:
    """The number that has counted furthest in the series of the first one.

    >>> greatest(["2026-1056", "2026-1060", "2025-9999", "A-7"]), greatest([])
    ('2026-1060', '')
    """
    series = _COUNTED.fullmatch(numbers[0]) if numbers else None
    if series is None:
        return numbers[0] if numbers else ""
    matches = [match for match in map(_COUNTED.fullmatch, numbers) if match is not None]
    of_series = [each for each in matches if (each[1], each[3]) == (series[1], series[3])]
    return max(of_series, key=lambda match: int(match[2]))[0]


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
