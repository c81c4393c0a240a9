"""Column types that PostgreSQL and SQLite store differently."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeEngine

from einvoice import clock
from einvoice.domain.trace import MAX_STORED, Trace


class Moment(sa.TypeDecorator[datetime]):
    """A moment in UTC: timestamptz on PostgreSQL, sortable text to the millisecond on SQLite."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "sqlite":
            return dialect.type_descriptor(sa.String(24))
        return dialect.type_descriptor(sa.DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None or dialect.name != "sqlite":
            return value
        return clock.timestamp(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if isinstance(value, str):
            return datetime.fromisoformat(value)
        return value.astimezone(UTC)  # type: ignore[no-any-return]


class Money(sa.TypeDecorator[Decimal]):
    """An exact amount: numeric on PostgreSQL, its digits as text on SQLite."""

    impl = sa.Numeric
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "sqlite":
            return dialect.type_descriptor(sa.String(40))
        return dialect.type_descriptor(sa.Numeric())

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> Any:
        return format(value, "f") if value is not None and dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> Decimal | None:
        return None if value is None else Decimal(value)


class TraceText(sa.TypeDecorator[Trace]):
    """A trace as one line of text."""

    impl = sa.String(MAX_STORED)
    cache_ok = True

    def process_bind_param(self, value: Trace | None, dialect: Dialect) -> str | None:
        return None if value is None else value.stored

    def process_result_value(self, value: str | None, dialect: Dialect) -> Trace | None:
        return None if value is None else Trace.parse(value)
