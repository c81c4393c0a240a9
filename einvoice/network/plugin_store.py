"""The store of a plugin: values by key, and records by time (argument `store` of hooks).

It is kept in the database and scoped to the plugin by the name of its entry point: every process
sees the same values, and no other plugin does.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

Value = bytes | str

MAX_KEY_LENGTH = 200  # characters, also of the name of a series
MAX_VALUE_BYTES = 64 * 1024
MAX_KEYS = 100_000  # of one plugin
MAX_RECORDS_READ = 500
MAX_VALUES_FOUND = 500
RECORD_RETENTION_DAYS = 1100


class StoreFull(Exception):
    """The plugin has as many keys as it may have."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record of a series; `id` orders the records of the same time."""

    id: int
    at: datetime
    value: Value


class PluginStore(Protocol):
    """Keeps what a plugin needs to remember. Call it from any thread, but not yet in a hook.

    A value is text or bytes, and returned as the type that was stored. Raises ValueError if a key
    or value is too long, StoreFull, and the exceptions of the database.
    """

    def get(self, key: str) -> Value | None:
        """The value of the key; None if there is none."""
        ...

    def put(self, key: str, value: Value | None) -> None:
        """Set the value of the key; None deletes it. Of concurrent calls the last one counts."""
        ...

    def change(self, key: str, expected: Value | None, new: Value | None) -> bool:
        """Set the value of the key if it is `expected`; whether it was. None: no value."""
        ...

    def find(self, start: str, after: str = "") -> list[tuple[str, Value]]:
        """Up to 500 keys that begin with `start`, with their values, in the order of the database.

        after  the last key of the page before
        """
        ...

    def append(self, series: str, value: Value) -> None:
        """Add a record to a series, with the time of now. It is kept for 1,100 days."""
        ...

    def read(
        self, series: str, since: datetime, until: datetime, after: StoredRecord | None = None
    ) -> list[StoredRecord]:
        """Up to 500 records from `since` to before `until`, oldest first.

        after  the last record of the page before
        """
        ...


class ClosedStore:
    """Stores nothing: for plugins that are loaded without a service."""

    def get(self, key: str) -> Value | None:
        return None

    def put(self, key: str, value: Value | None) -> None:
        raise StoreFull("this store keeps nothing")

    def change(self, key: str, expected: Value | None, new: Value | None) -> bool:
        return False

    def find(self, start: str, after: str = "") -> list[tuple[str, Value]]:
        return []

    def append(self, series: str, value: Value) -> None:
        raise StoreFull("this store keeps nothing")

    def read(
        self, series: str, since: datetime, until: datetime, after: StoredRecord | None = None
    ) -> list[StoredRecord]:
        return []
