"""Connections are checked by schedule, one check of each at a time."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.network import calls
from einvoice.services import plugin_calls
from einvoice.services.connections import accounts, periodic
from einvoice.services.connections.accounts import NewConnection
from einvoice.store import outbox
from einvoice.store.connections import connections as stored
from einvoice.store.core import db
from einvoice.store.tables import Connection, Outbox
from tests.crashes import crash_before
from tests.waiting import becomes
from tests.workers import LEASE, await_calls, claimed

HOURS = timedelta(hours=1)
ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def connected(tenant, runtime, account="RO1"):
    given = {"user": "toll", "password": "hunter2-secret"}
    new = NewConnection(Environment.TEST, "toll-station", account, credentials=given)
    return accounts.create(tenant, new, runtime)


def work(tenant, runtime) -> int:
    """Check what is due, as a worker does; how many rows were due."""
    ids, token = claimed(outbox.PLUGINS, tenant)
    periodic.run(ids, token, runtime)
    await_calls()
    return len(ids)


def due_in() -> list[timedelta]:
    with db.reading() as connection:
        rows = connection.execute(sa.select(Outbox.due_at).order_by(Outbox.due_at)).scalars()
        return [due - clock.now() for due in rows]


def test_a_connection_is_checked_at_its_interval(app, tenant, runtime, toll, move):
    """The first time within an interval, then an interval later, give or take a tenth."""
    connected(tenant, runtime)
    periodic.schedule(runtime)
    periodic.schedule(runtime)
    (first,) = due_in()
    assert timedelta(0) <= first <= 6 * HOURS
    calls_before = len(toll.station.calls)

    move(hours=6)
    assert work(tenant, runtime) == 1
    assert len(toll.station.calls) == calls_before + 1
    (following,) = due_in()
    assert 5.4 * HOURS <= following <= 6.6 * HOURS


@ONE_DATABASE
@pytest.mark.parametrize(
    ("outcome", "state", "at_least", "at_most"),
    [
        ("unanswered", "active", timedelta(minutes=13), timedelta(minutes=17)),
        ("raises", "active", timedelta(minutes=13), timedelta(minutes=17)),
        ("needs-person", "needs-person", 21 * HOURS, 27 * HOURS),
        ("broken", "broken", 21 * HOURS, 27 * HOURS),
    ],
)
def test_the_next_check_depends_on_what_was_found(
    app, tenant, runtime, toll, move, outcome, state, at_least, at_most
):
    """Without an answer soon; less often while a person has to act."""
    made = connected(tenant, runtime)
    periodic.schedule(runtime)
    move(hours=6)
    toll.station.outcome = outcome
    work(tenant, runtime)

    assert accounts.get(tenant, made.id).state == state
    assert at_least <= due_in()[0] <= at_most


@ONE_DATABASE
def test_a_connection_that_works_again_is_found_without_a_person(app, tenant, runtime, toll, move):
    made = connected(tenant, runtime)
    toll.station.outcome = "broken"
    accounts.check(tenant, made.id, runtime)
    periodic.schedule(runtime)
    toll.station.outcome = "works"
    move(hours=6)
    work(tenant, runtime)

    assert accounts.get(tenant, made.id).state == "active"


@ONE_DATABASE
def test_connections_that_are_revoked_or_not_set_up_are_not_checked(
    app, tenant, runtime, toll, move
):
    """Their rows end, and no new ones are made."""
    toll.station.right = "another"
    revoked, waiting = connected(tenant, runtime), connected(tenant, runtime, "RO2")
    periodic.schedule(runtime)
    accounts.revoke(tenant, revoked.id)
    with db.writing() as connection:
        connection.execute(
            sa.update(Connection).where(Connection.id == waiting.id).values(state="setting-up")
        )
    checked = len(toll.station.calls)
    move(hours=6)

    assert work(tenant, runtime) == 2
    assert periodic.schedule(runtime) is False
    assert (len(toll.station.calls), due_in()) == (checked, [])


def test_a_connection_has_one_check_at_a_time(app, tenant, runtime, toll, move, monkeypatch):
    """A check by a person and one by schedule: the second finds the lease taken."""
    monkeypatch.setattr("einvoice.services.connections.checks.WAIT_SECONDS", 0.2)
    made = connected(tenant, runtime)
    periodic.schedule(runtime)
    move(hours=6)
    lease = stored.lease(tenant, made.id, "person", clock.now(), clock.now() + LEASE)
    before = len(toll.station.calls)
    work(tenant, runtime)

    assert lease is not None
    assert len(toll.station.calls) == before
    assert timedelta(minutes=13) <= due_in()[0] <= timedelta(minutes=17)


@ONE_DATABASE
def test_an_access_point_that_hangs_keeps_its_own_share_only(
    app, tenant, runtime, toll, move, monkeypatch
):
    """The worker goes on at once, and checks those of other access points."""
    monkeypatch.setattr(calls, "CONNECTION_SECONDS", 60.0)
    monkeypatch.setattr(periodic, "MAX_CALLS", 2)
    monkeypatch.setattr(periodic, "_shares", calls.Shares())
    monkeypatch.setattr(plugin_calls, "WAIT_SECONDS", 0.2)
    for number in range(4):
        connected(tenant, runtime, f"RO{number}")
    toll.station.outcome = "hangs"
    periodic.schedule(runtime)
    move(hours=6)
    began, checked = time.monotonic(), len(toll.station.calls)
    ids, token = claimed(outbox.PLUGINS, tenant)
    periodic.run(ids, token, runtime)
    took = time.monotonic() - began
    becomes(lambda: len(toll.station.calls) >= checked + 2, seconds=30)
    running = len(toll.station.calls) - checked
    toll.station.opened.set()
    await_calls()

    assert took < 30
    assert running == 2
    soon = [due for due in due_in() if due < timedelta(seconds=10)]
    assert len(soon) == 2
    assert toll.station.most_running == 1


@pytest.mark.parametrize("statement", range(8))
def test_a_connection_whose_worker_dies_is_checked_again(
    app, tenant, runtime, toll, move, statement
):
    """Whatever statement it dies at, the row stays and the next worker checks."""
    made = connected(tenant, runtime)
    periodic.schedule(runtime)
    move(hours=6)
    ids, token = claimed(outbox.PLUGINS, tenant)
    (row,) = outbox.held(ids, token, clock.now())
    with crash_before(statement):
        periodic._check(token, runtime, row)
    move(minutes=10)
    outbox.release_expired(clock.now())
    work(tenant, runtime)

    assert len(due_in()) == 1
    found = accounts.get(tenant, made.id)
    assert (found.state, found.reason) == ("active", None)
    assert found.checked_at >= clock.now() - timedelta(minutes=11)
