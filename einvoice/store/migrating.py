"""Bring the database from one revision to another. Imported by commands only: Alembic is heavy."""

from __future__ import annotations

from pathlib import Path

import flask_migrate
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import Flask, current_app
from sqlalchemy.engine import Connection

from einvoice.store.db import db, reading

MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"


def upgrade(revision: str = "head", *, sql: bool = False) -> None:
    """Go up to the revision, or print the SQL that would."""
    _known()
    flask_migrate.upgrade(revision=revision, sql=sql)


def downgrade(revision: str = "-1") -> None:
    """Go back to the revision."""
    _known()
    flask_migrate.downgrade(revision=revision)


def current() -> tuple[str | None, str | None]:
    """The revision the database is at, and the newest there is."""
    with reading() as connection:
        return place(connection)


def place(connection: Connection) -> tuple[str | None, str | None]:
    """The same, for who has a connection."""
    here = MigrationContext.configure(connection).get_current_revision()
    return here, ScriptDirectory(str(MIGRATIONS)).get_current_head()


def _known() -> None:
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    if "migrate" not in app.extensions:
        flask_migrate.Migrate(app, db, directory=str(MIGRATIONS))
