"""Whether the database has the schema that this code needs. Cheap: Alembic is not imported."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"


class SchemaState(StrEnum):
    """The schema of the database beside the one that the code knows."""

    CURRENT = "current"
    NEWER = "newer"  # migrations only add, so the version before a rolling upgrade goes on working
    OLDER = "older"
    MISSING = "missing"
    UNKNOWN = "unknown"  # a revision that is not of this project


@cache
def newest() -> int:
    """The number of the newest migration of this code."""
    return max(int(path.name[:4]) for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def state(connection: Connection) -> SchemaState:
    """The state of the schema of the database of a connection. Raises SQLAlchemyError."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return SchemaState.MISSING
    here = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return compare(here)


def compare(here: str | None) -> SchemaState:
    """What the revision of a database is beside the newest of this code."""
    if here is None:
        return SchemaState.MISSING
    if not (here.isascii() and here.isdigit()):
        return SchemaState.UNKNOWN
    if int(here) == newest():
        return SchemaState.CURRENT
    return SchemaState.NEWER if int(here) > newest() else SchemaState.OLDER
