"""Plans of PostgreSQL for the statements that a test executes on grown tables."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from flask import Flask

import einvoice_loopback
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.store.core import db
from tests import databases
from tests.store import grown


@pytest.fixture(scope="module", params=["no statistics", "statistics of the first 200", "analysed"])
def grown_app(
    request: pytest.FixtureRequest, postgres_server: str, postgres_template: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Flask]:  # fmt: skip
    """3,000 invoices of each tenant, known to the planner or not."""
    name = f"grown_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {postgres_template}".encode())
    url = postgres_server.replace("/postgres?", f"/{name}?")
    settings = {"data_dir": str(tmp_path_factory.mktemp("grown")), **databases.ALONE}
    app = create_app(Settings(database_url=url, **settings), plugins=[einvoice_loopback])
    with app.app_context():
        _fill(request.param)
        yield app
    databases.let_go(app)


def _fill(statistics: str) -> None:
    with db.writing() as connection:
        grown.begin(connection)
        grown.grow(connection, 1, 200)
        if statistics == "statistics of the first 200":
            grown.run(connection, "ANALYZE")
        grown.grow(connection, 201, 3_000)
        if statistics == "analysed":
            grown.run(connection, "ANALYZE")


def leased(kind: str) -> list[int]:
    query = sa.text("SELECT id FROM outbox WHERE token = 'token' AND kind = :kind ORDER BY id")
    with db.reading() as connection:
        return list(connection.execute(query, {"kind": kind}).scalars())[:40]


Executed = tuple[str, Any, bool]


@contextmanager
def executed() -> Iterator[list[Executed]]:
    """Statement, parameters and "planned by key" of what is executed in the block."""
    found: list[Executed] = []

    def _note(c: Any, _: Any, statement: str, parameters: Any, __: Any, many: bool) -> None:
        if not many:
            found.append((statement, parameters, bool(c.get_execution_options().get("by_key"))))

    sa.event.listen(db.db.engine, "before_cursor_execute", _note)
    try:
        yield found
    finally:
        sa.event.remove(db.db.engine, "before_cursor_execute", _note)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


def plan_of(statement: Executed) -> list[dict[str, Any]]:
    """The nodes of the statement's plan; none for an INSERT of given values."""
    sql, parameters, by_key = statement
    if sql.startswith("INSERT") and "SELECT" not in sql:
        return []
    with db.writing_by_key() if by_key else db.writing() as connection:
        answer = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {sql}", parameters).scalar_one()
    [plan] = json.loads(answer) if isinstance(answer, str) else answer
    return list(nodes(plan["Plan"]))


def whole_tables(statement: Executed) -> list[str]:
    """Nodes of the plan that read all of a table."""
    return [
        f"{node['Node Type']} {node.get('Relation Name', '')}".strip()
        for node in plan_of(statement)
        if node["Node Type"] in {"Seq Scan", "Merge Join"}
    ]


def indexes(statement: Executed, table: str) -> set[str]:
    """The indexes by which the statement reads the table."""
    return {
        node["Index Name"]
        for node in plan_of(statement)
        if node.get("Relation Name") == table and "Index Name" in node
    }


def read_whole(found: list[Executed]) -> dict[str, list[str]]:
    """Those of the statements that read all of a table, but for a few small tables."""
    few = (
        "webhook_endpoints",
        "tenants",
        "api_keys",
        "share_links",
        "tenant_imports",
        "identification_files",
        "recoveries",
        "service_states",
    )
    small = {f"Seq Scan {table}" for table in few}
    read = {statement[0]: set(whole_tables(statement)) - small for statement in found}
    return {sql: sorted(tables) for sql, tables in read.items() if tables}
