"""Calls into plugins on behalf of requests: bounded in number and in time.

A plugin that does not return keeps its own threads only. Requests that need it are refused, and all
others go on.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from einvoice import share
from einvoice.share import Beyond, Limit

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


Share = share.Share[str | None, threading.Lock]


class Shares:
    """How many calls each plugin answers in this process, by the name of what it offers.

    wait  seconds that a call waits for another one to end
    """

    def __init__(self, most: int = MAX_CALLS, wait: float = WAIT_SECONDS) -> None:
        self._most, self._wait = most, wait
        self._shares: dict[str, Share] = {}

    def of(self, name: str, most: int | None = None) -> Share:
        """The share of one plugin, whose callers are tenants; None if for no one tenant.

        most  calls of this plugin at a time, where that differs from the others'
        """
        limit = limit_of_calls(most or self._most, self._wait)
        return self._shares.setdefault(name, share.Share(limit, partial(_busy, name, limit)))

    def running(self) -> int:
        """How many calls have begun and not ended, of all plugins."""
        return sum(each.used for each in list(self._shares.values()))

    def call(
        self, name: str, function: Callable[[], T], seconds: float, tenant_id: str | None = None
    ) -> T:
        """The function's result. Raises PluginBusy, also if it has not returned after `seconds`.

        It runs in a thread of its own, which is counted until it ends.

        tenant_id  for whom; None if for no one tenant
        """
        permits = self.of(name)
        permits.acquire(tenant_id)
        result: Future[T] = Future()
        context = contextvars.copy_context()

        def run() -> None:
            try:
                result.set_result(context.run(function))
            except BaseException as fault:  # noqa: BLE001 raised in the thread that waits
                result.set_exception(fault)
            finally:
                permits.release(tenant_id)

        threading.Thread(target=run, name=f"call-{name}", daemon=True).start()
        try:
            return result.result(seconds)
        except TimeoutError:
            if result.done():  # the function raised it
                raise
            raise PluginBusy(f"{name} did not answer within {seconds:g} seconds") from None


def limit_of_calls(most: int = MAX_CALLS, wait: float = WAIT_SECONDS) -> Limit:
    """So many calls of one plugin at the same time, for which others wait so many seconds."""
    return Limit(most, of_one=MAX_TENANT_CALLS, queue=None, wait=wait)


def _busy(name: str, limit: Limit, beyond: Beyond) -> PluginBusy:
    number = f"{limit.of_one} calls of your account" if beyond.own else f"{limit.in_all} calls"
    return PluginBusy(f"{name} is answering {number} already")


lookups = Shares()
searches = Shares()
connections = Shares()
endpoints = Shares()
