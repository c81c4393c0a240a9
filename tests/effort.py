"""How much work something is, told so that a slow or a busy machine says the same.

Time on the clock belongs to all processes of the machine; time of the processor depends on which
processor. So the processor time of this thread is counted, the best of a few tries, and related to
that of a yardstick run right beside it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

TRIES = 5
# What the yardstick took, in seconds, where the promises in seconds were measured.
YARDSTICK = 0.003
_DOCUMENT = json.dumps([{"number": n, "text": "x" * 20, "list": [n, n + 1]} for n in range(10_000)])


def within(limit: float, work: Callable[[], object], tries: int = TRIES) -> bool:
    """Whether `work` costs less processor seconds where the promises were measured; one try that
    does is enough."""
    own, other = float("inf"), float("inf")
    for _ in range(tries):
        own, other = min(own, _spent(work)), min(other, _spent(_yardstick))
        if own / other * YARDSTICK < limit:
            return True
    return False


def _yardstick() -> None:
    """What our readers do: characters, dictionaries, comparisons."""
    for row in json.loads(_DOCUMENT):
        if row["number"] == len(row["list"]) and row["text"].startswith("y"):
            raise AssertionError("a yardstick has no surprises")


def _spent(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began
