"""Invoices to KSeF with faults and killed workers: nothing lost, no number given twice."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.store import db
from einvoice.store.tables import Artefact, Outbox, Transmission
from plugins.ksef.tests import company
from tests.networks import ksef
from tests.networks.ksef.authority import Authority
from tests.networks.test_ksef_service import Plugin, a_send, connect
from tests.web.caller import Caller

ROOT = Path(__file__).parents[2]
COUNT, BATCH = 300, 60
FAULTS = [("timeout", 0.02), ("gateway", 0.04), ("lost", 0.04), ("html", 0.01)]
BATCH_SECONDS = 240

WORKER = """
import sys, time, uuid
from datetime import timedelta
from einvoice import clock
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.network.hookspec import hookimpl
from einvoice.services.delivery import transmit
from einvoice.store import outbox
from einvoice.web.runtime import runtime_of
from einvoice_ksef.fa3.form import PROFILE
from einvoice_ksef.fa3.rules import RULES
from plugins.ksef.tests import company
from tests import databases
from tests.computing import InProcess

url, directory, authority, tenant = sys.argv[1:]

class Plugin:
    EINVOICE_INTERFACE = 2

    @hookimpl
    def einvoice_access_points(self, store):
        yield company.point_at(authority, store, timedelta(seconds=2))

    @hookimpl
    def einvoice_rule_sets(self):
        yield RULES

    @hookimpl
    def einvoice_profiles(self):
        yield PROFILE

settings = Settings(database_url=url, **{"data_dir": directory} | databases.ALONE)
app = create_app(settings, plugins=[Plugin()], computing=InProcess())
print("ready", flush=True)
lease = timedelta(seconds=30)
with app.app_context():
    while True:
        for lane in (outbox.INTERACTIVE, outbox.BULK, outbox.MAINTENANCE):
            token = uuid.uuid4().hex
            found = outbox.claim(lane, tenant, 40, token=token, now=clock.now(), lease=lease)
            transmit.advance([row.id for row in found], token, runtime_of(app))
        time.sleep(0.02)
"""


class Dice:
    """Draws the fault of each call but those of a login."""

    def __init__(self, seed: int) -> None:
        self._dice, self._lock = random.Random(seed), threading.Lock()

    def __call__(self, call: str) -> str | None:
        with self._lock:
            drawn = self._dice.random()
        if "/auth/" in call:
            return None
        for fault, share in FAULTS:
            if drawn < share:
                return fault
            drawn -= share
        return None


@pytest.fixture
def authority():
    return Authority(delay=timedelta(seconds=0.5))


@pytest.fixture
def service(authority):
    with ksef.running(authority) as running:
        yield running


@pytest.fixture
def seller(make_app, service, authority, tmp_path):
    caller = Caller(make_app([Plugin(service)], data_dir=str(tmp_path)))
    connect(caller, {"token": authority.issue_token(company.SELLER)})
    return caller


@pytest.fixture
def workers(seller, service, database_url, tmp_path):
    """A function that starts a worker, and one that kills it."""
    command = [sys.executable, "-c", WORKER, database_url, str(tmp_path), service.url]
    environ = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT}/plugins/ksef"}
    running = []

    def start():
        running.append(
            subprocess.Popen(
                [*command, seller.tenant], env=environ, cwd=ROOT, stdout=subprocess.PIPE
            )
        )
        running[-1].stdout.readline()

    def kill():
        worker = running.pop(0)
        worker.kill()
        worker.wait()
        worker.stdout.close()
        with seller.app.app_context(), db.writing() as connection:  # as if its leases had ended
            connection.execute(sa.update(Outbox).values(token=None, lease_until=None))

    yield start, kill
    while running:
        kill()


def settled(seller) -> Counter[str]:
    with seller.app.app_context(), db.reading() as connection:
        query = sa.select(Transmission.status, sa.func.count()).group_by(Transmission.status)
        return Counter(dict(tuple(row) for row in connection.execute(query)))


def repeat_for_a_day(seller) -> None:
    """As in live; documents of the sandbox are repeated for two minutes."""
    with seller.app.app_context(), db.writing() as connection:
        tomorrow = clock.now() + timedelta(days=1)
        connection.execute(sa.update(Transmission).values(retry_until=tomorrow))


def kept(seller, kind) -> int:
    with seller.app.app_context(), db.reading() as connection:
        query = sa.select(sa.func.count(sa.distinct(Artefact.transmission_id)))
        return int(connection.execute(query.where(Artefact.kind == kind)).scalar_one())


def until(condition, seconds) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.2)


@pytest.mark.long
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_no_invoice_is_lost_or_has_two_numbers(seller, authority, service, workers):
    """A tenth of all calls fails; two workers, one of which is killed for every 60 invoices."""
    start, kill = workers
    service.faults = Dice(18)
    start()
    start()
    for batch in range(COUNT // BATCH):
        for number in range(BATCH):
            sent = seller.send(a_send(f"FV/{batch}/{number}"))
            assert sent.status_code == 200, sent.text
        repeat_for_a_day(seller)
        until(lambda goal=batch * BATCH + BATCH // 2: len(authority.archive) >= goal, 60)
        kill()
        start()
        goal = (batch + 1) * BATCH
        until(lambda goal=goal: settled(seller)["Delivered"] >= goal, BATCH_SECONDS)
    service.faults = lambda call: None
    until(lambda: kept(seller, "AUTHORITY_RECEIPT") >= COUNT, 180)

    assert settled(seller) == {"Delivered": COUNT}
    assert len(authority.archive) == COUNT
    assert kept(seller, "AUTHORITY_DOCUMENT") == kept(seller, "AUTHORITY_RECEIPT") == COUNT
    assert authority.limits.refusals == []
