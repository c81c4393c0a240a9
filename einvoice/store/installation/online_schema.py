"""Change the schema of PostgreSQL while the service runs, and beside a backup.

An ALTER TABLE needs the table for itself: while it waits for a long reader, such as pg_dump, every
later statement waits behind it. So it waits `LOCK_TIMEOUT` at most, gives way, and the revision is
repeated (`schema_revisions.upgrade`). Indexes of tables that exist are built and dropped
CONCURRENTLY, which blocks neither reads nor writes, and is only possible outside a transaction. A
revision may therefore be repeated after a part of it has been committed: what is there is skipped.

SQLite has one writer and copies tables: nothing of this applies there.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from alembic.operations import Operations, ops
from alembic.operations.toimpl import (
    add_column,
    create_index,
    create_table,
    drop_column,
    drop_constraint,
    drop_index,
)
from sqlalchemy.engine import Connection

from einvoice.observability import logging
from einvoice.store.core import postgresql

log = logging.get(__name__)

LOCK_TIMEOUT = "2s"
MIGRATION_LOCK = 0x65696E76  # the key of the advisory lock that one migrating process holds
PAUSE_SECONDS = 1.0
# The service limits statements and idle transactions. Building an index takes longer than that, and
# the transaction of a migration is idle while it waits to repeat a revision.
_SESSION = (
    f"SET lock_timeout = '{LOCK_TIMEOUT}'; SET statement_timeout = 0; "
    "SET idle_in_transaction_session_timeout = 0"
)
_INVALID = sa.text(
    "SELECT 1 FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
    "WHERE relname = :name AND NOT indisvalid AND pg_table_is_visible(pg_class.oid)"
)


@contextmanager
def session(connection: Connection) -> Iterator[None]:
    """Give the connection the timeouts of a migration; it does not return to the pool."""
    connection.exec_driver_sql(_SESSION)
    connection.commit()
    try:
        yield
    finally:
        connection.invalidate()


@contextmanager
def alone(engine: sa.Engine) -> Iterator[None]:
    """Wait until no other process migrates this database, and keep others waiting.

    The lock ends with the session, so a killed process leaves none behind. Raises PoolerFound: a
    pooler gives the session to others.
    """
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.detach()
        postgresql.refuse_pooled(connection.connection.dbapi_connection)
        asked = sa.text("SELECT pg_try_advisory_lock(:key)").bindparams(key=MIGRATION_LOCK)
        while not connection.execute(asked).scalar():
            log.info("another process migrates the database: waiting")
            time.sleep(PAUSE_SECONDS)
        yield


# -- operations ------------------------------------------------------------------------------------
#
# A batch (`op.batch_alter_table`) collects operations for SQLite. Those that it cannot take as they
# are made here go past it, to `context.impl`.


def install() -> None:
    """Make Alembic's operations repeatable, and those on indexes concurrent."""
    for kind, changed in _CHANGED.items():
        Operations.implementation_for(kind, replace=True)(changed)


def _create_table(operations: Operations, operation: ops.CreateTableOp) -> sa.Table:
    if _is_postgresql(operations):
        operation.if_not_exists = True
        _new_tables(operations).add(operation.table_name)
    return create_table(operations, operation)


def _add_column(operations: Operations, operation: ops.AddColumnOp) -> None:
    operation.if_not_exists = _is_postgresql(operations) or None
    add_column(operations, operation)


def _drop_column(operations: Operations, operation: ops.DropColumnOp) -> None:
    operation.if_exists = _is_postgresql(operations) or None
    drop_column(operations, operation)


def _drop_constraint(operations: Operations, operation: ops.DropConstraintOp) -> None:
    if not _is_postgresql(operations):
        drop_constraint(operations, operation)
        return
    constraint = operations.schema_obj.generic_constraint(
        operation.constraint_name, operation.table_name, operation.constraint_type
    )
    operations.migration_context.impl.drop_constraint(constraint, if_exists=True)


