"""Small in-process memories for what every send asks again; each forgets quickly."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from einvoice import clock

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Memory(Generic[K, V]):
    """Remember up to `size` answers for `ttl` seconds each. Safe between threads."""

    def __init__(self, ttl: float, size: int = 10_000) -> None:
        self._ttl, self._size = ttl, size
        self._kept: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K, load: Callable[[], V | None]) -> V | None:
        """The remembered answer, or what `load` says; None is not remembered."""
        found = self._kept.get(key)
        if found is not None and found[0] > clock.monotonic():
            return found[1]
        value = load()
        if value is not None:
            self._keep(key, value)
        return value

    def _keep(self, key: K, value: V) -> None:
        with self._lock:
            self._kept[key] = (clock.monotonic() + self._ttl, value)
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def drop(self, key: K) -> None:
        """Forget one answer."""
        with self._lock:
            self._kept.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
