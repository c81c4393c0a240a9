"""The day on which a company is: a date that is not given is the seller's day, not the day of UTC.

The zone of a country with several is the zone of most of its companies. Names are of the IANA
time zone database (https://www.iana.org/time-zones).

>>> from datetime import UTC
>>> late = datetime(2026, 11, 23, 23, 30, tzinfo=UTC)
>>> day_at(late, country="BE"), day_at(late, country="GB"), day_at(late, country="US")
(datetime.date(2026, 11, 24), datetime.date(2026, 11, 23), datetime.date(2026, 11, 23))
>>> day_at(late, "Pacific/Auckland", "GB"), day_at(late)
(datetime.date(2026, 11, 24), datetime.date(2026, 11, 23))
"""

from __future__ import annotations

from datetime import date, datetime
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

_FILE = Path(__file__).with_suffix(".csv")
_BY_COUNTRY = dict(line.split(",") for line in _FILE.read_text().splitlines())


def is_zone(name: str) -> bool:
    """Whether there is a time zone of this name."""
    return name in _names()


def day_at(moment: datetime, zone: str | None = None, country: str | None = None) -> date:
    """The day of a moment in the zone, else in the country (ISO 3166-1), else in UTC."""
    name = zone if zone and is_zone(zone) else _BY_COUNTRY.get(country or "", "")
    return moment.astimezone(ZoneInfo(name)).date() if name else moment.date()


@cache
def _names() -> frozenset[str]:
    return frozenset(available_timezones())