def _create_index(operations: Operations, operation: ops.CreateIndexOp) -> None:
    if not _is_postgresql(operations):
        create_index(operations, operation)
        return
    context = operations.migration_context
    if operation.table_name in _new_tables(operations):
        context.impl.create_index(operation.to_index(context), if_not_exists=True)
        return
    operation.kw["postgresql_concurrently"] = True
    with _outside_transaction(operations):
        _drop_invalid(operations, str(operation.index_name))
        context.impl.create_index(operation.to_index(context), if_not_exists=True)


def _drop_index(operations: Operations, operation: ops.DropIndexOp) -> None:
    if not _is_postgresql(operations):
        drop_index(operations, operation)
        return
    context = operations.migration_context
    operation.kw["postgresql_concurrently"] = True
    with _outside_transaction(operations):
        context.impl.drop_index(operation.to_index(context), if_exists=True)


_CHANGED: dict[type[ops.MigrateOperation], Any] = {
    ops.CreateTableOp: _create_table,
    ops.AddColumnOp: _add_column,
    ops.DropColumnOp: _drop_column,
    ops.DropConstraintOp: _drop_constraint,
    ops.CreateIndexOp: _create_index,
    ops.DropIndexOp: _drop_index,
}


def _is_postgresql(operations: Operations) -> bool:
    return operations.migration_context.dialect.name == "postgresql"


def _new_tables(operations: Operations) -> set[str]:
    """The tables that this run of migrations has created: they have no rows of users."""
    found: set[str] = operations.migration_context.opts.setdefault("einvoice_new_tables", set())
    return found


@contextmanager
def _outside_transaction(operations: Operations) -> Iterator[None]:
    """Commit, and go on without a transaction; a concurrent build waits for old ones to end."""
    context = operations.migration_context
    with context.autocommit_block():
        context.impl.execute("SET lock_timeout = 0")
        yield
        context.impl.execute(f"SET lock_timeout = '{LOCK_TIMEOUT}'")


def _drop_invalid(operations: Operations, name: str) -> None:
    """Drop what is left of a concurrent build that was interrupted."""
    context = operations.migration_context
    if context.as_sql or context.bind is None:
        return
    if context.bind.execute(_INVALID, {"name": name}).scalar():
        context.impl.execute(f'DROP INDEX CONCURRENTLY "{name}"')


# -- what statements lock --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Locking:
    """A statement of a revision, and what it takes from a running service."""

    statement: str
    table: str | None
    effect: str


_TABLE = r'(?:ONLY\s+)?(?:IF (?:NOT )?EXISTS\s+)?"?(\w+)"?'
_LOCKS = (
    (rf"CREATE TABLE {_TABLE}", "a new table: nothing waits"),
    (rf"CREATE (?:UNIQUE )?INDEX CONCURRENTLY .*? ON {_TABLE}", "reads and writes go on"),
    (r"DROP INDEX CONCURRENTLY ()", "reads and writes go on"),
    (rf"CREATE (?:UNIQUE )?INDEX .*? ON {_TABLE}", "of a new table: nothing waits"),
    (
        rf"ALTER TABLE {_TABLE}",
        f"reads and writes wait for it; it gives way after {LOCK_TIMEOUT} and is repeated",
    ),
    (rf"DROP TABLE {_TABLE}", "reads and writes of the table end"),
    (rf"(?:UPDATE|DELETE FROM|INSERT INTO) {_TABLE}", "writes of the changed rows wait"),
)


def locking(script: str) -> list[Locking]:
    """The locks of each statement of a script of `upgrade --sql`, but of transactions, settings."""
    return [found for one in _statements(script) if (found := _locking_of(one)) is not None]


def _statements(script: str) -> Iterator[str]:
    lines = [line for line in script.splitlines() if not line.lstrip().startswith("--")]
    for statement in "\n".join(lines).split(";\n"):
        text = " ".join(statement.split()).rstrip(";")
        if text:
            yield text


def _locking_of(statement: str) -> Locking | None:
    if re.match(r"(?i)BEGIN|COMMIT|SET |.*alembic_version", statement):
        return None
    for pattern, effect in _LOCKS:
        found = re.match(pattern, statement, re.IGNORECASE)
        if found:
            return Locking(statement, found[1] or None, effect)
    return Locking(statement, None, "read what it does before running it")
