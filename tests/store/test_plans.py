"""How PostgreSQL plans what is asked all day."""

from __future__ import annotations

import re

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice.store import acceptance_statement, db

KNOWN = sa.text("UPDATE pg_class SET reltuples = :count WHERE relname = 'transmissions'")
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
def test_jobs_keep_their_plans_once_tables_have_grown(
    app: Flask, keeps: bool, transmissions: int, mode: str
) -> None:
    """The web never does; and a plan made for an empty table walks through the grown one."""
    if not db.is_postgresql():
        pytest.skip("SQLite has no such choice")
    with db.writing() as connection:
        connection.execute(KNOWN, {"count": transmissions})
    db.db.engine.dispose()
    if keeps:
        db.keep_plans(app)
    with db.reading() as connection:
        found = connection.execute(MODE).scalar_one()

    assert found == mode


def test_a_number_is_found_by_its_index_before_any_statistics(app: Flask) -> None:
    """The plan of acceptance is kept: made on the first day, it must not walk through them all."""
    if not db.is_postgresql():
        pytest.skip("SQLite has no statistics to wait for")
    same = re.sub(r"%\(\w+\)s", "'one'", acceptance_statement._SAME)
    with db.reading() as connection:
        plan = "\n".join(connection.execute(sa.text(f"EXPLAIN {same}")).scalars())

    assert "ix_invoices_number" in plan
    assert "Sort" not in plan
