"""A job of the lane bulk goes on with what comes next in the sequences of its documents."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from einvoice.services.account import tenants
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Transmission
from einvoice.web.runtime import runtime_of
from jobs import worker
from jobs.queues import connect, queue
from jobs.relay import Relay
from jobs.table import LANES
from tests.builders import accepted
from tests.networks.toll.chain import ChainPlugin
from tests.services.delivery.sending_by_connection import a_connection

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.mark.usefixtures("handlers")
def test_one_job_sends_a_whole_sequence(make_app, redis_url):
    """What it leased first is one document: the relay has handed out no other."""
    toll = ChainPlugin()
    app = make_app(plugins=[toll])
    for lane in LANES.values():
        queue(lane, connect(redis_url)).empty()
    with app.app_context():
        tenant = tenants.create("Acme")
        connection = a_connection(tenant, runtime_of(app), toll)
        for number in range(3):
            accepted(
                tenant, access_point="toll-clearance-test", connection_id=connection.id,
                sequence_key="A", number=f"A-{number}",
            )  # fmt: skip
        Relay(app, redis_url).step()
        worker.run(app, outbox.BULK, redis_url, burst=True)
        with db.reading() as found:
            statuses = list(found.execute(sa.select(Transmission.status)).scalars())

    assert statuses == ["Delivered"] * 3
    assert toll.authority.faults == []
