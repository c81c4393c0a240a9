"""Optimisations for PostgreSQL, separate from the plain version that they replace.

| Switch | Replaces | By |
|---|---|---|
| `accepting_statement` | accepting one document by the statements of a batch | one statement on a connection of the driver (acceptance, driver.py) |
| `kept_plans` | planning a statement at each execution | keeping its plan, in workers and the relay (`keep_plans`) |
| `binary_documents` | bytes as text, two characters a byte | PostgreSQL's binary form (`AS_BYTES`) |
| `packed_artefacts` | inserting artefacts one by one | one statement, with their content in JSON (artefacts) |
| `late_ping` | a ping before each use of a connection | a ping after a second of idleness (`ping_when_idle`) |

Any combination stores and answers the same: tests/store run with each and without all.

Plans must not change for the worse as tables grow. Most statements are planned along the index of
their key from the first row on; the others run in a transaction that says so (`begin_by_key`).
"""  # noqa: E501

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from weakref import WeakSet

import psycopg
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine

from einvoice import clock


@dataclass(frozen=True, slots=True)
class Optimisations:
    """Which optimisations the store uses; the table above says what each does."""

    accepting_statement: bool = True
    kept_plans: bool = True
    binary_documents: bool = True
    packed_artefacts: bool = True
    late_ping: bool = True


ALL = Optimisations()
NONE = Optimisations(
    accepting_statement=False,
    kept_plans=False,
    binary_documents=False,
    packed_artefacts=False,
    late_ping=False,
)


def behind_pooler(chosen: Optimisations) -> Optimisations:
    """The optimisations without those that need a connection of one's own."""
    return replace(chosen, accepting_statement=False, kept_plans=False)


# Short statements are not worth compiling. And a plan made while a table was small, or before its
# first statistics, is not kept when the table has grown; `keep_plans` says when it may be.
CONNECTION_OPTIONS = (
    "-c jit=off -c plan_cache_mode=force_custom_plan -c idle_in_transaction_session_timeout=5min"
)
# Of the accepting statement, whose plan is kept from the first day: planning it costs more than
# running it. All of it reads and writes by keys.
DRIVER_OPTIONS = (
    "-c jit=off -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off "
    "-c plan_cache_mode=force_generic_plan -c lock_timeout=10s -c statement_timeout=20s"
)
# Deadlines of the connection itself, in seconds (tcp_user_timeout: milliseconds): a server that
# does not answer, or a network that drops packets. A URL of the database may give others.
CONNECTION_DEADLINES = {
    "connect_timeout": 10,
    "tcp_user_timeout": 20_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}

_BEGIN_BY_KEY = (
    b"BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; "
    b"SET LOCAL enable_mergejoin = off"
)
BY_KEY = {"by_key": True}  # an execution option: see begin_by_key


def begin_by_key(engine: Engine) -> None:
    """Begin transactions with the option BY_KEY so that their statements are planned along indexes.

    For statements that look up rows by keys where the planner would read a whole table instead:
    it expects that to be cheaper until the table has grown to thousands of rows. The settings end
    with the transaction, and travel with its BEGIN: they cost no round trip.
    """

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get("by_key"):
            # If the connection is lost, the first statement fails, with the error for that.
            with suppress(psycopg.OperationalError):
                dbapi: Any = connection.connection.dbapi_connection
                dbapi.pgconn.exec_(_BEGIN_BY_KEY)


_STALE = "cached plan must not change result type"
_OTHER_THAN_READING = re.compile(
    r"\b(?:INSERT|UPDATE|DELETE|MERGE|CALL|LOCK|SHARE|pg_\w*advisory\w*|set_config|nextval|setval)\b",
    re.IGNORECASE,
)


def read_again_after_changes(engine: Engine) -> None:
    """Repeat a read, once, that PostgreSQL refuses because a migration has changed its columns.

    A kept statement fails so at its next use on each connection. It is repeated if its transaction
    has only read: then another snapshot is as good (READ COMMITTED). Others fail, and are repeated
    by who began them.
    """

    changing: WeakSet[Any] = WeakSet()  # the driver's connections whose transaction did more

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        changing.discard(connection.connection.dbapi_connection)

    @event.listens_for(engine, "do_executemany")
    def _many(cursor: Any, *_: Any) -> None:
        changing.add(cursor.connection)

    @event.listens_for(engine, "do_execute")
    def _execute(cursor: Any, statement: str, parameters: Any, context: Any) -> bool:
        reads = _only_reads(statement)
        try:
            cursor.execute(statement, parameters)
        except psycopg.errors.FeatureNotSupported as fault:
            if not reads or cursor.connection in changing or _STALE not in str(fault):
                raise
            _begin_again(context.root_connection, cursor.connection)
            cursor.execute(statement, parameters)
        if not reads:
            changing.add(cursor.connection)
        return True


