"""Refused logins whose reason is not known: KSeF's matter at first, a person's where they last."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Final

from einvoice import clock
from einvoice.network.plugin_store import PluginStore
from einvoice_ksef.moments import moment

TRIES: Final = 5
LASTING: Final = timedelta(minutes=30)


class LoginRefusals:
    """The refusals of one connection since its last login."""

    def __init__(self, store: PluginStore, access_point: str, connection_id: str) -> None:
        self._store, self._key = store, f"login-refused-{access_point}-{connection_id}"

    def note(self) -> bool:
        """Note a refusal; whether they last: TRIES of them, the first one LASTING ago."""
        now, stored = clock.now(), self._store.get(self._key)
        count, since = json.loads(stored) if stored else (0, now.isoformat())
        self._store.put(self._key, json.dumps([count + 1, since]))
        return count + 1 >= TRIES and now - moment(since) >= LASTING

    def clear(self) -> None:
        """The account has logged in, or somebody has given something else to log in with."""
        if self._store.get(self._key):
            self._store.put(self._key, None)
