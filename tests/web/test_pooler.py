"""The service behind PgBouncer, which shares the connections of PostgreSQL by transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from flask import Flask

from einvoice.cli import main
from einvoice.store.core import db
from einvoice.store.core.postgresql import PoolerFound
from einvoice.store.installation import schema_revisions
from einvoice.store.tables import Transmission
from tests import servers
from tests.web.caller import Caller

Make = Callable[..., Flask]

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


@pytest.fixture
def pooled_url(database_url: str) -> Iterator[str]:
    try:
        with servers.pgbouncer(database_url, pool_size=3) as url:
            yield url
    except servers.NotInstalled as fault:
        pytest.skip(str(fault))


def test_sends_of_many_threads_are_accepted_and_delivered_once(
    make_app: Make, pooled_url: str
) -> None:
    """Sixteen threads share three connections: what outlived a transaction would collide."""
    app = make_app(database_url=pooled_url, database_pooled=True, limit_post=1000)
    caller = Caller(app)
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: caller.send().status_code, range(160)))
    deadline = time.monotonic() + 60
    while (by_status := _by_status(app)) != {"Delivered": 160}:
        assert time.monotonic() < deadline, by_status
        caller.work()
        time.sleep(0.05)

    assert answers == [200] * 160


def test_a_connection_through_a_pooler_is_refused_without_the_setting(
    make_app: Make, pooled_url: str
) -> None:
    app = make_app(database_url=pooled_url)
    answer = app.test_client().get("/readyz")

    assert (answer.status_code, answer.json["database"]) == (503, "down")


@pytest.mark.parametrize("command", [["serve"], ["relay"], ["worker", "bulk"]], ids=str)
def test_a_process_does_not_start_behind_an_unknown_pooler(
    pooled_url: str, command: list[str]
) -> None:
    done = CliRunner().invoke(main, command, env={"EINVOICE_DATABASE_URL": pooled_url})

    assert done.exit_code == 1
    assert "EINVOICE_DATABASE_POOLED=true" in done.output
    assert len(done.output.strip().splitlines()) == 1


def test_migrations_refuse_to_run_through_a_pooler(make_app: Make, pooled_url: str) -> None:
    """Their lock belongs to a session, which a pooler gives to others."""
    app = make_app(database_url=pooled_url, database_pooled=True)
    with app.app_context(), pytest.raises(PoolerFound, match="URL of the server itself"):
        schema_revisions.upgrade()


def test_the_server_itself_is_no_pooler(app: Flask) -> None:
    assert app.test_client().get("/readyz").json["database"] == "up"


def _by_status(app: Flask) -> dict[str, int]:
    counted = sa.select(Transmission.status, sa.func.count()).group_by(Transmission.status)
    with app.app_context(), db.reading() as connection:
        return dict(map(tuple, connection.execute(counted)))
