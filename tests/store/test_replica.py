"""Lists, search and reports are read from a streaming standby, unless it is away or behind."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest
import sqlalchemy as sa
from flask import Flask

import einvoice_loopback
from einvoice import clock
from einvoice.app import create_app
from einvoice.cli import doctor_checks
from einvoice.config import Settings, SettingsFault
from einvoice.store.account import usage
from einvoice.store.core import db, replica
from einvoice.store.core.replica import Replica
from einvoice.store.core.resources import resources_of
from einvoice.store.installation import schema_revisions
from tests import databases, servers
from tests.servers import Postgres
from tests.waiting import until
from tests.web.caller import Caller


@pytest.fixture(scope="module")
def primary() -> Iterator[Postgres]:
    with servers.cluster() as server:
        yield server


@pytest.fixture(scope="module")
def standby(primary: Postgres) -> Iterator[Postgres]:
    with servers.cluster(primary=primary) as server:
        yield server


@pytest.fixture
def app(primary: Postgres, standby: Postgres, tmp_path, monkeypatch) -> Iterator[Flask]:
    """Its standby is asked before each read."""
    monkeypatch.setattr(replica, "CHECK_SECONDS", 0.0)
    monkeypatch.setattr(replica, "RETRY_SECONDS", 0.0)
    urls = {"database_url": primary.url, "database_replica_url": standby.url}
    settings = Settings(data_dir=str(tmp_path), **urls, **databases.ALONE)
    app = create_app(settings, plugins=[einvoice_loopback])
    with app.app_context():
        schema_revisions.upgrade()
    yield app
    databases.let_go(app)


@pytest.fixture
def caller(app: Flask) -> Caller:
    return Caller(app)


def numbers(caller: Caller) -> int:
    answer = caller.get("/api/invoices?include=total")
    assert answer.status_code == 200, answer.text
    return min(answer.json["total"], len(answer.json["items"]))


def replica_of(app: Flask) -> Replica:
    found = resources_of(app).replica
    assert found is not None
    return found


@pytest.fixture
def replicated(app: Flask) -> Iterator[list[str]]:
    """The statements that the standby executes."""
    found: list[str] = []

    def _note(_c, _cursor, statement, *_) -> None:
        found.append(statement)

    engine = replica_of(app).engine
    sa.event.listen(engine, "before_cursor_execute", _note)
    yield found
    sa.event.remove(engine, "before_cursor_execute", _note)


def say(server: Postgres, statement: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(statement.encode())


def faults(app: Flask) -> list[str]:
    with app.app_context():
        return [p.message for p in doctor_checks.check_database() if "replica" in p.message]


def test_lists_totals_and_reports_are_read_from_the_standby(caller, replicated):
    caller.send()
    until(lambda: numbers(caller) == 1)
    with caller.app.app_context():
        moment = clock.now()
        days = usage.of_days(caller.tenant, "test", moment - timedelta(days=1), moment)

    assert [day.documents for day in days] == [1]
    assert any("FROM invoices" in statement for statement in replicated)
    assert any("count(*)" in statement for statement in replicated)
    assert any("GROUP BY" in statement for statement in replicated)
    assert faults(caller.app) == []


def test_a_send_and_its_state_are_read_from_the_primary(caller, replicated):
    answer = caller.send()
    caller.work()
    caller.get(f"/api/invoices/{answer.json['invoiceId']}")

    assert replicated == []


def test_a_standby_that_is_behind_is_not_used(caller, standby, monkeypatch):
    """Lists have what it lacks; when it has caught up, it is used again."""
    monkeypatch.setattr(replica, "MAX_LAG", timedelta(seconds=0.2))
    say(standby, "SELECT pg_wal_replay_pause()")
    try:
        caller.send()
        time.sleep(0.4)
        behind, seen = faults(caller.app), numbers(caller)
    finally:
        say(standby, "SELECT pg_wal_replay_resume()")

    assert seen == 1
    assert len(behind) == 1
    assert "behind" in behind[0]
    until(replica_of(caller.app).is_usable)


def test_without_the_standby_lists_are_read_from_the_primary(caller, standby):
    caller.send()
    until(lambda: numbers(caller) == 1)
    standby.crash()
    try:
        seen, said = numbers(caller), faults(caller.app)
    finally:
        standby.start()

    assert seen == 1
    assert "does not answer" in said[0]
    until(replica_of(caller.app).is_usable)


def test_what_fails_on_the_standby_is_repeated_on_the_primary(app):
    """As a statement that is cancelled because the standby has to replay."""
    seen: list[bool] = []

    def read(connection: sa.Connection) -> int:
        seen.append(connection.execute(sa.text("SELECT pg_is_in_recovery()")).scalar_one())
        return connection.execute(sa.text(f"SELECT 1 / {0 if seen[-1] else 1}")).scalar_one()

    with app.app_context():
        until(replica_of(app).is_usable)
        assert db.read_replicated(read) == 1
    assert seen == [True, False]


def test_the_standby_is_asked_once_in_a_while(app, monkeypatch):
    """Requests between two questions use the last answer."""
    found = replica_of(app)
    until(found.is_usable)
    monkeypatch.setattr(replica, "CHECK_SECONDS", 60.0)
    found.is_usable()
    monkeypatch.setattr(found, "fault", lambda: "asked again")

    assert found.is_usable()


def test_a_replica_of_sqlite_is_refused():
    with pytest.raises(SettingsFault, match="needs PostgreSQL"):
        Settings(database_replica_url="postgresql://a/b").check()


def test_a_promoted_standby_is_not_used(caller, standby):
    """It has writes of its own, or misses those of the primary. The last test of this standby."""
    caller.send()
    until(lambda: numbers(caller) == 1)
    say(standby, "SELECT pg_promote()")

    assert numbers(caller) == 1
    assert "not a standby" in faults(caller.app)[0]
