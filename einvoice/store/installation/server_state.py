"""The clock of the database server, and its archive of WAL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.store.core import db

_READ = sa.text(
    "SELECT clock_timestamp() AS clock, current_setting('archive_mode') <> 'off' AS archives, "
    "last_archived_time AS archived, "
    "last_failed_time > coalesce(last_archived_time, '-infinity') AS failing FROM pg_stat_archiver"
)


@dataclass(frozen=True, slots=True)
class ServerState:
    """The state of a PostgreSQL server; None: not known, or not there.

    clock_difference   seconds, the clock of the server minus this machine's: the least that there
                       can be, since a busy server answers late
    archiving_failing  whether the last attempt to archive WAL failed
    last_archived      Unix seconds
    """

    clock_difference: float | None = None
    archiving_failing: bool | None = None
    last_archived: float | None = None


def read() -> ServerState:
    """The state of the server of the database, nothing for SQLite. Raises SQLAlchemyError."""
    if not db.is_postgresql():
        return ServerState()
    with db.reading() as connection:
        return read_over(connection)


def read_over(connection: Connection) -> ServerState:
    """The state of the server of a connection to PostgreSQL. Raises SQLAlchemyError."""
    asked = clock.real_now()
    found = connection.execute(_READ).one()
    difference = _difference(asked, found.clock, clock.real_now())
    if not found.archives:
        return ServerState(difference)
    archived = found.archived.timestamp() if found.archived else None
    return ServerState(difference, bool(found.failing), archived)


def _difference(asked: datetime, there: datetime, answered: datetime) -> float:
    return (there - min(max(asked, there), answered)).total_seconds()
