"""What is kept for a while only is dropped after it, in bounded batches."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.services import retention
from einvoice.store.account import idempotency
from einvoice.store.account.idempotency import KeyScope
from einvoice.store.core import db
from einvoice.store.sending import batches
from einvoice.store.tables import IdempotencyKey, Invoice
from jobs.relay import Relay
from tests.builders import accepted


def aged(tenant, count, days) -> None:
    """So many accepted sends with a key, that many days ago."""
    for number in range(count):
        accepted(tenant, key=f"{days}-{number}", created_at=clock.now() - timedelta(days=days))


def keys() -> int:
    with db.reading() as connection:
        return connection.execute(
            sa.select(sa.func.count()).select_from(IdempotencyKey)
        ).scalar_one()


def test_keys_are_forgotten_after_thirty_days(app, tenant):
    """Just younger ones replay still; the invoices stay."""
    aged(tenant, 2, 30.001)
    aged(tenant, 1, 29.999)

    assert retention.sweep_all().keys == 2
    assert idempotency.find(KeyScope(tenant, "test", "send", "29.999-0")) is not None
    with db.reading() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(Invoice)).scalar() == 3


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize(
    ("minutes", "swept"), [(59, True), (-59, True), (61, False), (-61, False), (366 * 1440, False)]
)
def test_nothing_is_forgotten_by_a_clock_that_is_an_hour_from_that_of_the_database(
    app, tenant, monkeypatch, minutes, swept
):
    """A year ahead, it would forget the keys of today, and repeated sends would be new ones."""
    aged(tenant, 1, 31)
    real = clock.real_now
    monkeypatch.setattr(clock, "real_now", lambda: real() + timedelta(minutes=minutes))

    assert retention.sweep_all().keys == swept


def test_a_sweep_is_bounded_and_says_whether_there_is_more(app, tenant, monkeypatch):
    monkeypatch.setattr(retention, "MAX_ROWS", 2)
    aged(tenant, 3, 31)

    swept = [retention.sweep() for _ in range(3)]
    assert [(each.keys, each.more) for each in swept] == [(2, True), (1, False), (0, False)]


def test_sweeps_at_once_drop_everything_once(app, tenant, monkeypatch):
    """None fails, none counts what another dropped."""
    monkeypatch.setattr(retention, "MAX_ROWS", 3)
    aged(tenant, 20, 31)

    def one(_) -> int:
        with app.app_context():
            return retention.sweep_all().keys

    with ThreadPoolExecutor(4) as pool:
        dropped = list(pool.map(one, range(4)))
    rest = retention.sweep_all().keys

    assert sum(dropped) + rest == 20
    assert keys() == 0


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_relay_sweeps_batch_by_batch_then_once_an_hour(app, tenant, redis_url, monkeypatch):
    """A run each 0.2 s while there is more; a relay that just swept leaves new old keys alone."""
    moment = [1000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: moment[0])
    monkeypatch.setattr(retention, "MAX_ROWS", 2)
    monkeypatch.setattr(retention, "RUN_SECONDS", 0.0)
    with app.app_context():
        aged(tenant, 3, 31)
        relay = Relay(app, redis_url)
        left = []
        for pause in (0, 0.1, 0.1, 1.0, 3598.0, 1.0):
            moment[0] += pause
            relay.step()
            left.append(keys())
            if len(left) == 3:
                aged(tenant, 1, 32)

    assert left == [1, 1, 0, 1, 1, 0]


def test_a_run_sweeps_several_batches_until_its_time_has_passed(app, tenant, monkeypatch):
    """Two of 2 rows in a run of 1 s whose batches take 0.6 s; the rest is left for the next."""
    moment, sweep = [1000.0], retention.sweep

    def slow_sweep(now) -> retention.SweepResult:
        moment[0] += 0.6
        return sweep(now)

    monkeypatch.setattr(clock, "monotonic", lambda: moment[0])
    monkeypatch.setattr(retention, "sweep", slow_sweep)
    monkeypatch.setattr(retention, "MAX_ROWS", 2)
    aged(tenant, 5, 31)

    swept = retention.sweep_for(1.0)
    assert (swept.keys, swept.more, keys()) == (4, True, 1)


def test_batches_are_forgotten_after_thirty_days(app, tenant):
    """With their entries; what was accepted of them stays."""
    send = accepted(tenant)
    entries = [
        batches.BatchEntry(0, send.invoice_id, None),
        batches.BatchEntry(1, None, {"slug": "x"}),
    ]
    for days, name in ((30.001, "old"), (29.999, "new")):
        batches.add(name, tenant, "test", entries, clock.now() - timedelta(days=days))

    assert retention.sweep_all().batches == 1
    assert batches.find("old", tenant, "test") is None
    assert [state.invoice_id for state in batches.find("new", tenant, "test").states] == [
        send.invoice_id, None
    ]  # fmt: skip
