"""Columns that many tables have."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

# SQLite counts up by itself only in a column of its own integer type.
BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def an_id() -> Mapped[str]:
    """The primary key: a UUID, or a name with a prefix."""
    return mapped_column(sa.String(40), primary_key=True)


def ref(target: str) -> Mapped[str]:
    """The id of a row of another table."""
    return mapped_column(sa.String(40), sa.ForeignKey(target))
