"""The current time. No other module reads the clock, so that tests can replace it.

A simulated week lets it run faster (`run`, EINVOICE_CLOCK_RATE). What waits for a moment of `now`
or for `schedule_seconds` then waits less. What really takes time is measured by `monotonic`, and
where it is stored as a moment, such as the end of a lease, it is added to `now` by `lasting`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast the clock runs.

    rate   seconds of the clock in one of reality, at least 1
    since  the moment at which it began to run so; before it, it runs as reality does

    >>> Pace.parse("60@2026-11-28T14:00:00Z").at(datetime(2026, 11, 28, 14, 1, tzinfo=UTC))
    datetime.datetime(2026, 11, 28, 15, 0, tzinfo=datetime.timezone.utc)
    """

    rate: float
    since: datetime

    @classmethod
    def parse(cls, text: str) -> Pace:
        """RATE@MOMENT. Raises ValueError."""
        rate, _, moment = text.partition("@")
        pace = cls(float(rate), datetime.fromisoformat(moment))
        if pace.since.tzinfo is None or not 1 <= pace.rate <= MAX_RATE:
            raise ValueError(text)
        return pace

    def at(self, moment: datetime) -> datetime:
        """The time of the clock at a moment of reality."""
        passed = moment - self.since
        return self.since + passed * self.rate if passed > timedelta(0) else moment

    def __str__(self) -> str:
        return f"{self.rate:g}@{self.since.isoformat()}"


MAX_RATE = 1000.0
REALITY = Pace(1.0, datetime(1970, 1, 1, tzinfo=UTC))
_pace = REALITY


def run(pace: Pace) -> None:
    """Let the clock of this process run at a pace, in place of the one before."""
    globals()["_pace"] = pace


def pace() -> Pace:
    """How fast the clock of this process runs."""
    return _pace


def now() -> datetime:
    """The current time in UTC, truncated to milliseconds, as the API shows it."""
    moment = datetime.now(UTC)
    if _pace.rate != 1:
        moment = _pace.at(moment)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


@contextmanager
def standing_at(moment: datetime) -> Iterator[None]:
    """Let `now` of this process return one moment: for a demo with documents of many weeks."""
    running = globals()["now"]
    globals()["now"] = lambda: moment
    try:
        yield
    finally:
        globals()["now"] = running


def today() -> date:
    """The current date in UTC, by which rule packs and legal deadlines are chosen."""
    return now().date()


def monotonic() -> float:
    """Seconds of a monotonic clock, for measuring and waiting."""
    return time.monotonic()


def schedule_seconds() -> float:
    """Seconds of a monotonic clock that advances as `now` does, for schedules."""
    return monotonic() * _pace.rate


def real_now() -> datetime:
    """The time of the machine, however fast `now` runs: to compare with clocks of others."""
    return datetime.now(UTC)


def written_at(seconds: float) -> datetime:
    """The time of the clock when a file was written; `seconds` is its `st_mtime`.

    The machine stamps files, however fast `now` runs.
    """
    return _pace.at(datetime.fromtimestamp(seconds, UTC))


def lasting(duration: timedelta) -> timedelta:
    """By how much `now` advances while something takes so long in reality: a call, a lease."""
    return duration * _pace.rate


def cpu_seconds() -> float:
    """Seconds of CPU time that this thread has used."""
    return time.thread_time()


def nanoseconds() -> int:
    """Nanoseconds since 1970."""
    return time.time_ns()


def timestamp(moment: datetime) -> str:
    """`YYYY-MM-DDThh:mm:ss.mmmZ` (decisions 19.16).

    >>> timestamp(datetime(2026, 11, 21, 10, 0, 2, 999_999, UTC))
    '2026-11-21T10:00:02.999Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
