"""The lane plugins: from the relay through a worker of its own to the access point."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.network import samples
from einvoice.services.account import tenants
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Message, Notice
from jobs import worker
from jobs.queues import connect, queue
from jobs.relay import Relay
from jobs.table import LANES
from tests.networks.toll.answering import TollPostPlugin
from tests.waiting import until_equal
from tests.workers import await_calls

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
ROOT = Path(__file__).parents[2]


@pytest.mark.usefixtures("handlers")
def test_an_answer_goes_through_relay_and_workers_to_the_network(make_app, redis_url):
    """Received, judged, answered and delivered, with the outcome of the answer at the end."""
    plugin = TollPostPlugin()
    app = make_app(plugins=[plugin])
    for lane in LANES.values():
        queue(lane, connect(redis_url)).empty()
    with app.app_context():
        tenant = tenants.create("Acme")
        tenants.own_participant(tenant, Environment.TEST, samples.RECEIVER)
        relay = Relay(app, redis_url)
        plugin.post.inbox.deliver_inbound(samples.inbound(access_point=plugin.post.name))

        def round_of_lanes() -> tuple[int, list[str]]:
            relay.step()
            for lane in (outbox.PLUGINS, outbox.CHORES):
                worker.run(app, lane, redis_url, burst=True)
            await_calls()
            with db.reading() as connection:
                left = connection.execute(sa.select(sa.func.count(Notice.id))).scalar_one()
                statuses = list(connection.execute(sa.select(Message.status)).scalars())
            return left, statuses

        until_equal(round_of_lanes, (0, ["Delivered"]), pause=LANES[outbox.PLUGINS].every)

    assert [result.delivered for result in plugin.post.results] == [True]


def test_rows_gather_between_two_rounds_of_the_lane(make_app, redis_url, monkeypatch):
    """The first is handed out at once, those that come soon afterwards in one job."""
    plugin = TollPostPlugin()
    app = make_app(plugins=[plugin])
    jobs = queue(LANES[outbox.PLUGINS], connect(redis_url))
    jobs.empty()
    now = [clock.monotonic()]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    with app.app_context():
        tenants.own_participant(tenants.create("Acme"), Environment.TEST, samples.RECEIVER)
        relay, counts = Relay(app, redis_url), []
        for _ in range(4):
            plugin.post.inbox.deliver_inbound(samples.inbound(access_point=plugin.post.name))
            relay.step()
            counts.append(sum(len(job.args[0]) for job in jobs.jobs))
            now[0] += LANES[outbox.PLUGINS].every / 2.5

    # The first job also has the entry of the participant id in the directory of its network.
    assert counts == [2, 2, 2, 5]
    assert jobs.count == 3


ENDS_DURING_A_CALL = """
import threading, time
from einvoice.network.calls import Shares
from einvoice.services import plugin_calls
from einvoice.store.outbox import Held
from contextlib import nullcontext

def call(row):
    time.sleep(1.0)
    print("stored", flush=True)

plugin_calls.start(
    Shares(), [Held(1, "x", "slow")], "t", most=1, call=call, context=nullcontext
)
"""


def test_a_worker_that_stops_waits_for_its_calls(database_url):
    """What a call has found out is stored before the process ends."""
    began = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-c", ENDS_DURING_A_CALL],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert ended.stdout == "stored\n"
    assert time.monotonic() - began >= 1.0
