"""/readyz: a write where one is promised, and an answer within its deadline whatever hangs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask
from redis import Redis
from sqlalchemy.engine import make_url

from einvoice import clock
from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from einvoice.services import readiness
from einvoice.store.core.db import db
from einvoice.store.core.resources import resources_of
from einvoice.web.admission import slots
from tests import silent
from tests.silent import StallingProxy
from tests.waiting import until_equal
from tests.web.caller import Caller, slug

Build = Callable[..., Flask]
on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
# A database that refuses rows as one on a full disk does.
_FULL = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
END $$;
CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON service_states EXECUTE FUNCTION refuse();
CREATE TRIGGER refuse BEFORE INSERT ON invoices EXECUTE FUNCTION refuse();
"""

_READ_ONLY = """
DO $$ BEGIN
  EXECUTE 'ALTER DATABASE ' || quote_ident(current_database())
    || ' SET default_transaction_read_only = on';
END $$
"""

_WRITABLE = """
DO $$ BEGIN
  EXECUTE 'ALTER DATABASE ' || quote_ident(current_database())
    || ' RESET default_transaction_read_only';
END $$;
DROP FUNCTION IF EXISTS refuse CASCADE
"""


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine who is slow does not hang."""
    monkeypatch.setattr(readiness, "DEADLINE_SECONDS", 60.0)


@pytest.fixture
def proxy(database_url: str) -> Iterator[StallingProxy]:
    with silent.stalling(
        f"{make_url(database_url).query['host']}/.s.PGSQL.{_port(database_url)}"
    ) as one:
        yield one


def _port(url: str) -> object:
    return make_url(url).query.get("port", "5432")


@pytest.fixture
def behind(make_app: Build, database_url: str, proxy: StallingProxy, redis_url: str) -> Flask:
    """The application whose database is behind the proxy."""
    parts = make_url(database_url)
    url = f"postgresql://{parts.username}@127.0.0.1:{proxy.port}/{parts.database}"
    return make_app(database_url=url, redis_url=redis_url)


def report(app: Flask) -> tuple[int, dict[str, str]]:
    answer = app.test_client().get("/readyz")
    return answer.status_code, answer.json


def change(statement: str) -> None:
    """Change the database for the connections that are opened afterwards."""
    with db.engine.begin() as connection:
        connection.exec_driver_sql("SET TRANSACTION READ WRITE")
        connection.exec_driver_sql(statement)
    db.engine.dispose()


@on_postgresql
@pytest.mark.parametrize(
    ("statement", "found", "words"),
    [
        (_FULL, "full", "The disk of our database is full"),
        (
            _READ_ONLY,
            "read-only",
            "Our database takes no changes",
        ),
    ],
    ids=["full", "read-only"],
)
def test_a_database_that_refuses_writes_is_not_ready_and_says_why(
    app: Flask, statement: str, found: str, words: str
) -> None:
    """Neither a send nor /readyz calls it an answer that did not come in time."""
    caller = Caller(app)
    body = caller.body()
    change(statement)
    answer, ready = caller.send(body), report(app)
    change(_WRITABLE)

    assert ready == (
        503, {"status": "unavailable", "database": found, "schema": "current"}
    )  # fmt: skip
    assert (slug(answer), answer.status_code) == ("database-unavailable", 503)
    assert answer.json["detail"].startswith(words)
    assert int(answer.headers["Retry-After"]) > 0


@on_sqlite
def test_a_disk_without_room_beside_sqlite_is_full(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = readiness.probe.shutil.disk_usage("/")._replace(free=1024**2 - 1)
    monkeypatch.setattr(readiness.probe.shutil, "disk_usage", lambda _: usage)

    assert report(app)[1]["database"] == "full"


@on_postgresql
def test_the_database_is_written_to_once_in_five_seconds(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often a load balancer asks."""
    began = clock.monotonic()
    noted = sa.text("SELECT noted_at FROM service_states WHERE name = 'readiness'")
    found = []
    for seconds in (0.0, 4.9, 5.1):
        monkeypatch.setattr(clock, "monotonic", lambda at=began + seconds: at)
        assert report(app)[0] == 200
        with db.engine.connect() as connection:
            found.append(connection.execute(noted).scalar_one())

    assert found[0] == found[1] < found[2]


