"""Turns: permits for long work, given to the waiting tenants in rotation.

Of several permits one tenant gets all but one. So a tenant whose work fills its share delays other
tenants by at most one computation.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from einvoice.domain.errors import ComputingUnavailable
from einvoice.domain.rotation import Rotation
from einvoice.observability import metrics

_FULL = "Too many long computations are waiting. Nothing was done: repeat the request later."
_LATE = "Other long computations took all the time that this request may wait. Nothing was done."


class ComputingTurns:
    """`permits` turns at the same time; at most `waiting` callers wait, half of them of one tenant.

    Waiting callers hold a thread each, hence the bound. `meanwhile` surrounds the wait, so that the
    web can let other requests compute.
    """

    def __init__(
        self,
        permits: int,
        waiting: int,
        meanwhile: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._meanwhile = meanwhile
        self._free = permits
        self._max_of_tenant = max(1, permits - 1)
        self._max_waiting = waiting
        self._max_waiting_of_tenant = max(1, waiting // 2)
        self._running: Counter[str] = Counter()
        self._waiting: Rotation[str, threading.Event] = Rotation()
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """The number of callers that wait for a turn."""
        with self._lock:
            return len(self._waiting)

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
        with metrics.computation_waiting(), self._meanwhile():
            in_time = granted.wait(seconds)
        if not in_time and self._give_up(tenant_id, granted):
            metrics.computation_refused("late")
            raise ComputingUnavailable(_LATE)

    def _ask(self, tenant_id: str) -> threading.Event:
        """An event that is set once the turn is granted, possibly at once."""
        asked = threading.Event()
        with self._lock:
            self._waiting.append(tenant_id, asked)
            self._grant()
            if not asked.is_set() and self._is_full(tenant_id):
                self._waiting.remove(tenant_id, asked)
                metrics.computation_refused("full")
                raise ComputingUnavailable(_FULL)
        return asked

    def _is_full(self, tenant_id: str) -> bool:
        own = self._waiting.waiting_of(tenant_id)
        return own > self._max_waiting_of_tenant or len(self._waiting) > self._max_waiting

    def _give_up(self, tenant_id: str, asked: threading.Event) -> bool:
        """Stop waiting; False if the turn was granted in the meantime."""
        with self._lock:
            return self._waiting.remove(tenant_id, asked)

    def _leave(self, tenant_id: str) -> None:
        with self._lock:
            self._free += 1
            self._running[tenant_id] -= 1
            if not self._running[tenant_id]:
                del self._running[tenant_id]
            self._waiting.postpone(tenant_id)
            self._grant()

    def _grant(self) -> None:
        """Grant free turns to waiting callers, tenant by tenant."""
        while self._free and (granted := self._waiting.pop(self._is_free)):
            tenant_id, asked = granted
            self._free -= 1
            self._running[tenant_id] += 1
            asked.set()

    def _is_free(self, tenant_id: str) -> bool:
        return self._running[tenant_id] < self._max_of_tenant
