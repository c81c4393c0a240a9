"""Processor time in a unit that does not depend on the machine or its load.

The processor time of this thread is measured, the best of a few tries, relative to that of a
reference computation run next to it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

TRIES = 10
# Seconds of the reference computation on the machine that the limits are for.
REFERENCE_SECONDS = 0.003
_DOCUMENT = json.dumps([{"number": n, "text": "x" * 20, "list": [n, n + 1]} for n in range(10_000)])


def within(limit: float, work: Callable[[], object], tries: int = TRIES) -> bool:
    """Whether the best try of `work` takes less than this many processor seconds.

    In seconds of the machine with `REFERENCE_SECONDS`.
    """
    own, other = float("inf"), float("inf")
    for _ in range(tries):
        own, other = min(own, _spent(work)), min(other, _spent(_reference))
        if own / other * REFERENCE_SECONDS < limit:
            return True
    return False


def _reference() -> None:
    """Work like that of a parser: characters, dictionaries, comparisons."""
    for row in json.loads(_DOCUMENT):
        if row["number"] == len(row["list"]) and row["text"].startswith("y"):
            raise AssertionError("no row begins with y")


def _spent(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began
