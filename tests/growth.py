"""Whether the processor time of a function stays in proportion to the size of its input.

A function of input from outside may take 15 times the time for ten times the input, no more. The
time is the processor time of this thread, the best of a few tries; below `FLOOR` it does not count,
so neither noise nor fixed costs decide. Work that takes more than `LIMIT` is interrupted where it
runs Python or a regular expression, so that a test of an exponential one ends.
"""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from types import FrameType
from typing import TypeVar

SIZES = (1_000, 10_000, 100_000)
FACTOR = 15.0  # the most for an input ten times as large
FLOOR = 0.01  # seconds
LIMIT = 2.0  # seconds
TRIES = 10  # only what is out of proportion is measured more than once

Input = TypeVar("Input")


class TookTooLong(Exception):
    """The work was interrupted after `LIMIT` seconds of processor time."""


def fault(
    work: Callable[[Input], object],
    of_size: Callable[[int], Input],
    sizes: tuple[int, ...] = SIZES,
    floor: float = FLOOR,
) -> str | None:
    """How the time of `work` grows too fast over inputs of these sizes; None if it does not.

    of_size  makes an input of about so many characters, bytes or entries
    sizes    each ten times the one before
    floor    seconds that any input may take
    """
    for small, large in pairwise(sizes):
        if found := _fault_between(work, of_size, small, large, floor):
            return found
    return None


def _fault_between(
    work: Callable[[Input], object],
    of_size: Callable[[int], Input],
    small: int,
    large: int,
    floor: float,
) -> str | None:
    """Measured until one pair of best tries is in proportion, at most TRIES times."""
    less, more = of_size(small), of_size(large)
    base, spent = float("inf"), float("inf")
    for _ in range(TRIES):
        spent = min(spent, seconds(work, more))
        if spent <= floor:
            return None
        if spent > LIMIT:
            return f"{large:,}: more than {LIMIT} s"
        base = min(base, seconds(work, less))
        if spent <= FACTOR * base:
            return None
        if spent > 10 * FACTOR * base:  # no noise
            break
    return f"{small:,}: {base * 1000:.1f} ms, {large:,}: {spent * 1000:.1f} ms"


def seconds(work: Callable[[Input], object], given: Input) -> float:
    """The processor time of one call; infinite if it was interrupted.

    Without the garbage collector: what other tests have left would count for whichever call it
    happens to run in.
    """
    try:
        with _limited(), _uncollected():
            began = time.thread_time()
            work(given)
            return time.thread_time() - began
    except TookTooLong:
        return float("inf")


@contextmanager
def _uncollected() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _limited() -> Iterator[None]:
    """Raise TookTooLong in the block after LIMIT. Signals reach the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPROF, _interrupt)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise TookTooLong
