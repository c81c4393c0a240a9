"""Several hosts in the URL of the database: the service goes on with the one that was promoted."""

from __future__ import annotations

import psycopg
import pytest

import einvoice_loopback
from einvoice.app import create_app
from einvoice.config import Settings, SettingsFault
from einvoice.store.core import db
from einvoice.store.installation import schema_revisions
from tests import databases, servers
from tests.ports import free_port
from tests.waiting import until_equal
from tests.web.caller import Caller


def on_loopback(port: int) -> tuple[str, ...]:
    return ("-c", "listen_addresses=127.0.0.1", "-c", f"port={port}")


@pytest.mark.long
def test_sends_go_on_when_the_standby_is_promoted(tmp_path):
    """Without a restart; what was accepted before is there."""
    ports = free_port(), free_port()
    hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
    url = f"postgresql://einvoice@{hosts}/postgres?target_session_attrs=read-write"
    with (
        servers.cluster(on_loopback(ports[0])) as primary,
        servers.cluster(on_loopback(ports[1]), primary) as standby,
    ):
        settings = Settings(data_dir=str(tmp_path), database_url=url, **databases.ALONE)
        app = create_app(settings, plugins=[einvoice_loopback])
        with app.app_context():
            schema_revisions.upgrade()
        caller = Caller(app)
        body = caller.body()
        before = [caller.send(body).status_code for _ in range(3)]
        _until_replayed(primary.url, standby.url)
        primary.crash()
        with psycopg.connect(standby.url, autocommit=True) as connection:
            connection.execute("SELECT pg_promote()")
        until_equal(lambda: caller.get("/readyz").status_code, 200)
        # 503 by a connection that was used a moment ago: it is not asked before its use.
        until_equal(lambda: caller.send(body).status_code, 200)
        until_equal(lambda: caller.get("/api/invoices?include=total").json.get("total"), 4)
        databases.let_go(app)
        primary.start()

    assert before == [200] * 3


def _until_replayed(primary: str, standby: str) -> None:
    with psycopg.connect(primary, autocommit=True) as connection:
        [(position,)] = connection.execute("SELECT pg_current_wal_flush_lsn()::text").fetchall()
    with psycopg.connect(standby, autocommit=True) as connection:
        reached = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
        until_equal(lambda: connection.execute(reached, (position,)).fetchone(), (True,))


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("postgresql://u:p@a:1,b:2/d", "a,b", "1,2"),
        ("postgres://u@a,b/d?connect_timeout=3", "a,b", "5432,5432"),
        ("postgresql+psycopg://u:p%40%2C@a,b:2/d", "a,b", "5432,2"),
        ("postgresql://u:p@a:1/d", None, None),
    ],
)
def test_hosts_and_ports_are_given_to_libpq(url, host, port):
    """A host without a port has PostgreSQL's; other parts of the URL stay."""
    assert db.is_url(url)

    made = db.sa.make_url(db._with_driver(url))

    assert (made.query.get("host"), made.query.get("port")) == (host, port)
    assert (made.database, made.username) == ("d", "u")
    assert made.password == (None if ":p" not in url else "p@," if "%40" in url else "p")


@pytest.mark.parametrize(
    "url", ["postgresql://u:p@ss@a:1,b:2/d", "postgresql://u:p@a:x/d", "postgresql", "a:1,b:2"]
)
def test_what_is_no_url_of_a_database_stops_the_start(url, tmp_path):
    """Also with several hosts."""
    settings = Settings(data_dir=str(tmp_path), database_url=url, **databases.ALONE)

    with pytest.raises(SettingsFault, match="EINVOICE_DATABASE_URL"):
        create_app(settings, plugins=[])
