"""Many rows in one statement, the same SQL on PostgreSQL and SQLite: rows are passed as JSON.

`UPDATE … FROM {recordset}` with one JSON parameter is one round trip and one constant statement
text (so PostgreSQL prepares it), whatever the number of rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Connection, CursorResult, Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

from einvoice import clock
from einvoice.store.core.types import Moment

# Column types a recordset may have, as PostgreSQL names them.
TEXT, INT, BOOL, MOMENT, JSON = "text", "bigint", "boolean", "timestamptz", "json"
DATE = "date"  # given in the form of ISO 8601


def execute(
    connection: Connection,
    sql: str,
    columns: Mapping[str, str],
    rows: Iterable[Mapping[str, Any]],
    selecting: Sequence[Any] = (),
    **parameters: Any,
) -> CursorResult[Any]:
    """Run `sql`, in which `{rows}` stands for the given rows as a table named `x`.

    selecting  columns of the schema that the statement selects, in their order

    Parameters are named `:name`. PostgreSQL expects a hundred rows, and finds them in a large table
    by its index, in a small one by reading all of it; in a transaction by `db.writing_by_key` it
    always uses the index.
    """
    moments = tuple(n for n, value in parameters.items() if isinstance(value, datetime))
    types = tuple(columns.items())
    statement = _statement(connection.dialect.name, sql, types, moments, tuple(selecting))
    return connection.execute(statement, {"rows": _packed(rows), **parameters})


class _IsIn(FunctionElement[bool]):
    """`column` is among the values of a parameter: an array, on SQLite JSON."""

    type = sa.Boolean()
    inherit_cache = True


@compiles(_IsIn, "postgresql")
def _any(element: _IsIn, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(part, **options) for part in element.clauses)
    return f"{column} = ANY ({values})"


@compiles(_IsIn, "sqlite")
def _in(element: _IsIn, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(part, **options) for part in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({values}))"  # noqa: S608 - names and a mark


class _IsInSubquery(FunctionElement[bool]):
    """`column` is among the results of a scalar subquery of any number of rows."""

    type = sa.Boolean()
    inherit_cache = True


@compiles(_IsInSubquery, "postgresql")
def _any_of_array(element: _IsInSubquery, compiler: SQLCompiler, **options: Any) -> str:
    column, query = (compiler.process(part, **options) for part in element.clauses)
    return f"{column} = ANY (ARRAY{query})"


@compiles(_IsInSubquery, "sqlite")
def _in_query(element: _IsInSubquery, compiler: SQLCompiler, **options: Any) -> str:
    column, query = (compiler.process(part, **options) for part in element.clauses)
    return f"{column} IN {query}"


class ArrayParameter(sa.TypeDecorator[Iterable[Any]]):
    """Any number of values of one type as one parameter."""

    impl = sa.Text
    cache_ok = True

    def __init__(self, item: TypeEngine[Any]) -> None:
        super().__init__()
        self.item = item

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.ARRAY(self.item))
        return dialect.type_descriptor(sa.Text())

    def process_bind_param(self, value: Iterable[Any] | None, dialect: Dialect) -> Any:
        values = list(value or ())
        return values if dialect.name == "postgresql" else json.dumps(values)


def in_parameter(column: Any, name: str) -> sa.ColumnElement[bool]:
    """`column` is one of the values that are given as parameter `name` of the statement.

    The statement has the same text for any number of values: each length of an IN list would be
    parsed and planned separately (measured: 7 ms for 100 ids, 0.5 ms as an array). The condition
    is built once, so that SQLAlchemy does not compute its cache key at each execution.
    """
    return _IsIn(column, sa.bindparam(name, type_=ArrayParameter(column.type)))


def in_values(column: Any, values: Iterable[Any]) -> sa.ColumnElement[bool]:
    """`column` is one of the values, for statements that are built at each call."""
    return _IsIn(column, sa.bindparam(None, list(values), type_=ArrayParameter(column.type)))


def in_subquery(column: Any, query: sa.Select[Any]) -> sa.ColumnElement[bool]:
    """`column` is one of the results of a query of one column, which runs once.

    PostgreSQL would join with the subquery of an IN: run it again for every row of the table, or
    read the whole table. The array of its results is looked up in the index of the column.
    """
    return _IsInSubquery(column, query.correlate(None).scalar_subquery())


@lru_cache(maxsize=64)
def _statement(
    dialect: str,
    sql: str,
    columns: tuple[tuple[str, str], ...],
    moments: tuple[str, ...],
    selecting: tuple[Any, ...],
) -> sa.TextClause | sa.TextualSelect:
    if dialect == "postgresql":
        typed = ", ".join(f"{name} {kind}" for name, kind in columns)
        table = f"json_to_recordset(CAST(:rows AS json)) AS x({typed})"
    else:
        picked = ", ".join(f"value ->> '$.{name}' AS {name}" for name, _ in columns)
        table = f"(SELECT {picked} FROM json_each(:rows)) AS x"  # noqa: S608 - column names of our own
    statement = sa.text(sql.replace("{rows}", table))
    statement = statement.bindparams(*(sa.bindparam(name, type_=Moment()) for name in moments))
    return statement.columns(*selecting) if selecting else statement


def _packed(rows: Iterable[Mapping[str, Any]]) -> str:
    return json.dumps(list(rows), default=_plain, ensure_ascii=False, separators=(",", ":"))


def literal(number: int) -> sa.BindParameter[int]:
    """A number in the text of the statement, so that its plan knows how few rows are needed."""
    return sa.bindparam(None, number, literal_execute=True)


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return _moment(value)
    raise TypeError(f"no JSON form for {type(value).__name__}")


# Nearly all rows of a statement have the same times.
_moment = lru_cache(maxsize=64)(clock.timestamp)
