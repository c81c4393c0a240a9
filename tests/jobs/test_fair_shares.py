"""Tenants share the workers: a batch of one does not delay the others."""

from __future__ import annotations

from collections import Counter

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice.services.account import tenants
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.sending import acceptance
from einvoice.store.tables import Outbox
from jobs.queues import connect, queue
from jobs.relay import Relay
from jobs.table import LANES
from tests.builders import new_send

BULK = LANES[outbox.BULK]


@pytest.fixture
def relay(app: Flask, redis_url: str) -> Relay:
    queue(BULK, connect(redis_url)).empty()
    return Relay(app, redis_url)


def handed_out(redis_url: str) -> list[Counter[str]]:
    """The number of rows per tenant, for each job of the lane in order."""
    query = sa.select(Outbox.id, Outbox.tenant_id)
    with db.reading() as connection:
        owner = {row.id: row.tenant_id for row in connection.execute(query)}
    jobs = queue(BULK, connect(redis_url)).jobs
    return [Counter(owner[row] for row in job.args[0]) for job in jobs]


def test_the_first_job_holds_a_share_for_every_tenant(
    app: Flask, relay: Relay, redis_url: str
) -> None:
    """300 rows of one tenant are older; three of another are in the first job of a hundred."""
    big, small = tenants.create("Big"), tenants.create("Small")
    acceptance.accept_many([new_send(big) for _ in range(300)])
    acceptance.accept_many([new_send(small) for _ in range(3)])
    relay.step()
    first = handed_out(redis_url)[0]

    assert (first[big], first[small]) == (BULK.batch - 3, 3)


def test_of_many_tenants_each_has_its_turn(app: Flask, relay: Relay, redis_url: str) -> None:
    """Ten tenants with fifty each: the first hundred are ten of each."""
    everybody = [tenants.create(f"Tenant {n}") for n in range(10)]
    for tenant in everybody:
        acceptance.accept_many([new_send(tenant) for _ in range(50)])
    relay.step()
    first = handed_out(redis_url)[0]

    assert first == Counter(dict.fromkeys(everybody, 10))


def test_a_tenant_alone_has_all_the_workers(app: Flask, relay: Relay, redis_url: str) -> None:
    """Without other tenants, a job is filled with the rows of one."""
    tenant = tenants.create("Alone")
    acceptance.accept_many([new_send(tenant) for _ in range(150)])
    relay.step()

    assert [sum(job.values()) for job in handed_out(redis_url)] == [BULK.batch, 50]


def test_work_that_only_a_newer_version_knows_takes_no_place(
    app: Flask, relay: Relay, redis_url: str
) -> None:
    """As after going back to the release before: older rows of a kind that it does not have."""
    tenant = tenants.create("Ahead")
    acceptance.accept_many([new_send(tenant) for _ in range(250)])
    with db.writing() as connection:
        connection.execute(sa.update(Outbox).values(kind="future"))
    acceptance.accept_many([new_send(tenant)])
    for _ in range(2):
        relay.step()
    with db.reading() as connection:
        waiting = connection.execute(
            sa.select(sa.func.count()).where(Outbox.kind == "future", Outbox.token.is_(None))
        ).scalar_one()

    assert handed_out(redis_url) == [Counter({tenant: 1})]
    assert waiting == 250