@lru_cache(maxsize=1024)
def _only_reads(statement: str) -> bool:
    begins = statement.lstrip()[:6].upper()
    return begins.startswith(("SELECT", "WITH")) and not _OTHER_THAN_READING.search(statement)


def _begin_again(connection: Connection, driver: Any) -> None:
    """A new transaction like the one that failed, without the statements that the driver keeps."""
    driver.rollback()
    if driver.autocommit:  # there was no transaction, and nothing was forgotten
        driver.execute("DEALLOCATE ALL")
    if connection.get_execution_options().get("by_key"):
        driver.pgconn.exec_(_BEGIN_BY_KEY)


# With so many transmissions in the statistics, no plan reads all of them to find a job's.
_KEEP_IF_GROWN = """
SELECT set_config('plan_cache_mode', 'auto', false) FROM pg_class
WHERE oid = to_regclass('transmissions') AND reltuples > 10000
"""


def keep_plans(engine: Engine) -> None:
    """Plan each statement once per connection, in processes that run the same few all day.

    Planning was a fifth of what a job costs in PostgreSQL. Connections that were opened while the
    tables were small go on planning each time, until they are recycled: a plan of that time reads
    all transmissions to settle forty (measured: 25 ms among 1,500, growing).
    """

    @event.listens_for(engine, "connect")
    def _keep(connection: Any, _: Any) -> None:
        connection.execute(_KEEP_IF_GROWN)
        connection.commit()


_PING_AFTER_SECONDS = 1.0


def ping_when_idle(engine: Engine) -> None:
    """Ping a connection before use only if it was idle for a second.

    Under load a ping is one more round trip for every statement; SQLAlchemy's pool_pre_ping always
    pings.
    """

    @event.listens_for(engine, "checkin")
    def _note(_: Any, record: Any) -> None:
        record.info["used"] = clock.monotonic()

    @event.listens_for(engine, "checkout")
    def _ping(connection: Any, record: Any, _: Any) -> None:
        idle = clock.monotonic() - record.info.get("used", clock.monotonic())
        if idle > _PING_AFTER_SECONDS:
            try:
                engine.dialect.do_ping(connection)
            except engine.dialect.loaded_dbapi.Error as fault:
                raise sa.exc.DisconnectionError from fault


class PoolerFound(psycopg.OperationalError):
    """The connection passes through a pooler, which the settings do not say."""


def refuse_pooler(engine: Engine) -> None:
    """Refuse a connection that a pooler shares with others.

    Options, prepared statements and kept plans would meet those of other clients. The process
    number that a pooler gives at the beginning is not the number of the server's process.
    """

    @event.listens_for(engine, "connect")
    def _refuse(connection: Any, _: Any) -> None:
        refuse_pooled(connection)


def refuse_pooled(connection: Any) -> None:
    """Raise PoolerFound if a pooler is behind this connection of the driver."""
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    connection.rollback()
    if row is not None and row[0] != connection.info.backend_pid:
        raise PoolerFound(
            "the database is behind a pooler (PgBouncer): give the URL of the server itself, or "
            "set EINVOICE_DATABASE_POOLED=true, with which migrations cannot run"
        )


# An execution option for statements that return documents: the binary form of bytes is half as long
# as the text form (measured: a tenth of what a job costs in PostgreSQL).
AS_BYTES = {"as_bytes": True}


def return_bytes_in_binary(engine: Engine) -> None:
    """Let the option AS_BYTES take effect."""

    @event.listens_for(engine, "before_cursor_execute")
    def _choose(_: Any, cursor: Any, __: Any, ___: Any, context: Any, ____: Any) -> None:
        if context is not None and context.execution_options.get("as_bytes"):
            cursor.format = psycopg.pq.Format.BINARY
