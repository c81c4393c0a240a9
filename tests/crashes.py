"""A process that dies right before a statement, and the statements at which it can."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from sqlalchemy import event

from einvoice.store.core import db


class Crash(BaseException):
    """The process is gone: nothing after this line runs."""


@contextlib.contextmanager
def statements_run() -> Iterator[list[str]]:
    """The statements of the block, at each of which a process may die."""
    found = list[str]()

    def _note(_: object, __: object, statement: str, *___: object) -> None:
        found.append(statement)

    engine = db.db.engine
    event.listen(engine, "before_cursor_execute", _note)
    try:
        yield found
    finally:
        event.remove(engine, "before_cursor_execute", _note)


@contextlib.contextmanager
def crash_before(statement: int | None) -> Iterator[None]:
    """The process dies right before the n-th statement it would run (None: it lives)."""
    left = [statement]

    def _count(*_: object) -> None:
        if left[0] is not None:
            left[0] -= 1
            if left[0] < 0:
                raise Crash

    engine = db.db.engine
    event.listen(engine, "before_cursor_execute", _count)
    try:
        yield
    except Crash:
        pass
    finally:
        event.remove(engine, "before_cursor_execute", _count)
