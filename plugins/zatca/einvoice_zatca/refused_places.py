"""The places in a chain whose documents Fatoora has refused, for the page of a unit.

They keep their places: the next document has the hash of the refused one. The last MAX are kept.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Final

from einvoice.network.plugin_store import PluginStore

MAX: Final = 10
_TRIES: Final = 5


class RefusedPlaces:
    """The refused places of the units of one access point. Safe to share between threads."""

    def __init__(self, store: PluginStore, access_point: str) -> None:
        self._store, self._prefix = store, f"refused-{access_point}-"

    def add(self, connection_id: str, counter: str, at: datetime) -> None:
        """Note a place. Another process may win each time: then this one is not listed."""
        key = self._prefix + connection_id
        for _ in range(_TRIES):
            stored = self._store.get(key)
            found = {**_read(stored), counter: f"{at:%Y-%m-%d}"}
            kept = dict(sorted(found.items(), key=lambda each: int(each[0]))[-MAX:])
            if self._store.change(key, stored, json.dumps(kept)):
                return

    def forget(self, connection_id: str) -> None:
        """Delete those of a unit that has ended."""
        self._store.put(self._prefix + connection_id, None)

    def of(self, connection_id: str) -> dict[str, str]:
        """Counters with their days, the last one last."""
        return _read(self._store.get(self._prefix + connection_id))


def _read(stored: str | bytes | None) -> dict[str, str]:
    return dict(json.loads(stored)) if stored else {}
