"""Turns: permits for long work, given to the waiting tenants in rotation.

Of several permits one tenant gets all but one. So a tenant whose work fills its share delays other
tenants by at most one computation.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager

from einvoice.domain.errors import ComputingUnavailable
from einvoice.observability import metrics

_FULL = "Too many long computations are waiting. Nothing was done: repeat the request later."
_LATE = "Other long computations took all the time that this request may wait. Nothing was done."


class Turns:
    """`permits` turns at the same time; at most `waiting` callers wait, half of them of one tenant.

    Waiting callers hold a thread each, hence the bound.
    """

    def __init__(self, permits: int, waiting: int) -> None:
        self._free = permits
        self._most_of_tenant = max(1, permits - 1)
        self._max_waiting = waiting
        self._max_waiting_of_tenant = max(1, waiting // 2)
        self._running: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[threading.Event]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """The number of callers that wait for a turn."""
        with self._lock:
            return sum(map(len, self._waiting.values()))

    @contextmanager
    def turn(self, tenant_id: str, seconds: float) -> Iterator[None]:
        """Hold a turn for the block. Raises ComputingUnavailable if none comes in that time."""
        granted = self._ask(tenant_id)
        if not granted.is_set():
            self._wait(tenant_id, granted, seconds)
        try:
            yield
        finally:
            self._leave(tenant_id)

    def _wait(self, tenant_id: str, granted: threading.Event, seconds: float) -> None:
        with metrics.computation_waiting():
            in_time = granted.wait(seconds)
        if not in_time and self._give_up(tenant_id, granted):
            metrics.computation_refused("late")
            raise ComputingUnavailable(_LATE)

    def _ask(self, tenant_id: str) -> threading.Event:
        """An event that is set once the turn is granted, possibly at once."""
        asked = threading.Event()
        with self._lock:
            queue = self._waiting.setdefault(tenant_id, deque())
            queue.append(asked)
            self._grant()
            if not asked.is_set() and self._is_full(queue):
                self._remove(tenant_id, asked)
                metrics.computation_refused("full")
                raise ComputingUnavailable(_FULL)
        return asked

    def _is_full(self, queue: deque[threading.Event]) -> bool:
        total = sum(map(len, self._waiting.values()))
        return len(queue) > self._max_waiting_of_tenant or total > self._max_waiting

    def _give_up(self, tenant_id: str, asked: threading.Event) -> bool:
        """Stop waiting; False if the turn was granted in the meantime."""
        with self._lock:
            if asked.is_set():
                return False
            self._remove(tenant_id, asked)
        return True

    def _remove(self, tenant_id: str, asked: threading.Event) -> None:
        queue = self._waiting[tenant_id]
        queue.remove(asked)
        if not queue:
            del self._waiting[tenant_id]

    def _leave(self, tenant_id: str) -> None:
        with self._lock:
            self._free += 1
            self._running[tenant_id] -= 1
            if not self._running[tenant_id]:
                del self._running[tenant_id]
            if tenant_id in self._waiting:
                self._waiting.move_to_end(tenant_id)
            self._grant()

    def _grant(self) -> None:
        """Grant free turns: to one caller of the tenant that is first, which is then last."""
        for tenant_id in list(self._waiting):
            if self._free and self._running[tenant_id] < self._most_of_tenant:
                queue = self._waiting[tenant_id]
                queue.popleft().set()
                self._free -= 1
                self._running[tenant_id] += 1
                self._waiting.move_to_end(tenant_id)
                if not queue:
                    del self._waiting[tenant_id]
