"""Columns shared by many tables."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

# SQLite generates ids only in a column of type INTEGER.
BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def an_id() -> Mapped[str]:
    """The primary key: a UUID, or a name with a prefix."""
    return mapped_column(sa.String(40), primary_key=True)


def ref(target: str) -> Mapped[str]:
    """The id of a row of another table."""
    return mapped_column(sa.String(40), sa.ForeignKey(target))
