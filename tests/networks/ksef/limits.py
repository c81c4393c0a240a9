"""Limits of requests in sliding windows, for each context and address."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from datetime import datetime, timedelta
from typing import Final

from tests.networks.ksef.answers import TooMany

# Group → requests a second, a minute, an hour (docs/limity-api.md of the ministry).
PRODUCTION: Final = {
    "onlineSession": (10, 30, 120),
    "batchSession": (10, 20, 60),
    "invoiceSend": (10, 30, 180),
    "invoiceStatus": (30, 120, 1200),
    "sessionList": (5, 10, 60),
    "sessionInvoiceList": (10, 20, 200),
    "sessionMisc": (10, 120, 1200),
    "invoiceMetadata": (8, 16, 20),
    "invoiceExport": (8, 16, 20),
    "invoiceExportStatus": (10, 60, 600),
    "invoiceDownload": (8, 16, 64),
    "collectiveIdentifier": (10, 30, 120),
    "other": (10, 30, 120),
}
TEST: Final = {
    group: (second * 10, minute * 10, hour * 10)
    for group, (second, minute, hour) in PRODUCTION.items()
}
PUBLIC: Final = (60, 10**9, 10**9)
UNITS: Final = (
    ("sekundę", timedelta(seconds=1)),
    ("minutę", timedelta(minutes=1)),
    ("godzinę", timedelta(hours=1)),
)
_HOUR: Final = timedelta(hours=1)

Limit = tuple[int, int, int]


class Limits:
    """What each caller has requested. `refusals`: (caller, group) of each request too many."""

    def __init__(self) -> None:
        self.default: dict[str, Limit] = dict(TEST)
        self.own: dict[str, dict[str, Limit]] = {}  # context → its limits
        self.refusals: list[tuple[str, str]] = []
        self._calls: dict[tuple[str, str], deque[datetime]] = defaultdict(deque)

    def of(self, context: str) -> dict[str, Limit]:
        """The limits of a context."""
        return self.own.get(context, self.default)

    def shown(self, context: str) -> dict[str, dict[str, int]]:
        names = ("perSecond", "perMinute", "perHour")
        return {
            group: dict(zip(names, limit, strict=True)) for group, limit in self.of(context).items()
        }

    def count(self, caller: str, group: str, counter: str, limit: Limit, now: datetime) -> None:
        """Count a request. Raises TooMany."""
        calls = self._calls[caller, counter]
        while calls and now - calls[0] >= _HOUR:
            calls.popleft()
        for most, (unit, window) in zip(limit, UNITS, strict=True):
            if len(calls) >= most and (age := now - calls[-most]) < window:
                self.refusals.append((caller, group))
                raise TooMany(most, unit, max(1, math.ceil((window - age).total_seconds())))
        calls.append(now)
