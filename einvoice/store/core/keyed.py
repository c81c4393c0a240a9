"""Tables whose rows are found by a scope, a dataclass with the columns of the primary key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy import delete, select, tuple_
from sqlalchemy.engine import Connection
from sqlalchemy.orm import DeclarativeBase

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")


@dataclass(frozen=True)
class Keyed(Generic[S]):
    """A table with `created_at`, and the scope that is its primary key."""

    table: type[DeclarativeBase]
    scope: type[S]

    def _columns(self) -> Sequence[Any]:
        return [getattr(self.table, name) for name in self.scope.__dataclass_fields__]

    def is_at(self, scope: S) -> tuple[sa.ColumnElement[bool], ...]:
        """The conditions that find the row of a scope."""
        return tuple(column == getattr(scope, column.key) for column in self._columns())

    def delete_before(self, connection: Connection, moment: datetime, limit: int) -> int:
        """Delete up to `limit` rows of before the moment; skips rows that another one deletes."""
        created: Any = getattr(self.table, "created_at")  # noqa: B009 - a column of these tables
        key = self._columns()
        old = (
            select(*key)
            .where(created < moment)
            .order_by(created)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        return connection.execute(delete(self.table).where(tuple_(*key).in_(old))).rowcount
