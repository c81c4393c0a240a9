"""The limits of calls, in sliding windows of a second, a minute and an hour, kept in the store.

KSeF counts the calls of a context (NIP) from one address, in groups, and refuses further ones with
429 for a time that grows with repeated offences (guide "Limity żądań API"). A call is counted here
before it is made, by all processes together. The windows are a little longer than those of KSeF,
because a call arrives there later than it is counted.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from einvoice import clock
from einvoice.network.plugin_store import PluginStore

_SECOND, _MINUTE, _HOUR = 1_250, 62_000, 3_610_000  # milliseconds of a window
_WINDOWS: Final = (_SECOND, _MINUTE, _HOUR)
_TRIES: Final = 40
MAX_WAIT_SECONDS: Final = 3.0  # for a place in the window of a second
_ANY: Final = 10**9
MAX_PAUSE_SECONDS: Final = 24 * 3600


class Group(StrEnum):
    """The groups of calls, by their names in `GET /rate-limits`."""

    ONLINE_SESSION = "onlineSession"
    BATCH_SESSION = "batchSession"
    SEND = "invoiceSend"
    INVOICE_STATUS = "invoiceStatus"
    SESSION_LIST = "sessionList"
    SESSION_INVOICES = "sessionInvoiceList"
    SESSION = "sessionMisc"
    METADATA = "invoiceMetadata"
    EXPORT = "invoiceExport"
    EXPORT_STATUS = "invoiceExportStatus"
    DOWNLOAD = "invoiceDownload"
    OTHER = "other"
    LOGIN = "login"  # of an address, for all accounts; not in `GET /rate-limits`


@dataclass(frozen=True, slots=True)
class Rate:
    """The most calls in a second, a minute and an hour."""

    second: int
    minute: int
    hour: int

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.second, self.minute, self.hour


# Of production (guide "Limity żądań API", 2025-11-22); the test environment has ten times as much.
PRODUCTION: Final = {
    Group.ONLINE_SESSION: Rate(10, 30, 120),
    Group.BATCH_SESSION: Rate(10, 20, 60),
    Group.SEND: Rate(10, 30, 180),
    Group.INVOICE_STATUS: Rate(30, 120, 1200),
    Group.SESSION_LIST: Rate(5, 10, 60),
    Group.SESSION_INVOICES: Rate(10, 20, 200),
    Group.SESSION: Rate(10, 120, 1200),
    Group.METADATA: Rate(8, 16, 20),
    Group.EXPORT: Rate(8, 16, 20),
    Group.EXPORT_STATUS: Rate(10, 60, 600),
    Group.DOWNLOAD: Rate(8, 16, 64),
    Group.OTHER: Rate(10, 30, 120),
    Group.LOGIN: Rate(60, _ANY, _ANY),
}
# Those that a busy account reaches first.
WATCHED: Final = (Group.SEND, Group.BATCH_SESSION, Group.ONLINE_SESSION, Group.METADATA)
_KEPT: Final = {Group.LOGIN: 2 * _SECOND}  # milliseconds for which calls are remembered


class Spent(Exception):
    """The calls of a group are used up; `retry_after`: seconds until the next one."""

    def __init__(self, group: Group, retry_after: float) -> None:
        super().__init__(f"the calls of {group} are used up; again in {retry_after:.0f} s")
        self.group, self.retry_after = group, retry_after


class LimitsOf:
    """The limits of one context. Safe to share between threads and processes."""

    def __init__(self, store: PluginStore, access_point: str, context: str) -> None:
        self._store, self._prefix = store, f"limits-{access_point}-{context}"
        self._rates: dict[Group, Rate] | None = None

    def take(self, group: Group, patience: float = MAX_WAIT_SECONDS) -> None:
        """Count one call; waits for the window of a second. Raises Spent for the longer ones."""
        until = clock.monotonic() + patience
        for _ in range(_TRIES):
            stored = self._store.get(self._key(group))
            now = _now()
            paused, calls = _parsed(stored, now, _KEPT.get(group, _HOUR))
            wait = max(_wait(calls, self.rate(group), now, _WINDOWS), paused - now)
            if wait > _SECOND or (wait > 0 and clock.monotonic() > until):
                raise Spent(group, wait / 1000)
            if wait > 0:
                time.sleep(wait / 1000 * (1 + random.random() / 4))
            elif self._store.change(self._key(group), stored, _text(paused, [*calls, now])):
                return
        raise Spent(group, 1.0)

    def left(self, group: Group) -> int:
        """How many calls the windows of a minute and an hour have left."""
        now = _now()
        paused, calls = _parsed(self._store.get(self._key(group)), now)
        if paused > now:
            return 0
        rate = self.rate(group)
        lately = sum(1 for each in calls if each > now - _MINUTE)
        return max(0, min(rate.minute - lately, rate.hour - len(calls)))

    def used(self, group: Group) -> tuple[int, int]:
        """How many calls were counted in the last hour, and the limit."""
        _, calls = _parsed(self._store.get(self._key(group)), _now())
        return len(calls), self.rate(group).hour

    def idle_seconds(self, group: Group) -> float:
        """Seconds since the last call of the group; infinite without one in the last hour."""
        now = _now()
        _, calls = _parsed(self._store.get(self._key(group)), now)
        return (now - calls[-1]) / 1000 if calls else float("inf")

    def pause(self, group: Group, seconds: float) -> None:
        """Make no call of the group for so long: the network has said so (429, Retry-After)."""
        until = _now() + int(min(max(seconds, 1.0), MAX_PAUSE_SECONDS) * 1000)
        for _ in range(_TRIES):
            stored = self._store.get(self._key(group))
            paused, calls = _parsed(stored, _now())
            if self._store.change(self._key(group), stored, _text(max(paused, until), calls)):
                return

    def rate(self, group: Group) -> Rate:
        """The limit of a group: what the network has said, else that of production."""
        if self._rates is None:
            self._rates = _rates(self._store.get(f"{self._prefix}-rates"))
        return self._rates.get(group, PRODUCTION[group])

    def learn(self, answer: Mapping[str, Any]) -> None:
        """Store the limits of an answer of `GET /rate-limits`; what cannot be read is left out."""
        found = (
            f"{group} {rate.second} {rate.minute} {rate.hour}" for group, rate in _said(answer)
        )
        self._store.put(f"{self._prefix}-rates", "\n".join(found) or None)
        self._rates = None

    def _key(self, group: Group) -> str:
        return f"{self._prefix}-{group}"


def _said(answer: Mapping[str, Any]) -> list[tuple[Group, Rate]]:
    found = []
    for group in Group:
        try:
            values = answer[group.value]
            rate = Rate(*(int(values[name]) for name in ("perSecond", "perMinute", "perHour")))
        except (KeyError, TypeError, ValueError):
            continue
        if min(rate.counts) > 0:
            found.append((group, rate))
    return found


def _rates(stored: str | bytes | None) -> dict[Group, Rate]:
    lines = [line.split() for line in str(stored or "").splitlines()]
    return {Group(name): Rate(*map(int, counts)) for name, *counts in lines}


def _wait(calls: list[int], rate: Rate, now: int, windows: tuple[int, ...]) -> int:
    """Milliseconds until one more call fits into all windows."""
    longest = 0
    for most, window in zip(rate.counts, windows, strict=True):
        if len(calls) >= most:
            longest = max(longest, calls[-most] + window - now)
    return longest


def _now() -> int:
    return int(clock.now().timestamp() * 1000)


def _parsed(stored: str | bytes | None, now: int, kept: int = _HOUR) -> tuple[int, list[int]]:
    """The end of the pause, and the times of the calls that are remembered, oldest first."""
    paused, _, calls = str(stored or "0").partition(";")
    times = [int(each) for each in calls.split(",") if each]
    return int(paused), sorted(each for each in times if each > now - kept)


def _text(paused: int, calls: list[int]) -> str:
    return f"{paused};{','.join(map(str, calls))}"
