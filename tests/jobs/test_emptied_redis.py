"""A Redis that comes back without its data: the jobs it has lost hold nobody up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from redis import Redis

from einvoice import clock
from einvoice.store import outbox
from einvoice.store.core import db
from jobs.queues import connect, queue
from jobs.relay import ANNOUNCE_SECONDS, Relay
from jobs.table import LANES

LANE = LANES[outbox.CHORES]


@pytest.fixture
def redis(redis_url: str) -> Redis:
    connection = connect(redis_url)
    connection.flushall()
    return connection


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let so many seconds pass."""
    passed = [0.0]
    moment, monotonic = clock.now, clock.monotonic
    monkeypatch.setattr(clock, "now", lambda: moment() + timedelta(seconds=passed[0]))
    monkeypatch.setattr(clock, "monotonic", lambda: monotonic() + passed[0])

    def pass_(seconds: float) -> None:
        passed[0] += seconds

    return pass_


def step(relay: Relay, redis: Redis) -> list[str]:
    """Add a row, and let the relay do a round; the ids of the jobs that it queued."""
    known = set(queue(LANE, redis).job_ids)
    with db.writing() as connection:
        outbox.enqueue(
            connection, kind=outbox.LOOKUP, lane=LANE.name, subject_id="s", tenant_id="t",
            due_at=clock.now(),
        )  # fmt: skip
    relay.step()
    return [name for name in queue(LANE, redis).job_ids if name not in known]


def filled(relay: Relay, redis: Redis) -> None:
    """As many jobs as the lane may have."""
    for _ in range(LANE.jobs):
        assert step(relay, redis)
    assert step(relay, redis) == []


def test_lost_jobs_take_no_places_of_others(app: Flask, redis_url: str, redis: Redis, later):
    """Until their leases end, which are then due again, the lane has room for as many others."""
    relay = Relay(app, redis_url)
    filled(relay, redis)
    later(ANNOUNCE_SECONDS)
    redis.flushall()

    assert [len(step(relay, redis)) for _ in range(LANE.jobs + 1)] == [1] * LANE.jobs + [0]


def test_another_relay_notices_it_too(app: Flask, redis_url: str, redis: Redis, later):
    first, second = Relay(app, redis_url), Relay(app, redis_url)
    second.step()
    filled(first, redis)
    later(ANNOUNCE_SECONDS)
    redis.flushall()
    first._announce()
    second._announce()

    assert step(second, redis)


@pytest.mark.parametrize("again", ["the same relay", "its successor"])
def test_a_redis_that_has_its_data_has_its_jobs(app, redis_url, redis, later, again):
    """They are counted, also by a relay that was just started."""
    relay = Relay(app, redis_url)
    filled(relay, redis)
    later(ANNOUNCE_SECONDS)

    assert step(relay if again == "the same relay" else Relay(app, redis_url), redis) == []


def test_a_relay_that_starts_beside_an_empty_redis_has_room(app, redis_url, redis):
    """As after a power cut, which ends both."""
    filled(Relay(app, redis_url), redis)
    redis.flushall()

    assert step(Relay(app, redis_url), redis)
