"""`apiKey.expiring`: emitted 14 and 3 days before the expiry, each once (decisions 9)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, key_expiry
from einvoice.store import db
from einvoice.store.tables import Event
from jobs.relay import Relay

START = clock.now()


def reported() -> list[tuple[str, int]]:
    """(key, days) of every warning, oldest first."""
    query = sa.select(Event.payload).where(Event.type == "apiKey.expiring")
    with db.reading() as connection:
        found = connection.execute(query.order_by(Event.sequence)).scalars()
        return [(payload["keyId"], payload["daysLeft"]) for payload in found]


def key(tenant: str, ends: timedelta | None = None) -> str:
    expires_at = None if ends is None else START + ends
    return credentials.create(
        API_KEY, tenant, "erp", Environment.TEST, expires_at=expires_at
    ).record.id


def test_a_key_is_told_of_twice_and_each_time_once(app, tenant):
    """However often somebody looks."""
    ends = key(tenant, timedelta(days=20))
    key(tenant)
    days = (0, 5.999, 6, 6.1, 16.999, 17, 18, 19.999, 20, 21)
    counts = [key_expiry.warn(START + timedelta(days=day)) for day in days]

    assert counts == [0, 0, 1, 0, 0, 1, 0, 0, 0, 0]
    assert reported() == [(ends, 14), (ends, 3)]


def test_a_key_that_ends_soon_is_told_of_at_once(app, tenant):
    """And not of the warning that has gone by."""
    ends = key(tenant, timedelta(days=1))
    key_expiry.warn(START)

    assert reported() == [(ends, 3)]


def test_a_key_that_works_no_more_is_not_told_of(app, tenant):
    credentials.revoke(API_KEY, tenant, key(tenant, timedelta(days=10)))

    assert key_expiry.warn(START) == 0


def test_a_key_with_another_end_is_another_matter(app, tenant):
    """Rotating makes the old key expire earlier, which emits the event too."""
    first = key(tenant, timedelta(days=10))
    key_expiry.warn(START)
    credentials.rotate(API_KEY, tenant, first, 86_400)
    key_expiry.warn(START)

    assert (first, 3) in reported()


def test_two_relays_tell_once(app, tenant):
    for _ in range(5):
        key(tenant, timedelta(days=10))

    def look(_: int) -> int:
        with app.app_context():
            return key_expiry.warn(START)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(look, range(4))) == 5
    assert len(reported()) == 5


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_relay_looks_once_an_hour(app, tenant, redis_url, monkeypatch):
    looks, moment = [], [1000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: moment[0])
    monkeypatch.setattr(key_expiry, "warn", lambda: looks.append(moment[0]))
    relay = Relay(app, redis_url)
    for pause in (0, 1, 3598, 1, 3600):
        moment[0] += pause
        relay.step()

    assert looks == [1000.0, 4600.0, 8200.0]
