"""Notes that processes and commands of the installation leave for others: one row for each name.

| name | noted by | read by |
|---|---|---|
| `schema` | `einvoice db upgrade`: its release and the one before | older releases (schema) |
| `readiness` | the probe of `/readyz`, to see whether the database takes writes | nobody |
| `doctor:HOST` | `einvoice doctor --record` | `/metrics` |
| `exports:ID` | workers that write exports, once a minute (`export_places`) | web, `doctor` |
| `backup` | `einvoice db note-backup` | `/metrics`, `doctor` |
| `restored` | `einvoice db note-backup --restored` | `/metrics`, `doctor` |
| `discarded:SHA256` | `tenants move discard`: the manifest of the newest file | `move receive` |
| `network:NAME` | the relay, once a minute: when an access point delivered last | `/status` |
| `incident:ID` | operators | `/status` |
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete
from sqlalchemy.engine import Connection

from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import ServiceState

READINESS = "readiness"


@dataclass(frozen=True, slots=True)
class StateNote:
    """A note: when it was made, and its content."""

    name: str
    noted_at: datetime
    value: Any | None


_NOTE = RecordColumns(StateNote, ServiceState)
_WRITE = sa.text(
    "INSERT INTO service_states (name, noted_at, value) VALUES (:name, :noted_at, :value) "
    "ON CONFLICT (name) DO UPDATE SET noted_at = excluded.noted_at, value = excluded.value"
).bindparams(
    sa.bindparam("noted_at", type_=ServiceState.noted_at.type),
    sa.bindparam("value", type_=ServiceState.value.type),
)


def write(connection: Connection, name: str, now: datetime, value: Any | None = None) -> None:
    """Leave a note in place of the last one of this name."""
    connection.execute(_WRITE, {"name": name, "noted_at": now, "value": value})


def find(prefix: str) -> list[StateNote]:
    """The notes whose names begin with the prefix, in the order of their names."""
    named = ServiceState.name.startswith(prefix, autoescape=True)
    with db.reading() as connection:
        found = connection.execute(_NOTE.select().where(named).order_by(ServiceState.name))
        return _NOTE.all(found)


def locked(connection: Connection, name: str) -> StateNote | None:
    """The note of this name, locked until the commit."""
    this = _NOTE.select().where(ServiceState.name == name).with_for_update()
    return _NOTE.one_or_none(connection.execute(this))


def remove(connection: Connection, names: Collection[str]) -> None:
    """Delete notes by their names."""
    connection.execute(delete(ServiceState).where(ServiceState.name.in_(sorted(names))))


def forget(connection: Connection, prefix: str, before: datetime) -> None:
    """Delete the notes whose names begin with the prefix, and that were made before a moment."""
    named = ServiceState.name.startswith(prefix, autoescape=True)
    connection.execute(delete(ServiceState).where(named, ServiceState.noted_at < before))
