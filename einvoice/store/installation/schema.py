"""Whether the database has the schema that this code needs. Cheap: Alembic is not imported."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

MIGRATIONS = Path(__file__).resolve().parents[3] / "migrations"


class SchemaState(StrEnum):
    """The schema of the database beside the one that the code knows."""

    CURRENT = "current"
    NEWER = "newer"  # migrations only add, so the version before a rolling upgrade goes on working
    INCOMPATIBLE = "incompatible"  # of a release that is more than one ahead
    OLDER = "older"
    MISSING = "missing"
    UNKNOWN = "unknown"  # a revision that is not of this project


@cache
def newest() -> int:
    """The number of the newest migration of this code."""
    return max(int(path.name[:4]) for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def state(connection: Connection) -> SchemaState:
    """The state of the schema of the database of a connection. Raises SQLAlchemyError."""
    return beside(connection, place(connection)[0])


def place(connection: Connection) -> tuple[str | None, str]:
    """The revision of the database, None without one, and the newest of this code."""
    applied: str | None = None
    if sa.inspect(connection).has_table("alembic_version"):
        applied = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return applied, f"{newest():04}"


def beside(connection: Connection, applied: str | None) -> SchemaState:
    """The meaning of the revision of this database for this code."""
    found = compare(applied)
    if found is SchemaState.NEWER:
        releases = releases_of(connection)
        if releases is not None and newest() < int(releases.oldest_beside(applied)):
            return SchemaState.INCOMPATIBLE
    return found


NOTE = "schema"  # name of the note in service_states
_NOTED = sa.text("SELECT value FROM service_states WHERE name = :name").columns(value=sa.JSON)


@dataclass(frozen=True, slots=True)
class Releases:
    """The releases that run on a database, each named by its newest revision.

    newest  the one that has upgraded it last
    oldest  the one before that: older ones must not run
    """

    newest: str
    oldest: str

    def oldest_beside(self, applied: str | None) -> str:
        """The oldest release that may run. While the upgrade of a further release has not ended,
        because it runs or failed, that is the one that has upgraded the database last."""
        return self.newest if int(applied or 0) > int(self.newest) else self.oldest


def releases_of(connection: Connection) -> Releases | None:
    """The note of the last upgrade; None if it was of a release that noted nothing."""
    if not sa.inspect(connection).has_table("service_states"):
        return None
    noted = connection.execute(_NOTED, {"name": NOTE}).scalar()
    return None if noted is None else Releases(**noted)


def compare(applied: str | None) -> SchemaState:
    """The relation of the revision of a database to the newest of this code."""
    if applied is None:
        return SchemaState.MISSING
    if not (applied.isascii() and applied.isdigit()):
        return SchemaState.UNKNOWN
    if int(applied) == newest():
        return SchemaState.CURRENT
    return SchemaState.NEWER if int(applied) > newest() else SchemaState.OLDER
