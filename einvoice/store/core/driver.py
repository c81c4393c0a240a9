"""Connections of the PostgreSQL driver itself, for the one statement that every send runs.

SQLAlchemy's engine costs more than the statement, and its pool a fifth of what is left. These
connections are in autocommit mode, so there is nothing to reset before a connection is used again.
The statements of one pipeline commit together: PostgreSQL ends its implicit transaction at the
pipeline's end.

Statements name their parameters, and are numbered once per process: psycopg would parse a statement
of more than 50 parameters again each time it runs.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, LiteralString

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy.engine import Engine

Cursor = psycopg.RawCursor[tuple[Any, ...]]
Statement = tuple[LiteralString, Mapping[str, Any]]

_PARAMETER = re.compile(r"%\((\w+)\)s")


class DriverConnections:
    """A pool of connections to an engine's database, one for each concurrent caller.

    A connection is kept with its cursors, one for each statement that it has run at a time: a
    cursor caches how the parameters of its last statement are adapted.
    """

    def __init__(self, engine: Engine, options: str, deadlines: Mapping[str, int]) -> None:
        self._arguments, keywords = engine.dialect.create_connect_args(engine.url)
        self._keywords = {**deadlines, **keywords, "options": options, "autocommit": True}
        self._idle: deque[list[Cursor]] = deque()

    def row(self, sql: LiteralString, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
        """Run the statement and return its one row. Raises the driver's exceptions."""
        cursors = self._acquire()
        try:
            [row] = cursors[0].execute(*_numbered(sql, parameters)).fetchall()
            return row
        finally:
            self._release(cursors)

    def rows(self, statements: Sequence[Statement]) -> list[tuple[Any, ...]]:
        """Run the statements in one round trip and one transaction; the one row of each, in order.

        Raises the driver's exceptions; then nothing is written, or the connection was lost and
        it is not known whether all or nothing is.
        """
        cursors = self._acquire()
        try:
            while len(cursors) < len(statements):
                cursors.append(psycopg.RawCursor(cursors[0].connection))
            used = list(zip(cursors, statements, strict=False))
            with cursors[0].connection.pipeline():
                for cursor, (sql, parameters) in used:
                    cursor.execute(*_numbered(sql, parameters))
            found = [cursor.fetchall()[0] for cursor, _ in used]
        except BaseException:
            self._end(cursors)
            raise
        self._release(cursors)
        return found

    def _acquire(self) -> list[Cursor]:
        with suppress(IndexError):
            return self._idle.pop()
        return [psycopg.RawCursor(psycopg.connect(*self._arguments, **self._keywords))]

    def _release(self, cursors: list[Cursor]) -> None:
        connection = cursors[0].connection
        if connection.closed:
            self.dispose()  # the server closed it, so the other connections are closed as well
        elif connection.info.transaction_status == TransactionStatus.IDLE:
            self._idle.append(cursors)
        else:
            connection.close()

    def _end(self, cursors: list[Cursor]) -> None:
        """Close a connection after a fault in a pipeline.

        What follows the fault is not run, also not the preparation of a statement, of which psycopg
        believes that it was: each statement after it would fail (InvalidSqlStatementName).
        """
        if cursors[0].connection.closed:
            self.dispose()
        cursors[0].connection.close()

    def dispose(self) -> None:
        """Close all idle connections; the next statement opens a new one."""
        with suppress(IndexError):
            while True:
                self._idle.pop()[0].connection.close()


def _numbered(sql: LiteralString, parameters: Mapping[str, Any]) -> tuple[bytes, list[Any]]:
    """The statement with `$1` for each `%(name)s`, and the values in that order."""
    numbered, names = _parsed(sql)
    return numbered, [parameters[name] for name in names]


@lru_cache
def _parsed(sql: LiteralString) -> tuple[bytes, tuple[str, ...]]:
    names = tuple(dict.fromkeys(_PARAMETER.findall(sql)))
    numbers = {name: f"${number}" for number, name in enumerate(names, 1)}
    return _PARAMETER.sub(lambda found: numbers[found[1]], sql).encode(), names
