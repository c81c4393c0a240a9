"""The dashboard and the alerting rules on data that Prometheus has scraped from the service.

`deploy/trials/monitoring` runs this with Debian's Prometheus: the whole service, with sends that
succeed, fail and need an operator, refused requests, webhooks, PDFs, received documents and an
archive with a missing object.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator

import pytest
import requests

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
from einvoice.services.webhooks import endpoints
from tests import databases
from tests.architecture.test_alerts import DIRECTORY, RULES
from tests.architecture.test_dashboard import EXPRESSIONS, PANELS, VALUES
from tests.observability.prometheus import Prometheus
from tests.ports import free_port
from tests.sandbox import SENDER
from tests.services.webhooks.fixtures import receiving
from tests.waiting import becomes, until, until_equal
from tests.web.integrator import EVENTS, Integrator, command

pytestmark = pytest.mark.long

OF_PANELS = {target["expr"] for panel in PANELS for target in panel["targets"]}
ROUNDS = 3
PAUSE_SECONDS = 3.0
DELIVERED, REFUSED, FAILED = "0088:9520000000004", "0088:9520000000059", "0088:9520000000035"
UNKNOWN, SENDS_BACK = "0088:9520000000073", "0088:9520000000127"

# Panels that have no data here, and why.
WITHOUT_DATA = {
    "Messages by outcome": "the simulator sends no messages without an invoice",
    "Time to the answering message (p95)": "the simulator answers no documents with messages",
    "Notices to access points": "the simulator asks for no notices",
    "Checks of connections": "the simulator needs no accounts",
    "Fetches from mailboxes": "the simulator has no mailboxes",
    "Clock of the database": "SQLite has none",
    "Age of the last backup": "none is made",
    "Age of the last archived WAL": "SQLite has none",
    "Certificates: time left": "doctor does not run",
    "Findings of einvoice doctor": "doctor does not run",
    "Refused computations and ended processes": "none is refused, and processes end after minutes",
}
# Alerts for what is done here on purpose; any other would be false.
EXPECTED_ALERTS = {"EinvoiceOperatorNeeded", "EinvoiceArchiveDamaged"}


def of_panel(expression: str) -> str:
    """An expression as Grafana sends it."""
    for variable, value in VALUES.items():
        expression = expression.replace(variable, value)
    return expression


class Scenario:
    """What happens in the service while it is scraped."""

    def __init__(self, stack: Stack, hook: str) -> None:
        self.stack = stack
        settings = Settings.from_env(stack.environ)
        app, test = create_app(settings, plugins=[einvoice_loopback]), Environment.TEST
        with app.app_context():
            tenant = tenants.create("Scraped tenant")
            claims.assign(tenant, test, ParticipantId.parse(SENDER), Caches())
            key, limited = (
                credentials.create(API_KEY, tenant, name, test) for name in ("erp", "limited")
            )
            credentials.limit(API_KEY, tenant, limited.record.id, 1, None)
            endpoints.create(tenant, test, url=hook, event_types=EVENTS, settings=settings)
        databases.let_go(app)
        self.integrator, self.limited = Integrator(stack, key.secret), limited.secret

    def round(self) -> None:
        sent = [self.integrator.send(one) for one in (DELIVERED, DELIVERED, REFUSED, FAILED)]
        invoice = sent[0].json()["invoiceId"]
        assert self.integrator.get(f"/api/invoices/{invoice}/pdf").status_code == 200
        self._get("no-such-key")
        for _ in range(2):
            limited = self._get(self.limited)
        assert limited.status_code == 429

    def _get(self, key: str) -> requests.Response:
        url = f"{self.stack.url}/api/invoices"
        return requests.get(url, headers={"x-api-key": key}, timeout=30)

    def archive(self) -> None:
        """Move what is final, read it, then lose an object and read it again."""
        sent = self.integrator.send(DELIVERED).json()["invoiceId"]
        until_equal(lambda: self.integrator.end(sent)[0], "Delivered", pause=0.3)
        command(self.stack, "archive", "move")
        path = f"/api/invoices/{sent}/artefacts"
        item = next(i for i in self.integrator.get(path).json()["items"] if i["type"] == "UBL")
        read = f"{path}/{item['artefactId']}"
        for _ in range(ROUNDS):
            assert self.integrator.get(read).status_code == 200
            time.sleep(PAUSE_SECONDS / 2)
        for kept in (self.stack.data_dir / "archive").rglob("*.gz"):
            kept.unlink()
        assert self.integrator.get(read).status_code == 500


@pytest.fixture(scope="module")
def prometheus(commands_path, tmp_path_factory) -> Iterator[Prometheus]:
    """Prometheus with the data of a service in which all of the scenario has happened."""
    if shutil.which("prometheus") is None:
        pytest.skip("prometheus is not installed: apt-get install prometheus")
    directory, target = tmp_path_factory.mktemp("scraped"), f"127.0.0.1:{free_port()}"
    (directory / "archive").mkdir()
    environ = {
        "EINVOICE_WEBHOOK_ALLOW_PRIVATE": "true",
        "EINVOICE_METRICS_LISTEN": target,
        "EINVOICE_LIMIT_GET": "100000",
        "EINVOICE_LIMIT_POST": "100000",
        "EINVOICE_RETRY_FOR_TEST": "0",  # a submission without an answer needs an operator
        "EINVOICE_ARCHIVE_STORE": "directory",
        "EINVOICE_ARCHIVE_DIRECTORY": str(directory / "archive"),
        "EINVOICE_ARCHIVE_AFTER_DAYS": "0",
        "PYTHONPATH": commands_path,
    }
    children = Children()
    stack = Stack(directory, f"127.0.0.1:{free_port()}", environ)
    command(stack, "db", "upgrade")
    try:
        with receiving() as hook, stack:
            one = Prometheus(directory, target, children, DIRECTORY / "alerts.yaml")
            until(lambda: one.values('up{job="einvoice"} == 1'), pause=0.3)
            scenario = Scenario(stack, hook.url)
            scenario.integrator.send(UNKNOWN)
            scenario.integrator.send(SENDS_BACK)
            for _ in range(ROUNDS):
                scenario.round()
                time.sleep(PAUSE_SECONDS)
            scenario.archive()
            becomes(lambda: one.firing() >= EXPECTED_ALERTS, seconds=60, pause=0.3)
            yield one
    finally:
        children.stop()


def test_every_panel_has_data(prometheus: Prometheus) -> None:
    """Each of its expressions returns a number, but for panels with a reason."""
    reads = {True: prometheus.values, False: prometheus.graph}
    empty = {
        panel["title"]: target["expr"]
        for panel in PANELS
        for target in panel["targets"]
        if not reads[target.get("instant", False)](of_panel(target["expr"]))
    }

    assert empty.keys() == WITHOUT_DATA.keys(), json.dumps(empty, indent=2)


def test_the_instances_of_the_dashboard_are_found(prometheus: Prometheus) -> None:
    """The expression of its variable returns the address that is scraped."""
    [expression] = [e for e in EXPRESSIONS if e not in OF_PANELS]
    [found] = prometheus.get("query", query=of_panel(expression))["result"]

    assert re.fullmatch(r"127\.0\.0\.1:\d+", found["metric"]["instance"])


def test_every_alerting_rule_is_evaluated(prometheus: Prometheus) -> None:
    [group] = prometheus.get("rules")["groups"]

    assert {rule["name"] for rule in group["rules"]} == {rule["alert"] for rule in RULES}
    assert {rule["health"] for rule in group["rules"]} == {"ok"}


def test_the_first_document_that_needs_an_operator_raises_the_alert(prometheus: Prometheus) -> None:
    """And the first object that is missing; nothing else is wrong with the service."""
    assert prometheus.firing() == EXPECTED_ALERTS
