"""Calls into plugins on behalf of requests: bounded in number and in time.

A plugin that does not return keeps its own threads only. Requests that need it are refused, and all
others go on.
"""

from __future__ import annotations

import contextvars
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from einvoice import clock

# Calls of one process that one plugin may be answering, and seconds to wait for one of them to end.
MAX_CALLS = 8
# Calls of one plugin for one tenant: the others are left to other tenants.
MAX_TENANT_CALLS = 6
WAIT_SECONDS = 1.0
# Seconds that a directory has for a lookup, and an endpoint for a request.
LOOKUP_SECONDS = 10.0
ENDPOINT_SECONDS = 60.0
# Seconds that the directories of all networks together have for a search by name.
SEARCH_SECONDS = 5.0
# Seconds that an access point has to check a connection.
CONNECTION_SECONDS = 30.0

T = TypeVar("T")


class PluginBusy(Exception):
    """The plugin answers as many calls as it may, or did not answer in time."""


class Shares:
    """How many calls each plugin answers in this process, by the name of what it offers."""

    def __init__(self, most: int = MAX_CALLS) -> None:
        self._most = most
        self._running, self._lock = 0, threading.Lock()
        self._shares: dict[str, threading.BoundedSemaphore] = {}
        self._of_tenants: Counter[tuple[str, str | None]] = Counter()
        self._ended = threading.Condition()

    def take(
        self, name: str, seconds: float, most: int | None = None
    ) -> threading.BoundedSemaphore | None:
        """A place for one call, to be released; None if none is free for so many seconds.

        most  calls of this plugin at a time, where that differs from the others'
        """
        share = self._shares.setdefault(name, threading.BoundedSemaphore(most or self._most))
        return share if share.acquire(timeout=max(0.0, seconds)) else None

    def running(self) -> int:
        """How many calls have begun and not ended, of all plugins."""
        return self._running

    def call(
        self, name: str, function: Callable[[], T], seconds: float, tenant_id: str | None = None
    ) -> T:
        """The function's result. Raises PluginBusy, also if it has not returned after `seconds`.

        It runs in a thread of its own, which is counted until it ends.

        tenant_id  for whom; None if for no one tenant
        """
        leave = self._entered(name, tenant_id)
        result: Future[T] = Future()
        context = contextvars.copy_context()

        def run() -> None:
            try:
                result.set_result(context.run(function))
            except BaseException as fault:  # noqa: BLE001 raised in the thread that waits
                result.set_exception(fault)
            finally:
                leave()
                self._count(-1)

        self._count(1)
        threading.Thread(target=run, name=f"call-{name}", daemon=True).start()
        try:
            return result.result(seconds)
        except TimeoutError:
            if result.done():  # the function raised it
                raise
            raise PluginBusy(f"{name} did not answer within {seconds:g} seconds") from None

    def _entered(self, name: str, tenant_id: str | None) -> Callable[[], None]:
        """Take a place for a call, and return what gives it back. Raises PluginBusy."""
        ends_at, place = clock.monotonic() + WAIT_SECONDS, (name, tenant_id)
        with self._ended:
            if not self._ended.wait_for(lambda: self._has_room(place), WAIT_SECONDS):
                words = f"{MAX_TENANT_CALLS} calls of your account"
                raise PluginBusy(f"{name} is answering {words} already")
            self._of_tenants[place] += 1
        share = self.take(name, ends_at - clock.monotonic())
        if share is None:
            self._leave(place)
            raise PluginBusy(f"{name} is answering {self._most} calls already")

        def leave() -> None:
            share.release()
            self._leave(place)

        return leave

    def _has_room(self, place: tuple[str, str | None]) -> bool:
        return place[1] is None or self._of_tenants[place] < MAX_TENANT_CALLS

    def _leave(self, place: tuple[str, str | None]) -> None:
        with self._ended:
            self._of_tenants[place] -= 1
            if not self._of_tenants[place]:
                del self._of_tenants[place]
            self._ended.notify_all()

    def _count(self, change: int) -> None:
        with self._lock:
            self._running += change


lookups = Shares()
searches = Shares()
connections = Shares()
endpoints = Shares()
