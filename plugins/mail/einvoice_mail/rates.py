"""Limits of mails: of a tenant in an hour, to a domain in a minute, of a sender in an hour.

Counts are values of the plugin's store, shared by all workers. A window is a fixed one: at most
twice the limit passes within any hour or minute. The counts of a window share a few values, which
the next window begins again: strangers cannot fill the store with names.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Final

from einvoice import clock
from einvoice.network.plugin_store import PluginStore, StoreFull

HOUR: Final = 3600
MINUTE: Final = 60
_TRIES: Final = 20  # of a change that other workers make at the same time
_MAX_NAMES: Final = 1500  # of one value, which stays below the size of values


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts what has happened in the present window. `name`: of the access point."""

    store: PluginStore
    name: str

    def wait_of(self, what: str, seconds: int, most: int) -> float | None:
        """Seconds until it may happen again; None: now, and it is counted."""
        digest = hashlib.sha256(what.encode(errors="replace")).hexdigest()
        key = f"rate {self.name} {seconds} {digest[:2]}"
        for _ in range(_TRIES):
            now = int(clock.now().timestamp())
            window = now // seconds
            stored = self.store.get(key)
            counts = _counts_in(stored, window)
            count = counts.get(digest[2:14], 0)
            if count >= most:
                return float((window + 1) * seconds - now)
            if len(counts) < _MAX_NAMES:
                counts[digest[2:14]] = count + 1
            try:
                if self.store.change(key, stored, json.dumps([window, counts])):
                    return None
            except StoreFull:
                return None  # nothing is held back because the store is full
        return 1.0


def _counts_in(stored: bytes | str | None, window: int) -> dict[str, int]:
    try:
        known, counts = json.loads(stored) if stored else (window, {})
    except (ValueError, TypeError):
        return {}  # of an earlier release
    return dict(counts) if known == window else {}


@dataclass(frozen=True, slots=True)
class Rates:
    """Counts mails before they are submitted. `name`: of the access point."""

    store: PluginStore
    name: str
    per_hour: int
    per_minute: int

    def wait_of(self, tenant_id: str, recipient: str) -> float | None:
        """Seconds until the mail may be submitted; None: now, and it is counted."""
        counter = Counter(self.store, self.name)
        domain = recipient.rpartition("@")[2]
        wait = counter.wait_of(f"domain {domain}", MINUTE, self.per_minute)
        if wait is not None:
            return wait
        return counter.wait_of(f"tenant {tenant_id}", HOUR, self.per_hour)
