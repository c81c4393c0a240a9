"""Posting deliveries of many endpoints at once, at most two at a time to each.

A batch is what one job leased of one endpoint. It starts no more posts when one of them ran into
its time limit, after ten seconds, or when a post could outlast the lease. What it did not post is
put back: it is due again at once, without having been attempted.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import SimpleQueue

from einvoice import clock
from einvoice.services.webhooks.attempts import AttemptedDelivery
from einvoice.store.webhooks import DueDelivery
from einvoice.webhooks.sending import Failed, Gone, Result

MAX_IN_FLIGHT = 2  # requests to one endpoint at the same time
BATCH_SECONDS = 10.0  # after that a batch starts no more posts
GATHER_SECONDS = 0.02  # seconds a result waits for others to share its commit
MAX_GROUP = 500  # results of one commit

Attempt = Callable[[DueDelivery], Result]


class Batch:
    """Due deliveries of one endpoint. `seconds` is the time limit of one post."""

    def __init__(self, due: Sequence[DueDelivery], seconds: float) -> None:
        self.runners = min(MAX_IN_FLIGHT, len(due))
        self._waiting = deque(due)
        self._seconds = seconds
        self._until = clock.monotonic() + BATCH_SECONDS
        self._stopped = False
        self._lock = threading.Lock()

    def next(self) -> DueDelivery | None:
        """The next delivery to post; None if no more are to be started."""
        with self._lock:
            if self._stopped or not self._waiting or clock.monotonic() >= self._until:
                return None
            left = self._waiting[0].lease_until - clock.now()
            if left.total_seconds() < self._seconds:
                return None
            return self._waiting.popleft()

    def stop(self) -> None:
        """Start no more posts."""
        self._stopped = True

    def leave(self) -> list[DueDelivery] | None:
        """End of a runner; the last one gets the deliveries that were not posted."""
        with self._lock:
            self.runners -= 1
            return None if self.runners else list(self._waiting)


@dataclass(slots=True)
class PostedGroup:
    """Results that share a commit; `put_back` were not attempted."""

    attempted: list[AttemptedDelivery] = field(default_factory=list)
    put_back: list[DueDelivery] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Ended:
    batch: Batch
    rest: list[DueDelivery]


class Posts:
    """A pool of threads that posts batches, `endpoints` of them at once."""

    def __init__(self, attempt: Attempt, seconds: float, endpoints: int) -> None:
        self._attempt = attempt
        self._seconds = seconds
        self._endpoints = endpoints
        self._pool = ThreadPoolExecutor(MAX_IN_FLIGHT * endpoints, thread_name_prefix="webhook")
        self._results: SimpleQueue[AttemptedDelivery | _Ended | None] = SimpleQueue()
        self._open: set[Batch] = set()
        self._closed = False
        self._changed = threading.Condition()

    def start(self, due: Sequence[DueDelivery]) -> None:
        """Post these deliveries of one endpoint."""
        batch = Batch(due, self._seconds)
        with self._changed:
            self._open.add(batch)
        for _ in range(batch.runners):
            self._pool.submit(self._run, batch)

    def _run(self, batch: Batch) -> None:
        while (one := batch.next()) is not None:
            result = self._attempt(one)
            if isinstance(result, Gone) or (isinstance(result, Failed) and result.timed_out):
                batch.stop()
            self._results.put(AttemptedDelivery(one, result))
        rest = batch.leave()
        if rest is not None:
            self._results.put(_Ended(batch, rest))

    def groups(self) -> Iterator[PostedGroup]:
        """Results as they come; ends when closed and nothing is being posted."""
        while not (self._closed and not self._open):
            first = self._results.get()
            if first is not None:
                ended = self._gathered(first, group := PostedGroup())
                yield group
                with self._changed:
                    self._open -= ended
                    self._changed.notify_all()
        self._pool.shutdown()

    def _gathered(self, first: AttemptedDelivery | _Ended, group: PostedGroup) -> set[Batch]:
        """Fill the group with what comes in a moment; the batches that have ended."""
        ended: set[Batch] = set()
        one: AttemptedDelivery | _Ended | None = first
        time.sleep(GATHER_SECONDS)
        while True:
            if isinstance(one, AttemptedDelivery):
                group.attempted.append(one)
            elif one is not None:
                group.put_back += one.rest
                ended.add(one.batch)
            if len(group.attempted) >= MAX_GROUP or self._results.empty():
                return ended
            one = self._results.get()

    def wait_for_room(self, endpoints: int) -> None:
        """Return when so many more endpoints can be posted to at once."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._open) + endpoints <= self._endpoints)

    def close(self, *, stop: bool = False) -> None:
        """Nothing more is started; with `stop` batches put back what they have not posted."""
        with self._changed:
            self._closed = True
            for batch in self._open if stop else ():
                batch.stop()
        self._results.put(None)
