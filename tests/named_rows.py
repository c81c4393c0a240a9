"""Whether a statement that changes rows names them: a guard over the tests' statements.

Tests have few rows, so an UPDATE or DELETE that has lost the condition on its id changes what they
expect, and all other rows too. A statement names its rows if all of them meet a comparison of a
column of their key, of an id, or of the token of a lease. Functions that change rows by something
else, such as their age or their tenant, are listed here with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import operators
from sqlalchemy.sql.elements import BinaryExpression, BooleanClauseList, ColumnClause, Grouping
from sqlalchemy.sql.elements import Tuple as TupleOf
from sqlalchemy.sql.functions import FunctionElement

from tests import tenant_bindings

_TENANT = "is about all rows of a tenant"
_TIME = "is about all rows of a time, or of a state"
_PARKED = "is about all rows that are parked for a connection"

_PLACES: Mapping[str, tuple[str, ...]] = {
    _TENANT: (
        "account.preferences.pause",
        "account.preferences.remove_of",
        "invoices.blocks.forget",
        "invoices.blocks.reopen_all",
        "tenant_data.erasure.replace_done_by",
        "tenant_data.purging.begin_removals",
        "tenant_data.purging.delete_log",
        "tenant_data.sandbox_clock.pull",
        "tenant_data.tenant_moves.delete",
        "tenant_data.tenant_moves.drop_work",
        "tenant_data.tenant_moves.resume_work",
    ),
    _TIME: (
        "archive.archive_walks.rewind",
        "installation.recoveries.end_leases",
        "installation.recoveries.finish",
        "installation.service_states.forget",
        "outbox.release_expired",
    ),
    _PARKED: ("connections.parked.resume_all", "connections.parked.resume_of_tenant"),
}
REASONS: Mapping[str, str] = {
    f"einvoice.store.{name}": why for why, names in _PLACES.items() for name in names
}
_MIGRATIONS = "einvoice.store.installation.schema_revisions."
# Columns that name rows beside ids and those of a primary key.
_NAMES = frozenset({"digest", "token"})
_CHANGES = re.compile(r"\b(?:UPDATE|DELETE FROM)\s+(?:ONLY\s+)?([a-z_]+)", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:\w+_)?(?:id|token)\b", re.IGNORECASE)


def unnamed(statement: Any, sql: str) -> frozenset[str]:
    """The table of which a statement changes rows that it does not name; none, or this one."""
    if isinstance(statement, sa.Update | sa.Delete):
        table = statement.table
        named = any(_names(each, table) for each in statement._where_criteria)
        return frozenset() if named or not _is_ours(table.name) else frozenset({table.name})
    if statement is None or isinstance(statement, sa.TextClause):
        return _of_text(sql)
    return frozenset()


def _of_text(sql: str) -> frozenset[str]:
    found = _CHANGES.search(sql)
    if found is None or sql.lstrip().upper().startswith("CREATE"):
        return frozenset()
    table = found[1]
    condition = sql[found.end() :].upper().partition("WHERE")[2]
    is_named = _NAMED.search(condition) is not None
    return frozenset() if is_named or not _is_ours(table) else frozenset({table})


def _is_ours(table: str) -> bool:
    return table in tenant_bindings.Base.metadata.tables


def _names(clause: Any, table: Any) -> bool:
    """Whether every row that meets a condition has a column compared that names it."""
    if isinstance(clause, Grouping):
        return _names(clause.element, table)
    if isinstance(clause, BooleanClauseList):
        each = [_names(part, table) for part in clause.clauses]
        return any(each) if clause.operator is operators.and_ else all(each)
    if isinstance(clause, BinaryExpression):
        alike = clause.operator in (operators.eq, operators.in_op, operators.is_)
        return alike and _compared(clause.left, clause.right, table)
    if isinstance(clause, FunctionElement) and type(clause).__name__ in {"_IsIn", "_IsInSubquery"}:
        column, values = clause.clauses
        return _compared(column, values, table)
    return False


def _compared(left: Any, right: Any, table: Any) -> bool:
    left, right = tenant_bindings._bare(left), tenant_bindings._bare(right)
    if isinstance(left, TupleOf):
        return any(_compared(part, right, table) for part in left.clauses)
    return any(_is_name(each, table) for each in (left, right))


def _is_name(column: Any, table: Any) -> bool:
    """Whether it is a column of the table that names rows. The tenant does if there is one row of
    each."""
    if not isinstance(column, ColumnClause) or column.table is None:
        return False
    if tenant_bindings._name(column.table) != table.name:
        return False
    key = [each.name for each in table.primary_key]
    if column.name in {"tenant_id", "environment"}:
        return key == [column.name]
    return column.name in key or column.name in _NAMES or tenant_bindings._is_id(column)


def allowed(place: str) -> bool:
    """Whether a function may change rows without naming them. Migrations are about whole tables."""
    of_store = place.startswith("einvoice.store.") and not place.startswith(_MIGRATIONS)
    return place in REASONS or not of_store