@on_postgresql
def test_readiness_has_its_deadline_if_the_database_hangs(
    behind: Flask, proxy: StallingProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an open connection and with a new one; it is ready when the database answers again."""
    before = report(behind)
    proxy.flows.clear()
    monkeypatch.setattr(readiness, "DEADLINE_SECONDS", 0.3)
    began = time.monotonic()
    hanging = [report(behind) for _ in range(4)]
    took = time.monotonic() - began
    proxy.flows.set()
    monkeypatch.setattr(readiness, "DEADLINE_SECONDS", 60.0)

    assert before[0] == 200
    assert hanging == [(503, {"status": "unavailable", "database": "down"})] * 4
    assert took < 4 * readiness.DEADLINE_SECONDS + 5
    until_equal(lambda: report(behind)[0], 200)


@on_postgresql
def test_threads_that_ask_do_not_gather_while_the_database_hangs(
    behind: Flask, proxy: StallingProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks joins the thread that waits."""
    report(behind)
    proxy.flows.clear()
    monkeypatch.setattr(readiness, "DEADLINE_SECONDS", 0.2)
    asking = [threading.Thread(target=report, args=(behind,)) for _ in range(20)]
    for each in asking:
        each.start()
    most = sum(thread.name == "readiness" for thread in threading.enumerate())
    for each in asking:
        each.join(30)

    assert most <= 1
    assert not any(each.is_alive() for each in asking)
    until_equal(lambda: any(t.name == "readiness" for t in threading.enumerate()), False)


@on_postgresql
def test_readiness_needs_no_computing_slot_and_no_connection_of_the_pool(
    behind: Flask, proxy: StallingProxy
) -> None:
    """Requests that wait for the database have all of them while it hangs."""
    with behind.app_context():
        taken = [db.engine.connect() for _ in range(32)]
    try:
        for _ in range(slots.MAX_COMPUTING):
            slots._slots.acquire("a")
        assert report(behind)[0] == 200
    finally:
        for _ in range(slots.MAX_COMPUTING):
            slots._slots.release("a")
        for each in taken:
            each.close()


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[str]:
    """A Redis server of the test's own."""
    children = Children()
    try:
        yield start_redis(children, tmp_path)
    finally:
        children.stop()


@on_sqlite
@pytest.mark.usefixtures("redis_url")  # patience
def test_a_full_redis_is_degraded_and_named(make_app: Build, redis: str) -> None:
    app = make_app(redis_url=redis)
    before = report(app)
    Redis.from_url(redis).config_set("maxmemory", 1)
    full = report(app)
    Redis.from_url(redis).config_set("maxmemory", 0)

    assert (before[0], before[1]["status"], before[1]["redis"]) == (200, "ok", "up")
    assert (full[0], full[1]["status"], full[1]["redis"]) == (200, "degraded", "full")
    assert report(app) == before


@on_sqlite
@pytest.mark.usefixtures("redis_url")  # patience
def test_a_redis_that_takes_no_writes_is_degraded(make_app: Build, redis: str) -> None:
    """As one that must not lose data and has too few replicas."""
    app = make_app(redis_url=redis)
    Redis.from_url(redis).config_set("min-replicas-to-write", 1)

    assert report(app)[1]["redis"] == "read-only"


@on_sqlite
def test_a_redis_that_hangs_is_down(make_app: Build, redis: str, tmp_path: Path) -> None:
    path = redis.removeprefix("unix://").partition("?")[0]
    with silent.stalling(path) as proxy:
        app = make_app(redis_url=f"redis://127.0.0.1:{proxy.port}")
        until_equal(lambda: report(app)[1]["redis"], "up")
        proxy.flows.clear()
        hanging = report(app)
        resources_of(app).close()

    assert (hanging[0], hanging[1]["redis"]) == (200, "down")
