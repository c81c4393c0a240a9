"""Which tables a statement reads or changes for all tenants: a guard over the tests' statements.

A table with a column `tenant_id`, or that belongs to one with it, is bound if the rows of every
tenant but one cannot be among those that are found: its tenant_id (the id of a tenant, for
`tenants`) is compared with a value, or one of its ids with that of a row that is bound. A condition
counts where all results must meet it. Rows that are inserted are not judged, what they are selected
from is.

`Watch` records each unbound statement with the function of ours that ran it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, ClassVar, Self

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.sql import operators, selectable, visitors
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.elements import (
    BinaryExpression,
    BooleanClauseList,
    ColumnClause,
    Grouping,
    UnaryExpression,
)
from sqlalchemy.sql.elements import Tuple as TupleOf
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.selectable import ScalarSelect

import einvoice
from einvoice.store.core.db import Base

# Tables without a tenant_id whose rows belong to a row of one that has it.
CHILDREN = frozenset(
    {"archive_later", "attempts", "batch_items", "notices", "recoveries", "submissions"}
)
# Tables whose rows belong to no tenant.
SHARED = frozenset(
    {
        "archive_walks", "operator_keys", "platforms", "plugin_duties", "plugin_records",
        "plugin_values",
        "service_states",
    }
)  # fmt: skip

Source = Any  # a table or alias in FROM
Fact = tuple[Source, Source | None]  # two sources joined by an id, or one compared with a tenant


def owned(name: str) -> bool:
    """Whether the rows of a table belong to tenants."""
    table = Base.metadata.tables.get(name)
    if table is None:
        return False
    return "tenant_id" in table.columns or name == "tenants" or name in CHILDREN


# -- statements ------------------------------------------------------------------------------------


def unbound(statement: Any) -> frozenset[str]:
    """The tables of tenants in a statement of SQLAlchemy that are bound to none."""
    if isinstance(statement, sa.TextClause | selectable.TextualSelect):
        return unbound_of_text(_text(statement))
    return frozenset(_name(source) for source in _loose(statement, frozenset()))


def _loose(statement: Any, outside: frozenset[Source]) -> set[Source]:
    """The sources that are bound neither here nor by what surrounds the statement."""
    if isinstance(statement, selectable.CompoundSelect):
        return {one for each in statement.selects for one in _loose(each, outside)}
    if isinstance(statement, Grouping | ScalarSelect | selectable.SelectStatementGrouping):
        return _loose(statement.element, outside)
    if isinstance(statement, selectable.TextualSelect):
        return set(map(sa.table, unbound_of_text(_text(statement))))
    sources, conditions = _parts(statement)
    facts = {f for c in conditions for f in _facts(c)}
    bound = _closure(set(outside), facts)
    loose = {s for s in sources if s not in bound and s not in outside and owned(_name(s))}
    # A subquery of which this one takes the rows of a tenant may read those of others.
    chosen = frozenset(id(one) for one, other in facts if other is None and not _name(one))
    for nested in _nested(statement, chosen):
        loose |= _loose(nested, frozenset(bound | set(sources)))
    return loose - set(outside)


def _parts(statement: Any) -> tuple[set[Source], list[Any]]:
    """The tables that a statement reads or changes, and the conditions that all rows meet."""
    sources: set[Source] = set()
    conditions: list[Any] = []
    if isinstance(statement, sa.Select):
        for one in _froms(statement):
            _split(one, sources, conditions)
    elif isinstance(statement, sa.Update | sa.Delete):
        _split(statement.table, sources, conditions)
        for part in statement._where_criteria:
            sources |= {c.table for c in _columns(part) if c.table is not None}
    if isinstance(statement, sa.Select | sa.Update | sa.Delete):
        conditions += statement._where_criteria
    return {one for one in sources if _name(one)}, conditions


# `get_final_froms` compiles the statement, and fails at elements that only a database has. What is
# asked of a compiler to know the FROM is the same for all of them.
_COMPILER = sa.select(sa.literal(1)).compile()


def _froms(query: sa.Select[Any]) -> Sequence[Any]:
    """The FROM of a query: tables, joins and subqueries."""
    return list(query._compile_state_factory(query, _COMPILER)._get_display_froms())


def _split(one: Any, sources: set[Source], conditions: list[Any]) -> None:
    if isinstance(one, selectable.Join):
        _split(one.left, sources, conditions)
        _split(one.right, sources, conditions)
        conditions.append(one.onclause)
    else:
        sources.add(one)


_STATEMENTS = (
    sa.Select, selectable.CompoundSelect, selectable.TextualSelect, UpdateBase,
)  # fmt: skip


def _nested(statement: Any, chosen: frozenset[int]) -> Iterator[Any]:
    """The statements directly within: of subqueries, CTEs and what is inserted.

    chosen  the ids of subqueries that are left out
    """
    seen = set(chosen)
    waiting = list(_children(statement))
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, _STATEMENTS):
            yield one
        elif not isinstance(one, sa.Table):
            waiting += _children(one)


def _children(one: Any) -> Iterable[Any]:
    if isinstance(one, selectable.AliasedReturnsRows):
        return [one.element]
    if isinstance(one, ColumnClause):
        return [one.table] if isinstance(one.table, selectable.AliasedReturnsRows) else []
    found = list(one.get_children())
    if isinstance(one, sa.Select):
        found += _froms(one)
    return found


def _columns(clause: Any) -> Iterator[ColumnClause[Any]]:
    """The columns of a condition, without those of its subqueries."""
    if isinstance(clause, ColumnClause):
        yield clause
    elif not isinstance(clause, selectable.SelectBase | ScalarSelect | selectable.Exists):
        for child in clause.get_children():
            yield from _columns(child)


def _name(source: Source) -> str:
    """The name of the table; empty for a subquery, which is judged by itself."""
    while isinstance(source, selectable.Alias):
        source = source.element
    return source.name if isinstance(source, sa.Table | selectable.TableClause) else ""


# -- conditions ------------------------------------------------------------------------------------


def _facts(clause: Any) -> set[Fact]:
    """What holds of every row that meets a condition."""
    if isinstance(clause, Grouping):
        return _facts(clause.element)
    if isinstance(clause, BooleanClauseList):
        each = [_facts(part) for part in clause.clauses]
        return set.union(*each) if clause.operator is operators.and_ else set.intersection(*each)
    if isinstance(clause, selectable.Exists):
        return _facts_of_query(clause.element)
    if isinstance(clause, BinaryExpression) and clause.operator in (
        operators.eq, operators.in_op, operators.is_
    ):  # fmt: skip
        return _equal(clause.left, clause.right)
    if isinstance(clause, FunctionElement) and type(clause).__name__ in {"_IsIn", "_IsInSubquery"}:
        column, values = clause.clauses
        return _equal(column, values)
    return set()


def _equal(left: Any, right: Any) -> set[Fact]:
    left, right = _bare(left), _bare(right)
    if isinstance(left, TupleOf) and isinstance(right, TupleOf):
        pairs = zip(left.clauses, right.clauses, strict=True)
        return {fact for pair in pairs for fact in _equal(*pair)}
    if isinstance(left, TupleOf):
        return {fact for part in left.clauses for fact in _equal(part, right)}
    if not isinstance(left, ColumnClause):
        left, right = right, left
    if not isinstance(left, ColumnClause):
        return set()
    if isinstance(right, ColumnClause):
        return {(left.table, right.table)} if _is_id(left) and _is_id(right) else set()
    if isinstance(right, ScalarSelect | selectable.SelectBase):
        found = {(left.table, one) for one in _sources_of(right)} if _is_id(left) else set()
        return found | _facts_of_query(right)
    is_of_tenant = left.name == "tenant_id" or (
        left.name == "id" and _name(left.table) == "tenants"
    )
    return {(left.table, None)} if is_of_tenant and not _reads(right) else set()


def _bare(clause: Any) -> Any:
    while isinstance(clause, Grouping | sa.Cast) or (
        isinstance(clause, UnaryExpression) and clause.operator is None
    ):
        clause = clause.clause if isinstance(clause, sa.Cast) else clause.element
    return clause


def _reads(clause: Any) -> bool:
    return any(isinstance(one, ColumnClause) for one in visitors.iterate(clause))


def _is_id(column: ColumnClause[Any]) -> bool:
    return column.name == "id" or column.name.endswith("_id")


def _sources_of(query: Any) -> set[Source]:
    while isinstance(query, ScalarSelect | Grouping | selectable.SelectStatementGrouping):
        query = query.element
    return _parts(query)[0] if isinstance(query, sa.Select) else set()


def _facts_of_query(query: Any) -> set[Fact]:
    while isinstance(query, ScalarSelect | Grouping | selectable.SelectStatementGrouping):
        query = query.element
    if not isinstance(query, sa.Select):
        return set()
    return {fact for condition in _parts(query)[1] for fact in _facts(condition)}


def _closure(bound: set[Source], facts: set[Fact]) -> set[Source]:
    """The sources that are bound, and those joined with them by an id."""
    bound |= {source for source, other in facts if other is None}
    # A subquery in FROM is judged by itself: what is joined with it is bound as it is.
    bound |= {s for fact in facts for s in fact if s is not None and not _name(s)}
    while True:
        more = {
            one
            for pair in facts
            if pair[1] is not None and any(each in bound for each in pair)
            for one in pair
        }
        if more <= bound:
            return bound
        bound |= more


# -- text ------------------------------------------------------------------------------------------

_TABLES = re.compile(r"\b(?:FROM|JOIN|UPDATE)\s+(?:ONLY\s+)?([a-z_]+)", re.IGNORECASE)
_TENANT = re.compile(r"\btenant_id\s*(?:=|IN\b)|=\s*(?:\w+\.)?tenant_id\b", re.IGNORECASE)


def _text(statement: sa.TextClause | selectable.TextualSelect) -> str:
    return statement.text if isinstance(statement, sa.TextClause) else statement.element.text


def unbound_of_text(sql: str) -> frozenset[str]:
    """The tables of tenants in a text of SQL that compares no tenant_id."""
    if _TENANT.search(sql):
        return frozenset()
    return frozenset(name for name in _TABLES.findall(sql) if owned(name))


# -- watching --------------------------------------------------------------------------------------

_ROOT = Path(einvoice.__file__).parents[1]
_OURS = tuple(str(_ROOT / name) + "/" for name in ("einvoice", "jobs", "plugins"))
_TESTS = str(_ROOT / "tests") + "/"
_OF_SESSION = ("sqlalchemy/orm/persistence.py", "sqlalchemy/orm/bulk_persistence.py")


# What a statement of SQLAlchemy, or None of a text of SQL, does to tables that it should not.
Judge = Callable[[Any, str], frozenset[str]]


def of_all_tenants(statement: Any, sql: str) -> frozenset[str]:
    """The tables of tenants that a statement binds to none."""
    return unbound_of_text(sql) if statement is None else unbound(statement)


class Watch:
    """The statements to which a judge objects that functions of ours run while it is entered, by
    all engines.

    allows  whether the function that ran one, `module.name`, may do so
    fault   what is wrong with the tables that the judge returns
    """

    # By judge and text of a statement: judging one takes as long as running it.
    _known: ClassVar[dict[tuple[Judge, str], frozenset[str]]] = {}

    def __init__(
        self,
        allows: Callable[[str], bool],
        judge: Judge = of_all_tenants,
        fault: str = "of all tenants",
    ) -> None:
        self._allows, self._opinion, self._fault = allows, judge, fault
        self._found: dict[str, str] = {}

    def __enter__(self) -> Self:
        event.listen(Engine, "before_cursor_execute", self._judge)
        return self

    def __exit__(self, *_: object) -> None:
        event.remove(Engine, "before_cursor_execute", self._judge)

    def taken(self) -> list[str]:
        """What was found since the last call: one text for each function."""
        found, self._found = list(self._found.values()), {}
        return found

    def _judge(
        self, connection: Any, cursor: Any, sql: str, parameters: Any, context: Any, many: bool
    ) -> None:
        tables = self._known.get((self._opinion, sql))
        if tables is None:
            compiled = context.compiled
            statement = None if compiled is None else compiled.statement
            tables = self._known[self._opinion, sql] = self._opinion(statement, sql)
        if tables:
            self._note(tables, sql)

    def _note(self, tables: frozenset[str], sql: str) -> None:
        frame = _caller(sys._getframe(1))
        if frame is None:
            return
        place = place_of(frame)
        if not self._allows(place):
            names = ", ".join(sorted(tables))
            self._found[place] = f"{place} (line {frame.f_lineno}): {names} {self._fault}\n{sql}"


def _caller(frame: FrameType | None) -> FrameType | None:
    """The innermost function of ours, if it did not run for a test or write loaded models."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.endswith(_OF_SESSION) or (name.startswith(_TESTS) and name != __file__):
            return None
        if name.startswith(_OURS) and not name.endswith(("store/core/rows.py", "store/core/db.py")):
            return frame
        frame = frame.f_back
    return None


def place_of(frame: FrameType) -> str:
    """Module and function of a frame: `einvoice.store.invoices.drafts._remove`."""
    code: CodeType = frame.f_code
    return f"{frame.f_globals['__name__']}.{code.co_qualname}"
