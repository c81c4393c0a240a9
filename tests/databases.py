"""Databases of a test's own: copies of a migrated template.

One of PostgreSQL takes a quarter of a second to make, and a tenth of that to be emptied: one that a
test left as it was made, but for its rows, is the next test's.
"""

from __future__ import annotations

import shutil
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from flask import Flask

from einvoice.store.core import db
from einvoice.store.core.resources import resources_of
from einvoice.web.runtime import runtime_of

KINDS = ("sqlite", "postgresql")
# Settings of an application without workers: due rows stay in the outbox during the test. A test
# that fails shows what was logged as an error, as the trace of an answer 500.
ALONE = {"send_wait": 0.0, "v1_wait": 0.0, "log_level": "ERROR", "max_queue_age": 1e9}

# Open connections belong to the previous test.
_HANG_UP = """
SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
# The rows of the catalogue themselves, which a copy has from its template: to word them as
# information_schema does takes the server a third of what a test costs it. 16384 is the first id
# after those of PostgreSQL's own tables.
_SHAPE = """
SELECT md5(string_agg(word, ' ' ORDER BY word)) FROM (
  SELECT concat_ws(' ', attrelid, attnum, attname, atttypid, atttypmod, attnotnull) AS word
  FROM pg_attribute WHERE attrelid >= 16384 AND NOT attisdropped
  UNION ALL SELECT concat_ws(' ', adrelid, adnum, adbin) FROM pg_attrdef WHERE oid >= 16384
  UNION ALL SELECT concat_ws(' ', indexrelid, indrelid, indkey, indclass, indoption, indisunique,
    indisvalid, indpred, indexprs) FROM pg_index WHERE indexrelid >= 16384
  UNION ALL SELECT concat_ws(' ', oid, conname, conbin) FROM pg_constraint WHERE oid >= 16384
  UNION ALL SELECT concat_ws(' ', oid, tgrelid, tgname) FROM pg_trigger WHERE oid >= 16384
  UNION ALL SELECT concat_ws(' ', oid, proname, prosrc) FROM pg_proc WHERE oid >= 16384
  UNION ALL SELECT setconfig::text FROM pg_db_role_setting
  UNION ALL SELECT version_num FROM alembic_version
) AS words
"""
# A table without a page has never had a row, not even one that was rolled back.
_WRITTEN = """
SELECT oid::regclass::text FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
AND relname <> 'alembic_version' AND pg_relation_size(oid) > 0
"""

_free: dict[str, list[str]] = {}


@contextmanager
def fresh(request: pytest.FixtureRequest, kind: str, directory: Path) -> Iterator[str]:
    """The URL of a migrated, empty database, for as long as the block lasts."""
    if kind == "sqlite":
        copy = directory / "einvoice.sqlite3"
        shutil.copy(request.getfixturevalue("sqlite_template"), copy)
        yield f"sqlite:///{copy}"
        return
    template: str = request.getfixturevalue("postgres_template")
    server: str = request.getfixturevalue("postgres_server")
    free = _free.setdefault(server, [])
    name = free.pop() if free else _copied(server, template)
    yield _at(server, name)
    if _emptied(_at(server, name), _at(server, template)):
        free.append(name)
    else:
        _say(server, f"DROP DATABASE {name} WITH (FORCE)")


def shrink(path: Path) -> None:
    """Give a file of SQLite small pages: an empty one has 250, and is copied by each test."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in (
            "PRAGMA journal_mode=DELETE", "PRAGMA page_size=1024", "VACUUM",
            "PRAGMA journal_mode=WAL",
        ):  # fmt: skip
            connection.execute(statement)


def _at(server: str, name: str) -> str:
    return server.replace("/postgres?", f"/{name}?")


def _copied(server: str, template: str) -> str:
    name = f"test_{uuid.uuid4().hex}"
    _say(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    return name


def _say(server: str, words: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(words.encode())


def _emptied(url: str, template: str) -> bool:
    """Without rows again, and as it was made; False when it is not."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_HANG_UP)
        try:
            shape = connection.execute(_SHAPE).fetchone()
        except psycopg.errors.UndefinedTable:
            return False
        written = [name for (name,) in connection.execute(_WRITTEN)]
        if written:
            tables = ", ".join(written)
            connection.execute(f"TRUNCATE {tables} RESTART IDENTITY CASCADE".encode())
    return shape == _shape(template)


_shapes: dict[str, object] = {}


def _shape(template: str) -> object:
    if template not in _shapes:
        with psycopg.connect(template, autocommit=True) as connection:
            _shapes[template] = connection.execute(_SHAPE).fetchone()
    return _shapes[template]


def let_go(app: Flask) -> None:
    """Close an application's processes and connections.

    A database in use can be neither copied nor dropped.
    """
    runtime_of(app).computing.close()
    with app.app_context():
        db.db.engine.dispose()
    runtime_of(app).readiness.dispose()
    resources_of(app).close()
