"""Simplified documents that were sent and not reported yet, for `einvoice doctor`.

They are in one value of the store of the plugin, at most MAX of them; the oldest are kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from einvoice.network.plugin_store import PluginStore

MAX: Final = 300
REPORTED_WITHIN: Final = timedelta(hours=24)  # of a simplified document, by law
_TRIES: Final = 5


class Unreported:
    """The documents of one access point that wait for an answer. Safe to share between threads."""

    def __init__(self, store: PluginStore, access_point: str) -> None:
        self._store, self._key = store, f"unreported-{access_point}"

    def add(self, uuid: str, since: datetime) -> None:
        self._change(lambda found: found.setdefault(uuid, since.isoformat()))

    def remove(self, uuid: str) -> None:
        self._change(lambda found: found.pop(uuid, None))

    def since(self) -> list[datetime]:
        """When the waiting documents were accepted, the oldest first."""
        return sorted(map(datetime.fromisoformat, self._read(self._store.get(self._key)).values()))

    def _change(self, change: Callable[[dict[str, str]], object]) -> None:
        """Change the value. Another process may win each time: then one document is not listed."""
        for _ in range(_TRIES):
            stored = self._store.get(self._key)
            found = self._read(stored)
            before = dict(found)
            change(found)
            kept = dict(sorted(found.items(), key=lambda each: each[1])[:MAX])
            if kept == before or self._store.change(self._key, stored, json.dumps(kept)):
                return

    @staticmethod
    def _read(stored: str | bytes | None) -> dict[str, str]:
        return dict(json.loads(stored)) if stored else {}
