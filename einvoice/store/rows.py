"""Many rows in one statement, the same SQL on PostgreSQL and SQLite: the rows travel as JSON.

`UPDATE … FROM {recordset}` with one JSON parameter is one round trip and one constant statement
text (so PostgreSQL prepares it), whatever the number of rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Connection, CursorResult

from einvoice import clock
from einvoice.store import db
from einvoice.store.db import Moment

# Column types a recordset may have, as PostgreSQL names them.
TEXT, INT, BOOL, MOMENT, JSON = "text", "bigint", "boolean", "timestamptz", "json"


def execute(
    connection: Connection,
    sql: str,
    columns: Mapping[str, str],
    rows: Iterable[Mapping[str, Any]],
    **parameters: Any,
) -> CursorResult[Any]:
    """Run `sql`, in which `{rows}` stands for the given rows as a table named `x`.

    Parameters are named `:name`.
    """
    moments = tuple(n for n, value in parameters.items() if isinstance(value, datetime))
    statement = _statement(connection.dialect.name, sql, tuple(columns.items()), moments)
    return connection.execute(statement, {"rows": _packed(rows), **parameters})


def among(column: Any, values: Iterable[Any]) -> sa.ColumnElement[bool]:
    """`column` is one of the values; one statement text for any number of them.

    Each length of an IN list is a statement of its own, to be parsed and planned anew (measured:
    7 ms for 100 ids, 0.5 ms as an array).
    """
    if not db.is_postgresql():
        return column.in_(list(values))  # type: ignore[no-any-return]
    kind = postgresql.ARRAY(column.type)
    return column == sa.any_(sa.cast(sa.bindparam(None, list(values), type_=kind), kind))  # type: ignore[no-any-return]


@lru_cache(maxsize=64)
def _statement(
    dialect: str, sql: str, columns: tuple[tuple[str, str], ...], moments: tuple[str, ...]
) -> sa.TextClause:
    if dialect == "postgresql":
        typed = ", ".join(f"{name} {kind}" for name, kind in columns)
        table = f"json_to_recordset(CAST(:rows AS json)) AS x({typed})"
    else:
        picked = ", ".join(f"value ->> '$.{name}' AS {name}" for name, _ in columns)
        table = f"(SELECT {picked} FROM json_each(:rows)) AS x"  # noqa: S608 - column names of our own
    statement = sa.text(sql.replace("{rows}", table))
    return statement.bindparams(*(sa.bindparam(name, type_=Moment()) for name in moments))


def _packed(rows: Iterable[Mapping[str, Any]]) -> str:
    return json.dumps(list(rows), default=_plain, ensure_ascii=False, separators=(",", ":"))


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return clock.timestamp(value)
    raise TypeError(f"no JSON form for {type(value).__name__}")
