"""Working days in Romania. An invoice is sent within five of them after its date (OUG 89/2025).

>>> last_day(date(2026, 11, 20))  # a Friday
datetime.date(2026, 11, 27)
>>> last_day(date(2026, 4, 7))  # before the Easter of 2026: the 10th to the 13th are holidays
datetime.date(2026, 4, 16)
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from einvoice import clock

WORKING_DAYS: Final = 5
_ZONE: Final = ZoneInfo("Europe/Bucharest")
_SATURDAY: Final = 5
# Month and day (Codul muncii, article 139); those by Easter are Good Friday to Easter Monday, and
# Whit Sunday and Monday.
_FIXED: Final = frozenset({
    (1, 1), (1, 2), (1, 6), (1, 7), (1, 24), (5, 1), (6, 1), (8, 15), (11, 30), (12, 1), (12, 25),
    (12, 26),
})  # fmt: skip
_BY_EASTER: Final = (-2, -1, 0, 1, 49, 50)


def today() -> date:
    """The day in Romania."""
    return clock.now().astimezone(_ZONE).date()


def last_day(issued: date) -> date:
    """The fifth working day after a date; the last date there is for one at the end of time."""
    day, left = issued, WORKING_DAYS
    while left and day < date.max:
        day += timedelta(days=1)
        left -= is_working(day)
    return day


def is_working(day: date) -> bool:
    """Whether it is neither at a weekend nor a public holiday."""
    if day.weekday() >= _SATURDAY or (day.month, day.day) in _FIXED:
        return False
    return (day - orthodox_easter(day.year)).days not in _BY_EASTER


def orthodox_easter(year: int) -> date:
    """Easter Sunday of the Orthodox church (Meeus' Julian algorithm), for the years 1900 to 2099.

    >>> [str(orthodox_easter(year)) for year in (2024, 2025, 2026, 2027)]
    ['2024-05-05', '2025-04-20', '2026-04-12', '2027-05-02']
    """
    moon = (19 * (year % 19) + 15) % 30
    sunday = (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7
    month, day = divmod(moon + sunday + 114, 31)
    return date(year, month, day + 1) + timedelta(days=13)
