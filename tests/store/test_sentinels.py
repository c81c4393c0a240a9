"""Redis behind Sentinels: limits, relay and workers go on with the server that was promoted."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from redis import Redis
from redis.exceptions import RedisError

from einvoice.app import create_app
from einvoice.cli import embedded
from einvoice.cli.processes import Guard
from einvoice.config import Settings, SettingsFault
from einvoice.store import outbox
from einvoice.store.core import db, redis_servers
from einvoice.store.core.redis_connection import RedisConnection, RedisUnavailable
from einvoice.store.core.redis_servers import SentinelAddress
from einvoice.store.tables import Transmission
from jobs import worker
from jobs.relay import Relay
from tests.ports import free_port
from tests.waiting import until
from tests.web.caller import ASYNC, Caller

SERVICE = "einvoice"


class Servers:
    """A master, its replica and a Sentinel, on loopback."""

    def __init__(self, directory: Path, binary: Path) -> None:
        self._directory, self._binary, self._guard = directory, binary, Guard()
        self.master, self.replica, self._sentinel = free_port(), free_port(), free_port()
        self.url = f"sentinel://127.0.0.1:1,127.0.0.1:{self._sentinel}/{SERVICE}"
        self._running = [
            self._start(self.master),
            self._start(self.replica, "--replicaof", "127.0.0.1", str(self.master)),
        ]
        until_redis(
            lambda: (
                self._asked(self.replica, lambda r: r.info("replication"))["master_link_status"]
                == "up"
            )
        )
        settings = directory / "sentinel.conf"
        settings.write_text(
            f"sentinel monitor {SERVICE} 127.0.0.1 {self.master} 1\n"
            f"sentinel down-after-milliseconds {SERVICE} 500\n"
            f"sentinel failover-timeout {SERVICE} 3000\n"
        )
        self._running.append(self._start(self._sentinel, settings=settings))
        until_redis(lambda: self._asked(self._sentinel, lambda r: r.sentinel_slaves(SERVICE)))

    def _start(self, port: int, *options: str, settings: Path | None = None) -> subprocess.Popen:
        given = [str(settings), "--sentinel"] if settings else ["--save", ""]
        place = self._directory / str(port)
        place.mkdir()
        server = subprocess.Popen(
            [self._binary, *given, "--port", str(port), "--bind", "127.0.0.1", *options,
             "--dir", str(place)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self._guard.add(server.pid)

        def _answers() -> object:
            assert server.poll() is None, f"{server.args} ended with {server.returncode}"
            return self._asked(port, Redis.ping)

        until_redis(_answers)
        return server

    def _asked(self, port: int, question: Callable[[Redis], Any]) -> Any:
        with Redis(port=port, socket_timeout=2) as redis:
            return question(redis)

    def kill_master(self) -> None:
        self._running[0].kill()
        self._running[0].wait(30)
        self._guard.remove(self._running[0].pid)

    def stop(self) -> None:
        for server in self._running:
            server.kill()
            server.wait(30)
        self._guard.close()


def until_redis(condition: Callable[[], object]) -> None:
    """Wait until the condition is true; while Redis is away it is not."""
    until(condition, ignored=(RedisError, RedisUnavailable))


@contextmanager
def sentinel_servers(directory: Path) -> Iterator[Servers]:
    try:
        servers = Servers(directory, embedded.redis_binary())
    except embedded.NoRedis as fault:
        pytest.skip(str(fault))
    try:
        yield servers
    finally:
        servers.stop()


@pytest.mark.long
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_sends_are_handed_over_after_a_failover(make_app, tmp_path):
    """Without a restart: limits are counted again, relay and worker find the new master."""
    with sentinel_servers(tmp_path) as servers:
        app = make_app(redis_url=servers.url)
        caller = Caller(app)
        counted = RedisConnection(servers.url)
        until_redis(lambda: counted.command("SET", "known", "1"))
        with app.app_context():
            relay = Relay(app, servers.url)
            relay.step()
        servers.kill_master()
        until_redis(lambda: counted.command("SET", "known", "2"))
        caller.send(Prefer=ASYNC)
        with app.app_context():
            until_redis(lambda: outbox.count_leases(outbox.BULK) or relay.step())
            worker.run(app, outbox.BULK, servers.url, burst=True)
            with db.reading() as connection:
                phases = connection.execute(sa.select(Transmission.phase)).scalars().all()
        counted.close()
        redis_servers.disconnect(relay._redis)

    assert phases == ["pending"]


@pytest.mark.parametrize(
    ("url", "places", "options"),
    [
        ("sentinel://a,b:7/s", (("a", 26379), ("b", 7)), {"db": 0}),
        ("sentinel://:p%40@a/s?db=3", (("a", 26379),), {"db": 3, "password": "p@"}),
        (
            "sentinels://u:p@a:1/s",
            (("a", 1),),
            {"db": 0, "ssl": True, "username": "u", "password": "p"},
        ),
    ],
)
def test_the_url_names_sentinels_and_service(url, places, options):
    address = SentinelAddress.of(url)

    assert address is not None
    assert (address.places, address.service, address.options) == (places, "s", options)
    assert "password" not in address.sentinel


def test_the_url_of_one_server_names_no_sentinels():
    assert SentinelAddress.of("redis://a:6379/1") is None


def test_sentinels_without_a_service_are_refused(tmp_path):
    with pytest.raises(
        SettingsFault, match="EINVOICE_REDIS_URL: the URL of the Sentinels names no service"
    ):
        create_app(Settings(data_dir=str(tmp_path), redis_url="sentinel://a:26379"), plugins=[])
