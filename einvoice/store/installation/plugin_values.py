"""The values and records of plugins. Each statement is restricted to one plugin."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, delete, func, insert, select, text, tuple_, update
from sqlalchemy.engine import Connection

from einvoice.store.core.types import Moment
from einvoice.store.tables import PluginRecord, PluginValue

Stored = tuple[bytes, bool]  # the value, and whether it is text

_ADD = text(
    """
    INSERT INTO plugin_values (plugin, key, value, is_text, changed_at)
    VALUES (:plugin, :key, :value, :is_text, :now)
    ON CONFLICT (plugin, key) DO NOTHING
    """
).bindparams(bindparam("now", type_=Moment()))


def get(connection: Connection, plugin: str, key: str) -> Stored | None:
    """The value of the key."""
    query = select(PluginValue.value, PluginValue.is_text).where(*_of(plugin, key))
    found = connection.execute(query).one_or_none()
    return None if found is None else (found.value, found.is_text)


def find(
    connection: Connection, plugin: str, start: str, after: str, limit: int
) -> list[tuple[str, Stored]]:
    """The keys that begin with `start` and follow `after`, with their values.

    Not by LIKE, which is blind to case on SQLite.
    """
    begins = func.substr(PluginValue.key, 1, len(start)) == start
    query = (
        select(PluginValue.key, PluginValue.value, PluginValue.is_text)
        .where(PluginValue.plugin == plugin, begins, PluginValue.key > after)
        .order_by(PluginValue.key)
        .limit(limit)
    )
    return [(row.key, (row.value, row.is_text)) for row in connection.execute(query)]


def add(connection: Connection, plugin: str, key: str, new: Stored, now: datetime) -> bool:
    """Insert a key with its value; False if it exists, also if it was inserted meanwhile."""
    given = {"plugin": plugin, "key": key, "value": new[0], "is_text": new[1], "now": now}
    return connection.execute(_ADD, given).rowcount == 1


def replace(
    connection: Connection,
    plugin: str,
    key: str,
    new: Stored,
    now: datetime,
    expected: Stored | None = None,
) -> bool:
    """Change the value of a key that exists; of `expected`: only if it has this value."""
    changed = connection.execute(
        update(PluginValue)
        .where(*_of(plugin, key), *_has(expected))
        .values(value=new[0], is_text=new[1], changed_at=now)
    )
    return changed.rowcount == 1


def remove(connection: Connection, plugin: str, key: str, expected: Stored | None = None) -> bool:
    """Delete a key that exists; of `expected`: only if it has this value."""
    removed = connection.execute(delete(PluginValue).where(*_of(plugin, key), *_has(expected)))
    return removed.rowcount == 1


def has_room(connection: Connection, plugin: str, most: int) -> bool:
    """Whether the plugin has fewer than `most` keys."""
    keys = select(PluginValue.key).where(PluginValue.plugin == plugin).limit(most)
    counted = connection.execute(select(func.count()).select_from(keys.subquery()))
    return counted.scalar_one() < most


def _of(plugin: str, key: str) -> tuple[ColumnElement[bool], ...]:
    return PluginValue.plugin == plugin, PluginValue.key == key


def _has(expected: Stored | None) -> tuple[ColumnElement[bool], ...]:
    if expected is None:
        return ()
    return PluginValue.value == expected[0], PluginValue.is_text == expected[1]


# -- records ---------------------------------------------------------------------------------------


_APPEND = insert(PluginRecord)


def append(connection: Connection, plugin: str, series: str, new: Stored, now: datetime) -> None:
    """Add a record to a series."""
    row = {"plugin": plugin, "series": series, "value": new[0], "is_text": new[1], "at": now}
    connection.execute(_APPEND, row)


def read(
    connection: Connection,
    plugin: str,
    series: str,
    since: datetime,
    until: datetime,
    after: tuple[datetime, int] | None,
    limit: int,
) -> list[tuple[int, datetime, Stored]]:
    """The records from `since` to before `until` in order: (id, time, value).

    `after` is the time and the id of the last record of the page before.
    """
    columns = PluginRecord.id, PluginRecord.at, PluginRecord.value, PluginRecord.is_text
    query = (
        select(*columns)
        .where(PluginRecord.plugin == plugin, PluginRecord.series == series)
        .where(PluginRecord.at >= since, PluginRecord.at < until)
        .order_by(PluginRecord.at, PluginRecord.id)
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(PluginRecord.at, PluginRecord.id) > after)
    found = connection.execute(query)
    return [(row.id, row.at, (row.value, row.is_text)) for row in found]


def delete_records_before(connection: Connection, moment: datetime, limit: int) -> int:
    """Delete up to `limit` records older than the moment; skips those another one deletes."""
    old = (
        select(PluginRecord.id)
        .where(PluginRecord.at < moment)
        .order_by(PluginRecord.at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return connection.execute(delete(PluginRecord).where(PluginRecord.id.in_(old))).rowcount
