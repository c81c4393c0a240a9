"""Lists of the account are read by their indexes, however many rows have ended."""

from __future__ import annotations

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


@pytest.mark.parametrize("kind", [API_KEY, OAUTH_CLIENT])
@pytest.mark.parametrize("environment", [None, Environment.TEST])
def test_a_list_of_credentials_reads_no_more_than_it_shows(grown, kind, environment):
    """Up to 100 active ones and 100 that ended, in each environment."""
    assert most_rows(lambda: credentials.of_tenant(kind, grown, environment)) <= 300


@pytest.mark.parametrize("after", [None, ("test", "0088:115000")])
@pytest.mark.parametrize("environment", [None, Environment.TEST])
def test_a_page_of_participants_reads_no_more_than_it_shows(grown, after, environment):
    assert most_rows(lambda: tenants.owned_page(grown, environment, after=after, limit=51)) <= 51
