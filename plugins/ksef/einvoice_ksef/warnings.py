"""Warnings of the system (header X-System-Warning): how many, and the last one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from einvoice import clock
from einvoice.network.plugin_store import PluginStore
from einvoice_ksef.moments import moment_or_none

log = structlog.get_logger()

MAX_TEXT: Final = 500
_TRIES: Final = 10


@dataclass(frozen=True, slots=True)
class Noted:
    """The warnings that were noted; `count` may miss some of concurrent ones."""

    count: int
    last: str
    at: datetime | None


class Warnings:
    """The warnings of an environment, kept in the store."""

    def __init__(self, store: PluginStore, name: str) -> None:
        self._store, self._key = store, f"warnings-{name}"

    def note(self, text: str) -> None:
        """Count a warning and keep its text."""
        words = " ".join(text.split())[:MAX_TEXT]
        log.warning("KSeF warns", warning=words)
        for _ in range(_TRIES):
            stored = self._store.get(self._key)
            count = _noted(stored).count + 1
            new = json.dumps({"count": count, "last": words, "at": clock.now().isoformat()})
            if self._store.change(self._key, stored, new):
                return

    def noted(self) -> Noted:
        return _noted(self._store.get(self._key))


def _noted(stored: str | bytes | None) -> Noted:
    values = json.loads(stored) if stored else {}
    return Noted(values.get("count", 0), values.get("last", ""), moment_or_none(values.get("at")))
