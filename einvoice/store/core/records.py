"""Reading rows into records by name: each field of a record is filled by one column.

The columns of a query are put into the order of the fields at import, so that reading a row costs
one call with its values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields
from itertools import starmap
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Result
from sqlalchemy.orm import DeclarativeBase

R = TypeVar("R")


class RecordColumns(Generic[R]):
    """The columns that fill the fields of a dataclass.

    A field that is not named takes the column of its own name in `table`; without a column it keeps
    its default. Raises TypeError for a name that is not a field, and where a field that keeps its
    default comes before one with a column; AttributeError for a field without a column and default.
    """

    def __init__(
        self, record: type[R], table: type[DeclarativeBase] | None = None, /, **columns: Any
    ) -> None:
        members = fields(record)  # type: ignore[arg-type]
        if unknown := columns.keys() - {field.name for field in members}:
            raise TypeError(f"{record.__name__} has no {', '.join(sorted(unknown))}")
        names = [f.name for f in members if f.name in columns or f.default is MISSING
                 or hasattr(table, f.name)]  # fmt: skip
        if names != [field.name for field in members[: len(names)]]:
            left = ", ".join(field.name for field in members if field.name not in names)
            raise TypeError(f"{record.__name__} has columns after {left}")
        self._record: Callable[..., R] = record
        self._names = names
        self._columns = [columns[n] if n in columns else getattr(table, n) for n in names]

    def select(self) -> sa.Select[Any]:
        """A query of these columns, to be joined and filtered."""
        return sa.select(*self._columns)

    def of(self, model: DeclarativeBase) -> R:
        """The record of a loaded model, whose attributes have the names of the fields."""
        return self._record(*(getattr(model, name) for name in self._names))

    def of_values(self, values: Iterable[Any]) -> R:
        """The record of the values of the columns, in their order."""
        return self._record(*values)

    def returning(self) -> list[Any]:
        """The columns, for the RETURNING clause of a statement."""
        return self._columns

    def all(self, found: Result[Any]) -> list[R]:
        """The records of all rows."""
        return list(starmap(self._record, found.all()))

    def one(self, found: Result[Any]) -> R:
        """The record of the only row. Raises NoResultFound, MultipleResultsFound."""
        record: R = self._record(*found.one())
        return record

    def one_or_none(self, found: Result[Any]) -> R | None:
        """The record of the only row, or None without a row. Raises MultipleResultsFound."""
        row = found.one_or_none()
        return None if row is None else self._record(*row)
