"""The day in Poland, with which KSeF compares dates of issue.

>>> day_at(datetime(2026, 7, 1, 22, 30, tzinfo=UTC))
datetime.date(2026, 7, 2)
>>> day_at(datetime(2026, 1, 1, 22, 30, tzinfo=UTC))
datetime.date(2026, 1, 1)
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from einvoice import clock


def today() -> date:
    """The current day in Poland."""
    return day_at(clock.now())


def day_at(moment: datetime) -> date:
    """The day in Poland at a moment: an hour ahead of UTC, in summer time two."""
    begins, ends = (_last_sunday(moment.year, month) for month in (3, 10))
    hours = 2 if begins <= moment < ends else 1
    return (moment.astimezone(UTC) + timedelta(hours=hours)).date()


def _last_sunday(year: int, month: int) -> datetime:
    """01:00 UTC of the last Sunday of a month of 31 days: when summer time begins and ends."""
    last = datetime(year, month, 31, 1, tzinfo=UTC)
    return last - timedelta(days=(last.weekday() + 1) % 7)
