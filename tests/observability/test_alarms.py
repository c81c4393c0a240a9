"""What stops deliveries for hours raises an alert, with a real Prometheus, PostgreSQL and Redis.

`deploy/trials/alarms` runs this. An hour of a rule is a second here, and no rule waits before it
fires: a network that answers nothing, a database that takes no writes, a Redis that is full.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

import einvoice_loopback
from einvoice.app import create_app
from einvoice.cli.processes import Children
from einvoice.cli.stack import Stack
from einvoice.config import Settings
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import claims, credentials, tenants
from einvoice.services.caches import Caches
from tests import databases, servers
from tests.architecture.test_alerts import DIRECTORY
from tests.observability.prometheus import Prometheus
from tests.ports import free_port
from tests.sandbox import SENDER
from tests.waiting import until
from tests.web.integrator import Integrator, command

pytestmark = pytest.mark.long

ANSWERED_AFTER_A_MINUTE = "0088:9520000000011"


class Service:
    """The whole service with the Prometheus that watches it."""

    def __init__(self, stack: Stack, prometheus: Prometheus, database: str) -> None:
        self.stack, self.prometheus, self.database = stack, prometheus, database
        app, test = (
            create_app(Settings.from_env(stack.environ), plugins=[einvoice_loopback]),
            (Environment.TEST),
        )
        with app.app_context():
            tenant = tenants.create("Watched tenant")
            claims.assign(tenant, test, ParticipantId.parse(SENDER), Caches())
            key = credentials.create(API_KEY, tenant, "erp", test).secret
        databases.let_go(app)
        self.integrator = Integrator(stack, key)

    @property
    def redis(self) -> redis.Redis:
        return redis.Redis.from_url(self.stack.environ["EINVOICE_REDIS_URL"])

    def refuse_writes(self, *, refused: bool) -> None:
        """Let every new session of the database read only, and end those that there are."""
        with psycopg.connect(self.database, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            value = "on" if refused else "off"
            connection.execute(
                f"ALTER DATABASE postgres SET default_transaction_read_only = {value}".encode()
            )
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    def told(self, alert: str) -> None:
        """Wait until the operator is told."""
        until(lambda: alert in self.prometheus.firing(), pause=0.5)

    def told_no_more(self, alert: str) -> None:
        until(lambda: alert not in self.prometheus.firing(), pause=0.5)


def hurried(rules: str) -> str:
    """Rules that do not wait, and for which a second is as an hour."""
    at_once = re.sub(r"for: \d+[mh]", "for: 0s", rules)
    return at_once.replace("> 3600", "> 1").replace("> 21600", "> 6")


@pytest.fixture(scope="module")
def service(commands_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    if shutil.which("prometheus") is None:
        pytest.skip("prometheus is not installed: apt-get install prometheus")
    directory, target = tmp_path_factory.mktemp("alarms"), f"127.0.0.1:{free_port()}"
    rules = Path(directory / "alerts.yaml")
    rules.write_text(hurried((DIRECTORY / "alerts.yaml").read_text()))
    children = Children()
    with servers.postgresql() as database:
        environ = {
            "EINVOICE_DATABASE_URL": database,
            "EINVOICE_METRICS_LISTEN": target,
            "EINVOICE_LIMIT_GET": "100000",
            "EINVOICE_LIMIT_POST": "100000",
            "PYTHONPATH": commands_path,
        }
        stack = Stack(directory, f"127.0.0.1:{free_port()}", environ)
        command(stack, "db", "upgrade")
        try:
            with stack:
                prometheus = Prometheus(directory, target, children, rules)
                until(lambda: prometheus.values('up{job="einvoice"} == 1'), pause=0.3)
                yield Service(stack, prometheus, database)
        finally:
            children.stop()


def test_a_network_that_answers_nothing_for_hours_is_told(service: Service) -> None:
    """Until it answers."""
    assert service.integrator.send(ANSWERED_AFTER_A_MINUTE).status_code == 200
    service.told("EinvoiceDocumentsUnsettled")
    service.told_no_more("EinvoiceDocumentsUnsettled")


def test_a_full_redis_is_told(service: Service) -> None:
    service.redis.config_set("maxmemory-policy", "noeviction")
    service.redis.config_set("maxmemory", "1")
    service.told("EinvoiceRedisRefusesWrites")

    service.redis.config_set("maxmemory", "0")
    service.told_no_more("EinvoiceRedisRefusesWrites")


def test_a_database_that_takes_no_writes_is_told(service: Service) -> None:
    service.refuse_writes(refused=True)
    service.told("EinvoiceDatabaseRefusesWrites")

    service.refuse_writes(refused=False)
    service.told_no_more("EinvoiceDatabaseRefusesWrites")
