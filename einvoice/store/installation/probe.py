"""Whether the database answers and takes writes, asked on a connection beside the pool.

The connections of the pool are all in use while a server hangs. This one is used by one thread at a
time, and another thread can end its wait (`hang_up`): libpq has no deadline for an answer.
"""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import psycopg
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from einvoice.store.core import db
from einvoice.store.installation import schema, service_states
from einvoice.store.installation.schema import SchemaState
from einvoice.store.outbox import IS_HELD

CONNECT_SECONDS = 2


class Writes(StrEnum):
    """Whether the database takes writes."""

    POSSIBLE = "up"
    READ_ONLY = "read-only"
    FULL = "full"


class Probe:
    """The connection of one application. `read` and `write` are called by one thread at a time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        if engine.dialect.name == "postgresql":
            # Before the first statements of SQLAlchemy on a new connection.
            event.listen(engine, "connect", self._note_socket, insert=True)
            event.listen(engine, "checkout", self._note_socket)

    def read(self) -> tuple[SchemaState, bool]:
        """The state of the schema, and whether deliveries are held. Raises SQLAlchemyError."""
        try:
            return self._read()
        except OperationalError as fault:
            if not fault.connection_invalidated:
                raise
            return self._read()  # the server closed the connection while it was idle

    def _read(self) -> tuple[SchemaState, bool]:
        with self._connected() as connection:
            found = schema.state(connection)
            usable = found in {SchemaState.CURRENT, SchemaState.NEWER}
            return found, usable and bool(connection.execute(sa.select(IS_HELD)).scalar_one())

    def write(self, now: datetime) -> Writes:
        """Whether a row can be written, and disk space be taken for it. Raises SQLAlchemyError."""
        if self._engine.dialect.name == "sqlite":
            return _space_beside(self._engine.url.database)
        try:
            with self._connected() as connection, connection.begin():
                for statement in _TAKE_SPACE:
                    connection.execute(statement)
                service_states.write(connection, service_states.READINESS, now)
        except DBAPIError as fault:
            reason = refused_write(fault)
            if reason is None:
                raise
            return reason
        return Writes.POSSIBLE

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection.execution_options(read_only=True)
        finally:
            self._forget_socket()  # a connection that was refused when new is not checked in

    def _note_socket(self, connection: psycopg.Connection, *_: object) -> None:
        self._forget_socket()
        with self._lock:
            self._socket = socket.socket(fileno=os.dup(connection.fileno()))

    def _forget_socket(self) -> None:
        with self._lock:
            if self._socket is not None:
                self._socket.close()
                self._socket = None

    def hang_up(self) -> None:
        """Break the connection if it is in use, so that the thread that waits for it goes on."""
        with self._lock, suppress(OSError):
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)

    def dispose(self) -> None:
        """Close the connection; the next use opens another."""
        self._engine.dispose()


def open_probe(url: str, *, pooled: bool) -> Probe:
    """The probe of the database at this URL. Nothing is connected yet."""
    return Probe(db.engine_beside_pool(url, pooled=pooled, connect_seconds=CONNECT_SECONDS))


# Half a mebibyte in a temporary file on the disk of the tables, which is deleted at once: a table
# with free space in its pages takes a row on a full disk, and the next one does not.
_TAKE_SPACE = tuple(
    sa.text(statement)
    for statement in (
        "SET LOCAL lock_timeout = '1s'",
        "SET LOCAL temp_tablespaces = ''",
        "SET LOCAL work_mem = '64kB'",
        "SELECT count(*) FROM generate_series(1, 30000)",
    )
)
_MIN_FREE_BYTES = 1024**2


def _space_beside(database: str | None) -> Writes:
    """Whether the disk of a database of SQLite has room for a page."""
    if not database or database == ":memory:":
        return Writes.POSSIBLE
    free = shutil.disk_usage(Path(database).resolve().parent).free
    return Writes.POSSIBLE if free >= _MIN_FREE_BYTES else Writes.FULL


def refused_write(fault: BaseException) -> Writes | None:
    """Why the database refused a write for good; None for other faults."""
    cause = getattr(fault, "orig", None) or fault
    if isinstance(cause, psycopg.errors.DiskFull) or "disk is full" in str(cause):
        return Writes.FULL
    if isinstance(cause, psycopg.errors.ReadOnlySqlTransaction) or "readonly" in str(cause):
        return Writes.READ_ONLY
    return None
