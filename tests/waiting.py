"""Waiting for what other threads and processes do, up to a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable

DEADLINE_SECONDS = 120.0  # a busy machine is slow; a passing test waits for less
PAUSE_SECONDS = 0.02


def becomes(
    condition: Callable[[], object], seconds: float, *, pause: float = PAUSE_SECONDS
) -> bool:
    """Whether the condition is true now or within this time. `pause`: seconds between two calls."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause)
    return True


def until(
    condition: Callable[[], object],
    seconds: float = DEADLINE_SECONDS,
    *,
    pause: float = PAUSE_SECONDS,
    ignored: tuple[type[Exception], ...] = (),
) -> None:
    """Wait until the condition is true; else the test fails with what it returned last.

    ignored  exceptions of the condition that mean not yet
    """
    last: object = None

    def is_true() -> bool:
        nonlocal last
        try:
            last = condition()
        except ignored as fault:
            last = fault
            return False
        return bool(last)

    assert becomes(is_true, seconds, pause=pause), f"not within {seconds:g} s; at last {last!r}"


def until_equal(
    call: Callable[[], object],
    expected: object,
    seconds: float = DEADLINE_SECONDS,
    *,
    pause: float = PAUSE_SECONDS,
) -> None:
    """Wait until a call returns what is expected; else the test fails with both values."""
    found: object = None

    def is_equal() -> bool:
        nonlocal found
        found = call()
        return found == expected

    equal = becomes(is_equal, seconds, pause=pause)
    assert equal, f"not {expected!r} within {seconds:g} s; at last {found!r}"
