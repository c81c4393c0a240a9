"""The stores of plugins in the database (`network/plugin_store`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.network.plugin_store import (
    MAX_KEY_LENGTH,
    MAX_KEYS,
    MAX_RECORDS_READ,
    MAX_VALUE_BYTES,
    MAX_VALUES_FOUND,
    StoredRecord,
    StoreFull,
    Value,
)
from einvoice.store.core import db
from einvoice.store.installation import plugin_values
from einvoice.store.installation.plugin_values import Stored


class DatabaseStore:
    """The store of one plugin. Each call opens an application context and a transaction."""

    def __init__(self, context: Callable[[], AbstractContextManager[object]], plugin: str) -> None:
        self._context = context
        self._plugin = plugin

    def get(self, key: str) -> Value | None:
        with self._context(), db.reading() as connection:
            return _value(plugin_values.get(connection, self._plugin, _key(key)))

    def put(self, key: str, value: Value | None) -> None:
        if value is None:
            with self._writing() as connection:
                plugin_values.remove(connection, self._plugin, _key(key))
            return
        new, now = _stored(value), clock.now()
        with self._writing() as connection:
            place = connection, self._plugin, _key(key), new, now
            # An insert that finds the key was overtaken by another one: the value is replaced.
            _ = plugin_values.replace(*place) or self._add(*place) or plugin_values.replace(*place)

    def change(self, key: str, expected: Value | None, new: Value | None) -> bool:
        before = None if expected is None else _stored(expected)
        after = None if new is None else _stored(new)
        with self._writing() as connection:
            place = connection, self._plugin, _key(key)
            if after is None:
                if before is None:
                    return plugin_values.get(*place) is None
                return plugin_values.remove(*place, before)
            if before is None:
                return self._add(*place, after, clock.now())
            return plugin_values.replace(*place, after, clock.now(), before)

    def find(self, start: str, after: str = "") -> list[tuple[str, Value]]:
        with self._context(), db.reading() as connection:
            found = plugin_values.find(
                connection, self._plugin, _key(start), after, MAX_VALUES_FOUND
            )
        return [(key, _plain(stored)) for key, stored in found]

    def append(self, series: str, value: Value) -> None:
        new = _stored(value)
        with self._writing() as connection:
            plugin_values.append(connection, self._plugin, _key(series), new, clock.now())

    def read(
        self, series: str, since: datetime, until: datetime, after: StoredRecord | None = None
    ) -> list[StoredRecord]:
        behind = None if after is None else (after.at, after.id)
        with self._context(), db.reading() as connection:
            found = plugin_values.read(
                connection, self._plugin, _key(series), since, until, behind, MAX_RECORDS_READ
            )
        return [StoredRecord(i, at, _plain(stored)) for i, at, stored in found]

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._context(), db.writing() as connection:
            yield connection

    def _add(
        self, connection: Connection, plugin: str, key: str, new: Stored, now: datetime
    ) -> bool:
        if not plugin_values.has_room(connection, plugin, MAX_KEYS):
            if plugin_values.get(connection, plugin, key) is not None:
                return False
            raise StoreFull(f"plugin {plugin!r} has {MAX_KEYS} keys already")
        return plugin_values.add(connection, plugin, key, new, now)


def _key(text: str) -> str:
    if not (0 < len(text) <= MAX_KEY_LENGTH and text.isprintable()):
        raise ValueError(f"a key or series has 1 to {MAX_KEY_LENGTH} printable characters")
    return text


def _stored(value: Value) -> Stored:
    is_text = isinstance(value, str)
    data = value.encode() if isinstance(value, str) else bytes(value)
    if len(data) > MAX_VALUE_BYTES:
        raise ValueError(f"a value has at most {MAX_VALUE_BYTES} bytes")
    return data, is_text


def _plain(stored: Stored) -> Value:
    data, is_text = stored
    return data.decode() if is_text else bytes(data)


def _value(stored: Stored | None) -> Value | None:
    return None if stored is None else _plain(stored)
