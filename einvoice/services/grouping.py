"""Work of concurrent requests done together: in groups, by one thread of the process at a time.

What one send executes is larger than the processor's caches: sends done one after the other find
nothing of their code in them, sends done step by step do (measured: half the time for sixteen).
And a group is stored with one commit.

A request that comes while no other is computed is computed by its own thread, at once. All others
hand their work over to the grouping thread and wait for it. Where work comes in bursts, such as
messages of one access point over several connections, a request soon after a group waits a moment
for the others.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from einvoice import clock
from einvoice.domain.errors import Overloaded

MAX_GROUP_SIZE = 24
# How long the thread waits for more work after a group of several. Alone, nothing waits.
GATHER_SECONDS = 0.002
# For how long after a group of several the next one is expected to have as many.
BURST_SECONDS = 0.1
# How long work may wait for its group to begin.
MAX_QUEUED_SECONDS = 10.0

Step = Callable[[Sequence[Any]], None]


class Work(NamedTuple):
    """Two functions over the items of a group: computing, then storing what was computed.

    They record what happens to an item in the item, and raise nothing because of it.
    """

    compute: Step
    store: Step


class _Place:
    """An item in the queue with its work; `fault` is what stopped its whole group."""

    __slots__ = ("done", "fault", "item", "work")

    def __init__(self, item: object, work: Work) -> None:
        self.item = item
        self.work = work
        self.done = threading.Event()
        self.fault: BaseException | None = None


class Grouping:
    """Does the work of concurrent requests in groups.

    `context` opens an application context for the thread; `computing` surrounds its computing and
    `meanwhile` the waiting of a request, so that the web can bound how many requests compute.
    `burst_wait`: for how many seconds a group waits to have as many items as the one before, or as
    many as `expected` says are on their way; 0: a request that comes alone is computed at once.
    """

    def __init__(
        self,
        context: Callable[[], AbstractContextManager[object]],
        computing: Callable[[], AbstractContextManager[None]] = nullcontext,
        meanwhile: Callable[[], AbstractContextManager[None]] = nullcontext,
        *,
        burst_wait: float = 0.0,
        expected: Callable[[], int] = lambda: 0,
    ) -> None:
        self._burst_wait, self._expected = burst_wait, expected
        self._last_size, self._last_end = 0, 0.0
        self._context = context
        self._computing = computing
        self._meanwhile = meanwhile
        self._at_work = threading.Lock()
        self._queue: deque[_Place] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def run(self, item: object, work: Work) -> None:
        """Do the work of the item, together with other items if there are any.

        Raises Overloaded if its group does not begin in time: nothing was done then.
        """
        if not self._queue and not self._in_burst() and self._at_work.acquire(blocking=False):
            try:
                self.run_alone(item, work)
            finally:
                self._at_work.release()
            return
        place = _Place(item, work)
        with self._changed:
            self._queue.append(place)
            self._ensure_thread()
            self._changed.notify()
        with self._meanwhile():
            self._await(place)
        if place.fault is not None:
            raise place.fault

    def run_alone(self, item: object, work: Work) -> None:
        """Do the work of the item in this thread, beside any group."""
        work.compute([item])
        with self._meanwhile():
            work.store([item])

    def _await(self, place: _Place) -> None:
        if place.done.wait(MAX_QUEUED_SECONDS):
            return
        with self._changed:
            waiting = place in self._queue
            if waiting:
                self._queue.remove(place)
        if waiting:
            raise Overloaded(f"The send has been waiting for {MAX_QUEUED_SECONDS:.0f} seconds.")
        place.done.wait()  # it is being stored: what becomes of it is known soon

    # -- the thread --------------------------------------------------------------------------------

    def _ensure_thread(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._serve, name="grouping", daemon=True)
            self._thread.start()

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue)
            if self._last_size > 1 or self._in_burst():
                self._gather()
            with self._at_work:
                self._last_size = self._do_next()
                self._last_end = clock.monotonic()

    def _in_burst(self) -> bool:
        """Whether more work is waited for: it is on its way, or a group of several just ended."""
        if not self._burst_wait:
            return False
        recent = clock.monotonic() - self._last_end < BURST_SECONDS
        return (recent and self._last_size > 1) or self._expected() > 1

    def _gather(self) -> None:
        """Wait for more work, until there is enough for a group."""
        until = clock.monotonic() + (self._burst_wait or GATHER_SECONDS)
        with self._changed:
            while len(self._queue) < self._enough() and (left := until - clock.monotonic()) > 0:
                self._changed.wait(left)

    def _enough(self) -> int:
        """How many items a group waits for."""
        if not self._burst_wait:
            return MAX_GROUP_SIZE
        return min(MAX_GROUP_SIZE, max(self._last_size, self._expected()))

    def _do_next(self) -> int:
        """Do the work of the next group; the number of its items."""
        group: list[_Place] = []
        try:
            with self._context():
                with self._computing():
                    group = self._take()
                    if not group:
                        return 0
                    items, work = [place.item for place in group], group[0].work
                    work.compute(items)
                work.store(items)
        except BaseException as fault:  # noqa: BLE001 - raised in the threads of the requests
            group = group or self._take()
            for place in group:
                place.fault = fault
        for place in group:
            place.done.set()
        return len(group)

    def _take(self) -> list[_Place]:
        """The next items of one kind of work, as many as a group may have."""
        group: list[_Place] = []
        with self._changed:
            while (
                self._queue
                and len(group) < MAX_GROUP_SIZE
                and (not group or self._queue[0].work is group[0].work)
            ):
                group.append(self._queue.popleft())
        return group
