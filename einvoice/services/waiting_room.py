"""Waiting for outcomes: a bounded number of waiters, and one watcher per process.

A waiting request sleeps on an event. The watcher queries the database every 20 ms for all waiting
transmissions at once, so its cost does not grow with the waiters.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from einvoice.domain.delivery import Phase
from einvoice.observability import logging
from einvoice.store.sending import transmissions

log = logging.get(__name__)

POLL_SECONDS = 0.02
_WITHOUT_OUTCOME = frozenset({Phase.QUEUED, Phase.SUBMITTING})


class WaitingRoom:
    """At most `seats` requests of this process wait at once; the others are answered at once.

    A tenant has at most three quarters of the seats: one whose receivers are slow leaves some to
    others.

    `context` opens an application context for the watcher; `meanwhile` surrounds the sleep, so
    that the web can let other requests compute.
    """

    def __init__(
        self,
        context: Callable[[], AbstractContextManager[object]],
        seats: int,
        meanwhile: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._context = context
        self.meanwhile = meanwhile
        self._seats = seats
        self._share = max(1, seats - seats // 4)
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._waiting: dict[tuple[str, bool], set[threading.Event]] = defaultdict(set)
        self._watcher: threading.Thread | None = None

    @property
    def waiting(self) -> int:
        """The number of transmissions that requests wait for now."""
        with self._lock:
            return len(self._waiting)

    @contextmanager
    def seat(self, tenant_id: str, wanted: bool) -> Iterator[bool]:
        """Take a seat of the tenant for the block; yields whether there was one."""
        got = wanted and self._take(tenant_id)
        try:
            yield got
        finally:
            if got:
                self._give(tenant_id)

    def _take(self, tenant_id: str) -> bool:
        with self._lock:
            if self._taken.total() >= self._seats or self._taken[tenant_id] >= self._share:
                return False
            self._taken[tenant_id] += 1
            return True

    def _give(self, tenant_id: str) -> None:
        with self._lock:
            self._taken[tenant_id] -= 1
            if not self._taken[tenant_id]:
                del self._taken[tenant_id]

    def wait(self, transmission_id: str, seconds: float, *, until_settled: bool = False) -> bool:
        """Wait until the first outcome of the transmission is known, or the final one with
        `until_settled`. False if `seconds` passed first."""
        known = threading.Event()
        asked = (transmission_id, until_settled)
        with self._lock:
            self._waiting[asked].add(known)
            self._watch()
        try:
            with self.meanwhile():
                return known.wait(seconds)
        finally:
            with self._lock:
                self._waiting[asked].discard(known)
                if not self._waiting[asked]:
                    del self._waiting[asked]

    def _watch(self) -> None:
        if self._watcher is None or not self._watcher.is_alive():
            self._watcher = threading.Thread(target=self._look, name="watcher", daemon=True)
            self._watcher.start()

    def _look(self) -> None:
        """Query and wake waiters until there are none."""
        pause = threading.Event()
        while not pause.wait(POLL_SECONDS):
            with self._lock:
                asked = list(self._waiting)
                if not asked:
                    self._watcher = None
                    return
            self._wake(asked)

    def _wake(self, asked: list[tuple[str, bool]]) -> None:
        try:
            with self._context():
                phases = transmissions.open_phases(
                    {transmission_id for transmission_id, _ in asked}
                )
        except Exception:
            log.exception("watcher could not look")
            return
        with self._lock:
            for transmission_id, until_settled in asked:
                phase = phases.get(transmission_id)
                if phase is None or (phase not in _WITHOUT_OUTCOME and not until_settled):
                    for known in self._waiting.get((transmission_id, until_settled), ()):
                        known.set()
