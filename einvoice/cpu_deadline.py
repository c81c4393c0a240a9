"""A deadline of this thread in CPU time, which long computations ask for between their steps.

Python cannot end a thread. What judges documents in the web process calls `check` between nodes,
findings and errors; no step between two calls takes long with a document that is small enough to be
judged there (services/computing/sizes). Computing processes need none: the system ends them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from einvoice import clock


class Overdue(BaseException):
    """The deadline has passed.

    No Exception: what catches the faults of readers, rules and plugins must not take it for one.
    """


class _Thread(threading.local):
    ends: float | None = None


_thread = _Thread()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let `check` raise in the block once this thread has used so much CPU time in it."""
    before = _thread.ends
    _thread.ends = clock.cpu_seconds() + seconds
    try:
        yield
    finally:
        _thread.ends = before


def check() -> None:
    """Raise Overdue after the deadline, if there is one."""
    ends = _thread.ends
    if ends is not None and clock.cpu_seconds() > ends:
        raise Overdue
