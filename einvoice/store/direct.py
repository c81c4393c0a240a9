"""The driver's own connections to PostgreSQL, for the one statement that every send runs.

SQLAlchemy's engine costs more than the statement, and its pool a fifth of what is left. A statement
here commits by itself, so that a connection has nothing to be cleaned of before its next user.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, LiteralString

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy.engine import Engine

Cursor = psycopg.Cursor[tuple[Any, ...]]


class Direct:
    """Connections to the database of an engine: as many as threads have asked at once.

    Kept with their cursors, which remember how to write the parameters of the same statement.
    """

    def __init__(self, engine: Engine, options: str) -> None:
        self._words, names = engine.dialect.create_connect_args(engine.url)
        self._names = {**names, "options": options, "autocommit": True}
        self._free: deque[Cursor] = deque()

    def row(self, sql: LiteralString, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
        """The one row the statement returns. Raises what the driver raises."""
        cursor = self._take()
        try:
            [row] = cursor.execute(sql, parameters).fetchall()
            return row
        finally:
            self._give(cursor)

    def _take(self) -> Cursor:
        with suppress(IndexError):
            return self._free.pop()
        return psycopg.connect(*self._words, **self._names).cursor()

    def _give(self, cursor: Cursor) -> None:
        connection = cursor.connection
        if connection.closed:
            self.dispose()  # the server went away: the others are as dead
        elif connection.info.transaction_status == TransactionStatus.IDLE:
            self._free.append(cursor)
        else:
            connection.close()

    def dispose(self) -> None:
        """Close what is open; the next statement opens anew."""
        with suppress(IndexError):
            while True:
                self._free.pop().connection.close()
