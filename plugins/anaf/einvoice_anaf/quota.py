"""The budget of calls: at most 1,000 in any minute, for all processes together.

Calls are counted in windows of 20 seconds, of which a minute touches at most four. A process takes
several calls at once, so that most calls need no database.
"""

from __future__ import annotations

from threading import Lock
from typing import Final

from einvoice import clock
from einvoice.network.plugin_store import PluginStore

WINDOW_SECONDS: Final = 20
PER_WINDOW: Final = 240  # 960 in four windows
_SHARE: Final = 20
_TRIES: Final = 20


class Spent(Exception):
    """The calls of this window are used up; `retry_after`: seconds until the next one."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"the calls of a minute are used up; again in {retry_after:.0f} s")
        self.retry_after = retry_after


class Budget:
    """Takes calls from the budget of an environment. Safe to share between threads."""

    def __init__(self, store: PluginStore, name: str) -> None:
        self._store, self._key = store, f"calls-{name}"
        self._lock = Lock()
        self._window = self._left = 0

    def take(self) -> None:
        """Count one call. Raises Spent."""
        with self._lock:
            now = int(clock.now().timestamp())
            if self._window != now // WINDOW_SECONDS or not self._left:
                self._window, self._left = now // WINDOW_SECONDS, self._share(now)
            self._left -= 1

    def today(self) -> int:
        """How many calls were taken today (UTC), by all processes; a few of them may be left."""
        _, _, day, total = _parsed(self._store.get(self._key))
        return total if day == int(clock.now().timestamp()) // 86_400 else 0

    def _share(self, now: int) -> int:
        window, day = now // WINDOW_SECONDS, now // 86_400
        for _ in range(_TRIES):
            stored = self._store.get(self._key)
            of, used, of_day, total = _parsed(stored)
            used, total = used if of == window else 0, total if of_day == day else 0
            share = min(_SHARE, PER_WINDOW - used)
            if share <= 0:
                raise Spent((window + 1) * WINDOW_SECONDS - clock.now().timestamp())
            new = f"{window} {used + share} {day} {total + share}"
            if self._store.change(self._key, stored, new):
                return share
        raise Spent(1.0)


def _parsed(stored: str | bytes | None) -> tuple[int, int, int, int]:
    """Window, calls in it, day and calls of it."""
    window, used, day, total = map(int, str(stored or "0 0 0 0").split())
    return window, used, day, total
