"""Databases of a test's own: copies of a migrated template, which take milliseconds to make."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from flask import Flask

from einvoice.store import db

KINDS = ("sqlite", "postgresql")


@contextmanager
def fresh(request: pytest.FixtureRequest, kind: str, directory: Path) -> Iterator[str]:
    """The URL of a migrated, empty database, for as long as the block lasts."""
    if kind == "sqlite":
        copy = directory / "einvoice.sqlite3"
        shutil.copy(request.getfixturevalue("sqlite_template"), copy)
        yield f"sqlite:///{copy}"
        return
    server: str = request.getfixturevalue("postgres_server")
    template: str = request.getfixturevalue("postgres_template")
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        yield server.replace("/postgres?", f"/{name}?")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def let_go(app: Flask) -> None:
    """Close an application's connections: a database in use can be neither copied nor dropped."""
    with app.app_context():
        db.db.engine.dispose()
        for engine in app.extensions.get("einvoice_autocommit", {}).values():
            engine.dispose()
