"""Slots for computing, given to callers in rotation.

A semaphore gives its slots in the order of arrival: behind sixteen requests of one tenant, another
tenant's request waits for all of them. Here it waits for one of them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from types import TracebackType
from typing import Protocol


class _Waiter(Protocol):
    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool: ...
    def release(self) -> None: ...


class ComputingSlots:
    """A semaphore whose waiting threads are served caller by caller."""

    def __init__(self, slots: int) -> None:
        self._slots = self._free = slots
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, deque[_Waiter]] = OrderedDict()

    def acquire(self, caller: str = "", timeout: float = -1) -> bool:
        """Take a slot for the caller; whether there was one within `timeout` seconds (-1: ever)."""
        with self._lock:
            if self._free and not self._waiting:
                self._free -= 1
                return True
            waiter = threading.Lock()
            waiter.acquire()
            self._waiting.setdefault(caller, deque()).append(waiter)
        return waiter.acquire(timeout=timeout) or not self._withdrawn(caller, waiter)

    def release(self, number: int = 1) -> None:
        """Give slots back, each to the next caller that waits. Raises ValueError for too many."""
        with self._lock:
            for _ in range(number):
                if self._waiting:
                    self._next().release()
                elif self._free < self._slots:
                    self._free += 1
                else:
                    raise ValueError("released more slots than there are")

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def _next(self) -> _Waiter:
        caller, own = next(iter(self._waiting.items()))
        waiter = own.popleft()
        if own:
            self._waiting.move_to_end(caller)
        else:
            del self._waiting[caller]
        return waiter

    def _withdrawn(self, caller: str, waiter: _Waiter) -> bool:
        """Stop waiting; False if the slot was given in the meantime."""
        with self._lock:
            own = self._waiting.get(caller)
            if own is None or waiter not in own:
                return False
            own.remove(waiter)
            if not own:
                del self._waiting[caller]
            return True
