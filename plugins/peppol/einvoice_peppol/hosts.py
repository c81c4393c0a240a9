"""Receiving hosts that do not answer: each is tried by one message at a time, less and less often.

A document waits by its own attempts (docs/states.md). Many documents for one host that is away
would still be many attempts at it: while it fails, one of them is sent, and the others wait until
the host has answered. Each process counts for itself, from zero when it is restarted.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final
from urllib.parse import urlsplit

from einvoice import clock

FAILURES_BEFORE_WAITING: Final = 2  # one alone may be a kept connection that was closed
MAX_DISTANCE: Final = 600.0
MAX_WAIT_FOR_ATTEMPT: Final = 30.0  # while another message is being tried
MAX_HOSTS: Final = 10_000  # failing ones that are remembered; the longest unused is dropped


def distance(attempt: int) -> float:
    """Seconds after an attempt without an answer: 1, 2, 4 … up to ten minutes."""
    return min(MAX_DISTANCE, 2.0 ** min(max(attempt, 1) - 1, 20))


@dataclass(slots=True)
class _Failing:
    """A host that did not answer. `until`: no attempt before; `trying`: one is under way until."""

    failures: int = 0
    until: float = 0.0
    trying: float = 0.0


class Hosts:
    """Which hosts fail now. Safe to share between threads."""

    def __init__(self) -> None:
        self._failing: OrderedDict[str, _Failing] = OrderedDict()
        self._lock = Lock()

    def wait_for(self, address: str, seconds: float) -> float | None:
        """Seconds to wait before a message is sent to the address; None: send it now.

        seconds  how long the attempt may take, if it is made
        """
        now = clock.monotonic()
        with self._lock:
            found = self._failing.get(_host(address))
            if found is None or found.failures < FAILURES_BEFORE_WAITING:
                return None
            if now < found.until:
                return max(1.0, found.until - now)
            if now < found.trying:
                return min(MAX_WAIT_FOR_ATTEMPT, max(1.0, found.trying - now))
            found.trying = now + seconds
            return None

    def failed(self, address: str) -> None:
        """Note that there was no answer. Those of attempts that were made together count once."""
        host, now = _host(address), clock.monotonic()
        with self._lock:
            found = self._failing.setdefault(host, _Failing())
            self._failing.move_to_end(host)
            if now >= found.until:
                found.failures += 1
                found.trying = 0.0
                if found.failures >= FAILURES_BEFORE_WAITING:
                    found.until = now + distance(found.failures)
            if len(self._failing) > MAX_HOSTS:
                self._failing.popitem(last=False)

    def answered(self, address: str) -> None:
        """Note that the host answers again."""
        if self._failing:
            with self._lock:
                self._failing.pop(_host(address), None)


def _host(address: str) -> str:
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:  # such an address is refused by the client
        return address
