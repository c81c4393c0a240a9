"""Bring the database from one revision to another. Imported by commands only: Alembic is heavy."""

from __future__ import annotations

from pathlib import Path

import flask_migrate
from flask import Flask, current_app

from einvoice.store.db import db

MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"


def upgrade(revision: str = "head", *, sql: bool = False) -> None:
    """Go up to the revision, or print the SQL that would."""
    _known()
    flask_migrate.upgrade(revision=revision, sql=sql)


def downgrade(revision: str = "-1") -> None:
    """Go back to the revision."""
    _known()
    flask_migrate.downgrade(revision=revision)


def current() -> None:
    """Print where the database is."""
    _known()
    flask_migrate.current(verbose=True)


def _known() -> None:
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    if "migrate" not in app.extensions:
        flask_migrate.Migrate(app, db, directory=str(MIGRATIONS))
