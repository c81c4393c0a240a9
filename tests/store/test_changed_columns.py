"""A migration beside running processes that changes the columns of statements which they keep."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import psycopg
import pytest
import sqlalchemy as sa
from flask import Flask
from sqlalchemy.engine import Connection
from sqlalchemy.exc import NotSupportedError

from einvoice.store.core import db
from einvoice.store.core.db import reading, reading_by_key, writing, writing_by_key

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)

READ = "SELECT kind FROM invoices LIMIT 1"
WITH_LOCK = f"{READ} FOR UPDATE"
OTHER = "SELECT count(*) FROM tenants"
CHANGE = "UPDATE tenants SET name = name"
Block = Callable[[], AbstractContextManager[Connection]]

# The block, what it did before, the kept statement, whether that is read again
CASES: list[tuple[Block, list[str], str, bool]] = [
    (reading, [], READ, True),
    (reading, [OTHER], READ, True),
    (reading_by_key, [], READ, True),
    (reading_by_key, [OTHER], READ, True),
    (writing, [], READ, True),
    (writing, [OTHER], READ, True),
    (writing, [CHANGE], READ, False),
    (writing_by_key, [CHANGE], READ, False),
    (writing, [], WITH_LOCK, False),
    (writing, [WITH_LOCK.replace("invoices", "transmissions").replace("kind", "id")], READ, False),
]


def test_a_kept_read_is_repeated_once_unless_something_was_written_before(
    app: Flask, database_url: str
) -> None:
    """`cached plan must not change result type` was a 500 for each statement and connection."""
    wrong = []
    for number, (block, before, kept, again) in enumerate(CASES):
        for _ in range(8):  # kept from the sixth time on
            with block() as connection:
                connection.execute(sa.text(kept))
        with psycopg.connect(database_url, autocommit=True) as migration:
            migration.execute(
                f"ALTER TABLE invoices ALTER kind TYPE varchar({100 + number})".encode()
            )
        try:
            with block() as connection:
                for statement in (*before, kept, kept):
                    connection.execute(sa.text(statement))
        except NotSupportedError:
            repeated = False
        else:
            repeated = True
        if repeated is not again:
            wrong.append((number, block.__name__, before, kept, repeated))
        db.db.engine.dispose()

    assert wrong == []
