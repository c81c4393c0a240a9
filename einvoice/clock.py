"""The current time. No other module reads the clock, so that tests can replace it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime


def now() -> datetime:
    """The current time in UTC, truncated to milliseconds, as the API shows it."""
    moment = datetime.now(UTC)
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
