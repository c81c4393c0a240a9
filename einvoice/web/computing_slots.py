"""Slots for computing, given to callers in rotation.

A semaphore gives its slots in the order of arrival: behind sixteen requests of one tenant, another
tenant's request waits for all of them. Here it waits for one of them.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Protocol

from einvoice.domain.rotation import Rotation


class _Waiter(Protocol):
    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool: ...
    def release(self) -> None: ...


class ComputingSlots:
    """A semaphore whose waiting threads are served caller by caller."""

    def __init__(self, slots: int) -> None:
        self._slots = self._free = slots
        self._lock = threading.Lock()
        self._waiting: Rotation[str, _Waiter] = Rotation()

    def acquire(self, caller: str = "", timeout: float = -1) -> bool:
        """Take a slot for the caller; whether there was one within `timeout` seconds (-1: ever)."""
        with self._lock:
            if self._free and not self._waiting:
                self._free -= 1
                return True
            waiter = threading.Lock()
            waiter.acquire()
            self._waiting.append(caller, waiter)
        return waiter.acquire(timeout=timeout) or not self._withdrawn(caller, waiter)

    def release(self, number: int = 1) -> None:
        """Give slots back, each to the next caller that waits. Raises ValueError for too many."""
        with self._lock:
            for _ in range(number):
                following = self._waiting.pop()
                if following is not None:
                    following[1].release()
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

    def _withdrawn(self, caller: str, waiter: _Waiter) -> bool:
        """Stop waiting; False if the slot was given in the meantime."""
        with self._lock:
            return self._waiting.remove(caller, waiter)
