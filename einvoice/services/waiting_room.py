"""Waiting for outcomes: a bounded number of waiters, and one watcher per process.

A waiting request sleeps on an event. The watcher queries the database every 20 ms for all waiting
transmissions at once, so its cost does not grow with the waiters.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from einvoice.domain.delivery import Phase
from einvoice.observability import logging
from einvoice.services.computing.slot import NO_SLOT, Slot
from einvoice.share import Limit, Share
from einvoice.store.sending import transmissions

log = logging.get(__name__)

POLL_SECONDS = 0.02
_WITHOUT_OUTCOME = frozenset({Phase.QUEUED, Phase.SUBMITTING})


def limit_of_seats(seats: int) -> Limit:
    """A tenant has at most three quarters of the seats, and nobody waits for one."""
    return Limit(seats, of_one=max(1, seats - seats // 4))


class WaitingRoom:
    """At most `seats` requests of this process wait at once; the others are answered at once.

    A tenant has at most three quarters of the seats: one whose receivers are slow leaves some to
    others.

    `context` opens an application context for the watcher; `slot` is released for the sleep.
    """

    def __init__(
        self,
        context: Callable[[], AbstractContextManager[object]],
        seats: int,
        slot: Slot = NO_SLOT,
    ) -> None:
        self._context, self._slot = context, slot
        self._seats: Share[str, threading.Lock] = Share(limit_of_seats(seats))
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
        got = wanted and self._seats.enter(tenant_id)
        try:
            yield got
        finally:
            if got:
                self._seats.release(tenant_id)

    def wait(self, transmission_id: str, seconds: float, *, until_settled: bool = False) -> bool:
        """Wait until the first outcome of the transmission is known, or the final one with
        `until_settled`. False if `seconds` passed first."""
        known = threading.Event()
        asked = (transmission_id, until_settled)
        with self._lock:
            self._waiting[asked].add(known)
            self._watch()
        try:
            with self._slot.released():
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
