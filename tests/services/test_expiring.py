"""`apiKey.expiring`: emitted 14 and 3 days before the expiry, each once (decisions 9)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.credentials import API_KEY, OAUTH_CLIENT
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, key_expiry
from einvoice.services.webhooks import endpoints, redelivery
from einvoice.store.core import db
from einvoice.store.tables import Event
from einvoice.web.runtime import runtime_of
from jobs.relay import Relay


def reported() -> list[tuple[str, int]]:
    """(key, days) of every warning, oldest first."""
    query = sa.select(Event.payload).where(Event.type == "apiKey.expiring")
    with db.reading() as connection:
        found = connection.execute(query.order_by(Event.sequence)).scalars()
        return [(payload["keyId"], payload["daysLeft"]) for payload in found]


def key(tenant: str, ends: timedelta | None = None) -> str:
    expires_at = None if ends is None else clock.now() + ends
    return credentials.create(
        API_KEY, tenant, "erp", Environment.TEST, expires_at=expires_at
    ).record.id


def test_a_key_is_told_of_twice_and_each_time_once(app, tenant):
    """However often somebody looks."""
    ends = key(tenant, timedelta(days=20))
    key(tenant)
    days = (0, 5.999, 6, 6.1, 16.999, 17, 18, 19.999, 20, 21)
    counts = [key_expiry.warn(clock.now() + timedelta(days=day)) for day in days]

    assert counts == [0, 0, 1, 0, 0, 1, 0, 0, 0, 0]
    assert reported() == [(ends, 14), (ends, 3)]


@pytest.mark.parametrize(
    ("days", "warnings"), [(0.01, [3]), (2.9, [3]), (3.1, [14]), (13.9, [14]), (14.1, [])]
)
def test_a_key_that_is_made_with_a_short_life_is_announced_at_once(app, tenant, days, warnings):
    """Once, with the shortest warning that covers its life."""
    ends = key(tenant, timedelta(days=days))
    at_once = reported()
    key_expiry.warn(clock.now())

    assert at_once == reported() == [(ends, left) for left in warnings]


def test_a_warning_names_the_key_and_its_end(app, tenant):
    made = credentials.get(API_KEY, tenant, key(tenant, timedelta(days=2)))
    with db.reading() as connection:
        payload = connection.execute(
            sa.select(Event.payload).where(Event.type == "apiKey.expiring")
        ).scalar_one()

    assert payload == {
        "keyId": made.id,
        "name": "erp",
        "prefix": made.prefix,
        "last4": made.last4,
        "expiresAt": clock.timestamp(made.expires_at),
        "daysLeft": 3,
    }


def test_a_revoked_key_is_not_announced(app, tenant):
    credentials.revoke(API_KEY, tenant, key(tenant, timedelta(days=20)))

    assert key_expiry.warn(clock.now() + timedelta(days=10)) == 0


@pytest.mark.parametrize(("grace", "warned"), [(86_400, True), (0, False)])
def test_a_rotated_key_is_announced_at_once(app, tenant, grace, warned):
    """It expires at the end of the grace period; without one it works no longer."""
    first = key(tenant, timedelta(days=20))
    second = credentials.rotate(API_KEY, tenant, first, grace).record.id
    at_once = reported()
    key_expiry.warn(clock.now())

    assert at_once == reported() == ([(first, 3)] if warned else [])
    assert key_expiry.warn(clock.now() + timedelta(days=10)) == 1
    assert reported()[-1] == (second, 14)


def test_the_successor_of_a_short_lived_key_is_announced_with_it(app, tenant):
    first = key(tenant, timedelta(days=10))
    second = credentials.rotate(API_KEY, tenant, first, 86_400).record.id

    assert reported() == [(first, 14), (first, 3), (second, 14)]


def test_an_oauth_client_is_not_announced(app, tenant):
    made = credentials.create(OAUTH_CLIENT, tenant, "erp", Environment.TEST).record.id
    credentials.rotate(OAUTH_CLIENT, tenant, made, 86_400)

    assert reported() == []


def test_a_warning_is_delivered_to_the_webhooks_of_its_environment(app, tenant):
    """In the transaction that makes the key."""
    hooks = [
        endpoints.create(
            tenant, environment, url="https://erp.example/hook", event_types=["apiKey.expiring"],
            settings=runtime_of(app).settings,
        ).endpoint.id
        for environment in Environment
    ]  # fmt: skip
    key(tenant, timedelta(days=1))

    assert [len(redelivery.deliveries(tenant, hook)) for hook in hooks] == [1, 0]


def test_two_relays_tell_once(app, tenant):
    for _ in range(5):
        key(tenant, timedelta(days=20))

    def look(_: int) -> int:
        with app.app_context():
            return key_expiry.warn(clock.now() + timedelta(days=10))

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(look, range(4))) == 5
    assert len(reported()) == 5


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_relay_looks_every_ten_minutes(app, tenant, redis_url, monkeypatch):
    looks, moment = [], [1000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: moment[0])
    monkeypatch.setattr(key_expiry, "warn", lambda: looks.append(moment[0]))
    relay = Relay(app, redis_url)
    for pause in (0, 1, 598, 1, 600):
        moment[0] += pause
        relay.step()

    assert looks == [1000.0, 1600.0, 2200.0]
