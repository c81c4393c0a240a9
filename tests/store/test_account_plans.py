"""Lists of the account are read by their indexes, however many rows have ended."""

from __future__ import annotations

from functools import partial

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice.domain.credentials import API_KEY, OAUTH_CLIENT
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, tenants
from einvoice.store.core import db

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)

_CREDENTIALS = """
INSERT INTO {table} (id, tenant_id, environment, name, last4, digest, scopes, allowed_ips,
    allowed_receivers, created_at, revoked_at{more})
SELECT '{table}' || i, :tenant, CASE WHEN i % 50 = 0 THEN 'test' ELSE 'live' END, 'n', 'abcd',
    '{table}' || i, '[]', '[]', '[]', now() - make_interval(secs => i), {revoked}{values}
FROM generate_series(1, 20000) AS i
"""
_KEYS = _CREDENTIALS.format(
    table="api_keys",
    more=", prefix, expires_at",
    revoked="CASE WHEN i % 2 = 0 THEN now() END",  # the others have expired
    values=", 'p', CASE WHEN i > 40 THEN now() - interval '1 hour' END",
)
_CLIENTS = _CREDENTIALS.format(
    table="oauth_clients", more="", revoked="CASE WHEN i > 40 THEN now() END", values=""
)
_PARTICIPANTS = """
INSERT INTO participants (id, tenant_id, environment, participant, created_at)
SELECT 'p' || i, :tenant, 'test', '0088:' || (100000 + i), now()
FROM generate_series(1, 20000) AS i
"""


@pytest.fixture
def grown(app: Flask, tenant: str) -> str:
    """A tenant with 20,000 rows in each list, of which few are active."""
    with db.writing() as connection:
        for statement in (_KEYS, _CLIENTS, _PARTICIPANTS):
            connection.execute(sa.text(statement), {"tenant": tenant})
        for table in ("api_keys", "oauth_clients", "participants"):
            connection.execute(sa.text(f"ANALYZE {table}"))
    return tenant


def most_rows(call) -> float:
    """The most rows that a step of a plan of `call` reads or drops."""
    found: list[tuple[str, object]] = []

    def note(_connection, _cursor, statement, parameters, *_):
        if statement.startswith("SELECT"):
            found.append((statement, parameters))

    engine = db.db.engine
    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        call()
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)
    assert found
    with db.reading() as connection:
        plans = [
            connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", parameters)
            .scalar_one()[0]["Plan"]
            for statement, parameters in found
        ]  # fmt: skip
    return max(_most(plan) for plan in plans)


def _most(plan) -> float:
    own = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    return max([own, *(_most(inner) for inner in plan.get("Plans", []))])


def test_a_list_of_the_account_reads_no_more_than_it_shows(grown):
    """Up to 100 active credentials and 100 that ended, in each environment; a page of 51 ids."""
    read: dict[tuple[object, ...], float] = {}
    for environment in (None, Environment.TEST):
        for kind in (API_KEY, OAUTH_CLIENT):
            shown = partial(credentials.of_tenant, kind, grown, environment)
            read[300, environment, kind] = most_rows(shown)
        for after in (None, ("test", "0088:115000")):
            shown = partial(tenants.owned_page, grown, environment, after=after, limit=51)
            read[51, environment, after] = most_rows(shown)

    assert {case: rows for case, rows in read.items() if rows > case[0]} == {}
