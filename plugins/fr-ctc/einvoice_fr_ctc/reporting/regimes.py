"""The periods of e-reporting by VAT regime, and when their reports are due.

Source: articles 242 nonies M to O of annex II of the code général des impôts (decree 2022-1299).

>>> [f"{each.start:%d}-{each.end:%d} {each.due_on:%d.%m}" for each in
...  periods(Regime.NORMAL_MONTHLY, SALES, date(2027, 2, 1), date(2027, 2, 28))]
['01-10 20.02', '11-20 02.03', '21-28 10.03']
>>> [f"{each.start:%d.%m}-{each.end:%d.%m} {each.due_on:%d.%m}" for each in
...  periods(Regime.EXEMPT, SALES, date(2026, 11, 1), date(2027, 2, 1))]
['01.11-31.12 30.01', '01.01-28.02 30.03']
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from einvoice.network.period_reports import ReportPeriod

SALES, PURCHASES, PAYMENTS = "sales", "purchases", "payments"
KINDS: Final = (SALES, PURCHASES, PAYMENTS)
_LEAD: Final = timedelta(days=4)  # from the sending to the last day, for documents that come late
_DECADES: Final = (1, 11, 21)  # first days
_TEN: Final = 10


class Regime(StrEnum):
    """The VAT regime of a company."""

    NORMAL_MONTHLY = "normal-monthly"
    NORMAL_QUARTERLY = "normal-quarterly"
    SIMPLIFIED = "simplified"
    EXEMPT = "exempt"


def periods(regime: Regime, kind: str, since: date, today: date) -> Iterator[ReportPeriod]:
    """The periods that have begun by today and end on `since` or later, in order."""
    start = since.replace(day=1)
    if regime is Regime.EXEMPT:
        start = start.replace(month=start.month - (start.month - 1) % 2)
    while start <= today:
        end = _end(regime, kind, start)
        if end >= since:
            due_on = _due_on(regime, kind, end)
            yield ReportPeriod(kind, start, end, due_on - _LEAD, due_on)
        start = end + timedelta(days=1)


def _end(regime: Regime, kind: str, start: date) -> date:
    """The last day of the period that begins then."""
    if regime is Regime.EXEMPT:
        return _last_of(_month_after(start))
    if regime is Regime.NORMAL_MONTHLY and kind != PAYMENTS:
        following = [day for day in _DECADES if day > start.day]
        return start.replace(day=following[0] - 1) if following else _last_of(start)
    return _last_of(start)


def _due_on(regime: Regime, kind: str, end: date) -> date:
    """The last day on which the report of a period that ends then is in time."""
    if regime is Regime.NORMAL_MONTHLY and kind != PAYMENTS:
        return end + timedelta(days=_TEN)
    following = _month_after(end)
    if regime in (Regime.NORMAL_MONTHLY, Regime.NORMAL_QUARTERLY):
        return following.replace(day=_TEN)
    return min(_last_of(following), following.replace(day=min(30, _last_of(following).day)))


def _month_after(day: date) -> date:
    """The first day of the next month."""
    return _last_of(day) + timedelta(days=1)


def _last_of(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])
