"""Connections of the PostgreSQL driver itself, for the one statement that every send runs.

SQLAlchemy's engine costs more than the statement, and its pool a fifth of what is left. These
connections are in autocommit mode, so there is nothing to reset before a connection is used again.
The statements of one pipeline commit together: PostgreSQL ends its implicit transaction at the
pipeline's end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, LiteralString

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy.engine import Engine

Cursor = psycopg.Cursor[tuple[Any, ...]]
Statement = tuple[LiteralString, Mapping[str, Any]]


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
            [row] = cursors[0].execute(sql, parameters).fetchall()
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
                cursors.append(cursors[0].connection.cursor())
            used = list(zip(cursors, statements, strict=False))
            with cursors[0].connection.pipeline():
                for cursor, (sql, parameters) in used:
                    cursor.execute(sql, parameters)
            return [cursor.fetchall()[0] for cursor, _ in used]
        finally:
            self._release(cursors)

    def _acquire(self) -> list[Cursor]:
        with suppress(IndexError):
            return self._idle.pop()
        return [psycopg.connect(*self._arguments, **self._keywords).cursor()]

    def _release(self, cursors: list[Cursor]) -> None:
        connection = cursors[0].connection
        if connection.closed:
            self.dispose()  # the server closed it, so the other connections are closed as well
        elif connection.info.transaction_status == TransactionStatus.IDLE:
            self._idle.append(cursors)
        else:
            connection.close()

    def dispose(self) -> None:
        """Close all idle connections; the next statement opens a new one."""
        with suppress(IndexError):
            while True:
                self._idle.pop()[0].connection.close()
