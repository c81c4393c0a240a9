"""Which plans PostgreSQL keeps."""

from __future__ import annotations

import re

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice.store.core import db
from einvoice.store.core.resources import resources
from einvoice.store.sending import acceptance, acceptance_statement
from tests.builders import new_send

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)

KNOWN = sa.text("UPDATE pg_class SET reltuples = :count WHERE relname = :table")
MODE = sa.text("SELECT current_setting('plan_cache_mode')")


@pytest.mark.parametrize(
    ("keeps", "transmissions", "mode"),
    [
        (False, 10_001, "force_custom_plan"),
        (True, 10_001, "auto"),
        (True, 10_000, "force_custom_plan"),
        (True, -1, "force_custom_plan"),  # no statistics yet
    ],
)
def test_workers_keep_plans_once_tables_have_grown(
    app: Flask, keeps: bool, transmissions: int, mode: str
) -> None:
    """The web never does; and a plan made for an empty table reads all of the grown one."""
    with db.writing() as connection:
        connection.execute(KNOWN, {"table": "transmissions", "count": transmissions})
    db.db.engine.dispose()
    if keeps:
        db.keep_plans(app)
    with db.reading() as connection:
        found = connection.execute(MODE).scalar_one()

    assert found == mode


@pytest.mark.parametrize("invoices", [-1, 0], ids=["no statistics", "those of an empty table"])
def test_a_number_is_found_by_its_index_from_the_first_send_on(app: Flask, invoices: int) -> None:
    """The plan of acceptance is kept from the first day on."""
    dated = acceptance_statement._SAME.replace("%(issue_date)s", "'2026-11-21'")
    same = re.sub(r"%\(\w+\)s", "'one'", dated)
    with db.writing() as connection:
        connection.execute(KNOWN, {"table": "invoices", "count": invoices})
    driver = resources().driver
    assert driver is not None
    plan = driver.row(f"EXPLAIN (FORMAT JSON) {same}", {})[0][0]["Plan"]

    assert (plan["Node Type"], plan["Index Name"]) == ("Index Scan", "ix_invoices_number")


def test_the_accepting_statement_is_planned_once_per_connection(app: Flask) -> None:
    """Also with statistics, by which PostgreSQL would plan it at each send: that costs more than
    running it."""
    driver = resources().driver
    assert driver is not None
    for number in range(8):
        acceptance.accept(new_send("tenant", key=f"a{number}"))
    with db.db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text("ANALYZE"))
    for number in range(8):
        acceptance.accept(new_send("tenant", key=f"b{number}"))

    kept = "SELECT sum(custom_plans)::int, sum(generic_plans)::int > 8 FROM pg_prepared_statements"
    assert driver.row(kept, {}) == (0, True)


def test_settings_of_the_planner_end_with_their_transaction(app: Flask) -> None:
    """And connections are opened without any: another statement is planned as PostgreSQL likes."""
    settings = sa.text(
        "SELECT name FROM pg_settings WHERE name LIKE 'enable\\_%' AND setting = 'off'"
    )
    with db.writing_by_key() as connection:
        within = set(connection.execute(settings).scalars())
    with db.writing() as connection:
        after = set(connection.execute(settings).scalars())

    assert within - after == {"enable_seqscan", "enable_hashjoin", "enable_mergejoin"}
    assert after.isdisjoint(within - after)
    with db.db.engine.connect() as connection:
        assert connection.connection.info["used"]  # it was the same connection
