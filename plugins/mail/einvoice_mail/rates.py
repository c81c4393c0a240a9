"""Limits of mails: of a tenant in an hour, and to a domain in a minute.

Counts are values of the plugin's store, shared by all workers. A window is a fixed one: at most
twice the limit passes within any hour or minute.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from einvoice import clock
from einvoice.network.plugin_store import PluginStore, StoreFull

_HOUR: Final = 3600
_MINUTE: Final = 60
_TRIES: Final = 20  # of a change that other workers make at the same time


@dataclass(frozen=True, slots=True)
class Rates:
    """Counts mails before they are submitted. `name`: of the access point."""

    store: PluginStore
    name: str
    per_hour: int
    per_minute: int

    def wait_of(self, tenant_id: str, recipient: str) -> float | None:
        """Seconds until the mail may be submitted; None: now, and it is counted."""
        domain = recipient.rpartition("@")[2]
        wait = self._counted(f"domain {domain}", _MINUTE, self.per_minute)
        return self._counted(f"tenant {tenant_id}", _HOUR, self.per_hour) if wait is None else wait

    def _counted(self, what: str, seconds: int, most: int) -> float | None:
        key = f"rate {self.name} {hashlib.sha256(what.encode()).hexdigest()[:40]}"
        for _ in range(_TRIES):
            now = int(clock.now().timestamp())
            window = now // seconds
            stored = self.store.get(key)
            count = _count_in(stored, window)
            if count >= most:
                return float((window + 1) * seconds - now)
            try:
                if self.store.change(key, stored, f"{window} {count + 1}"):
                    return None
            except StoreFull:
                return None  # mails are not held back because too many domains were written to
        return 1.0


def _count_in(stored: bytes | str | None, window: int) -> int:
    known, _, count = str(stored or "").partition(" ")
    return int(count) if known == str(window) and count.isdigit() else 0
