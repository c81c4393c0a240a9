"""Results that are kept by what they were computed from, within a bound of bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict


class KeptResults:
    """The results used last, of at most `max_bytes` together. Safe between threads."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> bytes | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def keep(self, key: str, result: bytes) -> None:
        """Keep a result, unless it is larger than a quarter of the room."""
        with self._lock:
            if key in self._kept or len(result) > self._max_bytes // 4:
                return
            self._kept[key] = result
            self._bytes += len(result)
            while self._bytes > self._max_bytes:
                _, dropped = self._kept.popitem(last=False)
                self._bytes -= len(dropped)
