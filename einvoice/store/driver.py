"""Connections of the PostgreSQL driver itself, for the one statement that every send runs.

SQLAlchemy's engine costs more than the statement, and its pool a fifth of what is left. These
connections are in autocommit mode, so there is nothing to reset before a connection is used again.
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


class DriverConnections:
    """A pool of connections to an engine's database, one for each concurrent caller.

    The cursors are kept too: a cursor caches how the parameters of its last statement are adapted.
    """

    def __init__(self, engine: Engine, options: str) -> None:
        self._arguments, keywords = engine.dialect.create_connect_args(engine.url)
        self._keywords = {**keywords, "options": options, "autocommit": True}
        self._idle: deque[Cursor] = deque()

    def row(self, sql: LiteralString, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
        """Run the statement and return its one row. Raises the driver's exceptions."""
        cursor = self._acquire()
        try:
            [row] = cursor.execute(sql, parameters).fetchall()
            return row
        finally:
            self._release(cursor)

    def _acquire(self) -> Cursor:
        with suppress(IndexError):
            return self._idle.pop()
        return psycopg.connect(*self._arguments, **self._keywords).cursor()

    def _release(self, cursor: Cursor) -> None:
        connection = cursor.connection
        if connection.closed:
            self.dispose()  # the server closed it, so the other connections are closed as well
        elif connection.info.transaction_status == TransactionStatus.IDLE:
            self._idle.append(cursor)
        else:
            connection.close()

    def dispose(self) -> None:
        """Close all idle connections; the next statement opens a new one."""
        with suppress(IndexError):
            while True:
                self._idle.pop().connection.close()
