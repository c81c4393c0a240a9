"""INSERT … ON CONFLICT, which SQLAlchemy offers for each database by itself."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.orm import DeclarativeBase

Upsert = postgresql.Insert | sqlite.Insert


def upsert(connection: Connection, table: type[DeclarativeBase] | sa.Table) -> Upsert:
    """An INSERT for the database of the connection, to which `on_conflict_…` is added."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
