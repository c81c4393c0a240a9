"""Rows of the database, for tests that state them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from einvoice.store.core import db
from einvoice.store.core.db import Base


def count(table: type[Base]) -> int:
    """The number of rows of a table."""
    with db.reading() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def rows(*columns: Any) -> list[tuple[Any, ...]]:
    """The values of columns in all rows."""
    with db.reading() as connection:
        return [tuple(row) for row in connection.execute(sa.select(*columns))]
