"""1,000 uploads to RO e-Factura with faults and killed workers: nothing lost, nothing twice."""

from __future__ import annotations

import os
import random
import statistics
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
from plugins.anaf.tests import company
from tests.networks import anaf
from tests.networks.anaf.authority import Authority
from tests.networks.anaf.judging import by_own_rules
from tests.networks.test_anaf import Plugin, a_send, connect
from tests.web.caller import Caller

ROOT = Path(__file__).parents[2]
COUNT, BATCH = 1_000, 100
FAULTS = [("timeout", 0.05), ("gateway", 0.05), ("lost", 0.02)]
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
from einvoice_anaf import form
from einvoice_anaf.access_point import RoEfactura, Timing
from plugins.anaf.tests import company
from tests import databases
from tests.computing import InProcess

url, directory, authority, tenant = sys.argv[1:]
timing = Timing(timedelta(seconds=1), timedelta(seconds=15), timedelta(0))

class Plugin:
    EINVOICE_INTERFACE = 2

    @hookimpl
    def einvoice_access_points(self, store):
        yield RoEfactura(company.side_at(authority), store, timing)

    @hookimpl
    def einvoice_profiles(self):
        yield form.PROFILE

settings = Settings(database_url=url, **{"data_dir": directory} | databases.ALONE)
app = create_app(settings, plugins=[Plugin()], computing=InProcess())
print("ready", flush=True)
lease = timedelta(seconds=30)
with app.app_context():
    while True:
        for lane in (outbox.INTERACTIVE, outbox.BULK, outbox.MAINTENANCE):
            token = uuid.uuid4().hex
            found = outbox.claim(lane, tenant, 24, token=token, now=clock.now(), lease=lease)
            transmit.advance([row.id for row in found], token, runtime_of(app))
        time.sleep(0.02)
"""


class Dice:
    """Draws the fault of each call."""

    def __init__(self, seed: int) -> None:
        self._dice, self._lock = random.Random(seed), threading.Lock()

    def __call__(self, call: str) -> str | None:
        with self._lock:
            drawn = self._dice.random()
        for fault, share in FAULTS:
            if drawn < share:
                return fault
            drawn -= share
        return None


@pytest.fixture
def authority():
    return Authority(delay=timedelta(seconds=0.5), judge=by_own_rules)


@pytest.fixture
def service(authority):
    with anaf.running(authority) as running:
        yield running


@pytest.fixture
def seller(make_app, service, authority, tmp_path):
    caller = Caller(make_app([Plugin(service)], data_dir=str(tmp_path)))
    connect(caller, authority, company.SELLER)
    return caller


@pytest.fixture
def workers(seller, service, database_url, tmp_path):
    """A function that starts a worker, and one that kills it."""
    command = [sys.executable, "-c", WORKER, database_url, str(tmp_path), service.url]
    environ = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT}/plugins/anaf"}
    running = []

    def start():
        running.append(
            subprocess.Popen(
                [*command, seller.tenant], env=environ, cwd=ROOT, stdout=subprocess.PIPE
            )
        )
        running[-1].stdout.readline()

    def kill():
        worker = running.pop()
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


def originals(seller) -> int:
    with seller.app.app_context(), db.reading() as connection:
        query = sa.select(sa.func.count(sa.distinct(Artefact.transmission_id)))
        found = query.where(Artefact.kind == "AUTHORITY_DOCUMENT", Artefact.legal_original)
        return int(connection.execute(found).scalar_one())


def until(condition, seconds) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.2)


@pytest.mark.long
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_no_upload_is_lost_or_made_twice(seller, authority, service, workers, record_property):
    """5 % time-outs, 5 % faults of the gateway, 2 % lost answers; a worker killed every 100."""
    start, kill = workers
    service.faults = Dice(18)
    start()
    for batch in range(COUNT // BATCH):
        for number in range(BATCH):
            answer = seller.send(a_send(number=f"RO-{batch}-{number}"))
            assert answer.status_code == 200, answer.text
        repeat_for_a_day(seller)
        until(lambda goal=batch * BATCH + BATCH // 2: len(authority.uploads) >= goal, 60)
        kill()
        start()
        goal = (batch + 1) * BATCH
        until(lambda goal=goal: settled(seller)["Delivered"] >= goal, BATCH_SECONDS)
    service.faults = lambda call: None
    until(lambda: originals(seller) >= COUNT, 300)
    kill()

    assert settled(seller) == {"Delivered": COUNT}
    contents = Counter(each.document for each in authority.uploads.values())
    assert len(contents) == COUNT
    assert [count for count in contents.values() if count > 1] == []
    assert originals(seller) == COUNT
    figures = measured(authority)
    record_property("figures", str(figures))
    assert figures["median"] <= 3
    assert figures["most in a minute"] <= 1_000
    assert figures["most downloads of a file"] <= 10


def measured(authority) -> dict[str, float]:
    """Calls of a document in the median, of the busiest minute, and downloads of a file."""
    of_document = Counter()
    files = {each.file_id: each.index for each in authority.uploads.values()}
    for _, _, of in authority.calls:
        of_document[files.get(of, of)] += 1
    times = [at for at, _, _ in authority.calls]
    busiest, first = 0, 0
    for last, at in enumerate(times):
        while at - times[first] > timedelta(minutes=1):
            first += 1
        busiest = max(busiest, last - first + 1)
    downloads = [n for (what, *_), n in authority.counts.items() if what == "file"]
    return {
        "calls": len(times),
        "median": 1 + statistics.median(of_document[index] for index in authority.uploads),
        "most in a minute": busiest,
        "most downloads of a file": max(downloads),
    }
