"""The duties of plugins: how often each runs, and how its last run ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, text, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import PluginDuty


@dataclass(frozen=True, slots=True)
class DutyState:
    """A duty, how often it failed since it last succeeded, and the fault of the last run."""

    id: str
    plugin: str
    name: str
    every_seconds: float
    failures: int
    ended_at: datetime | None
    fault: str | None


_ADD = text(
    """
    INSERT INTO plugin_duties (id, plugin, name, every_seconds, failures)
    VALUES (:id, :plugin, :name, :every_seconds, 0)
    ON CONFLICT (id) DO NOTHING
    """
)


_STATE = RecordColumns(DutyState, PluginDuty)


def add(connection: Connection, duty_id: str, plugin: str, name: str, every: float) -> None:
    """Insert a duty that is not there yet; `every` in seconds."""
    given = {"id": duty_id, "plugin": plugin, "name": name, "every_seconds": every}
    connection.execute(_ADD, given)


def lock(connection: Connection, ids: Iterable[str]) -> dict[str, DutyState]:
    """The duties with these ids, locked in the order of their ids until the commit."""
    query = (
        _STATE.select()
        .where(rows.in_values(PluginDuty.id, ids))
        .order_by(PluginDuty.id)
        .with_for_update()
    )
    return {state.id: state for state in _STATE.all(connection.execute(query))}


def set_interval(connection: Connection, duty_id: str, every: float) -> None:
    """Store another interval, in seconds."""
    connection.execute(
        update(PluginDuty).where(PluginDuty.id == duty_id).values(every_seconds=every)
    )


def record(
    connection: Connection, duty_id: str, failures: int, ended_at: datetime, fault: str | None
) -> None:
    """Store how a run ended."""
    connection.execute(
        update(PluginDuty)
        .where(PluginDuty.id == duty_id)
        .values(failures=failures, ended_at=ended_at, fault=fault)
    )


def remove(connection: Connection, duty_id: str) -> None:
    """Delete a duty whose plugin is not installed."""
    connection.execute(delete(PluginDuty).where(PluginDuty.id == duty_id))


def failing() -> list[DutyState]:
    """The duties whose last run failed."""
    query = _STATE.select().where(PluginDuty.failures > 0).order_by(PluginDuty.id)
    with db.reading() as connection:
        return _STATE.all(connection.execute(query))
