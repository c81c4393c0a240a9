"""Which webhook endpoints are served next."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.services.account import tenants
from einvoice.services.webhooks import endpoints
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Outbox, WebhookEndpoint
from einvoice.store.webhooks import events
from einvoice.store.webhooks.webhook_queue import HeldEndpoint, ReadyEndpoint
from einvoice.web.runtime import runtime_of
from jobs.endpoints import choose
from jobs.queues import RedisError, connect, queue
from jobs.relay import Relay
from jobs.table import LANES

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def ready(tenant: str, name: str, *, since: int = 0, responsive: bool | None = True):
    return ReadyEndpoint(f"{tenant}-{name}", tenant, responsive, None, NOW - timedelta(0, since))


def held(tenant: str, name: str, *, responsive: bool | None = True):
    return HeldEndpoint(f"{tenant}-{name}", tenant, responsive)


def names(chosen):
    return [one.id for one in chosen]


def test_an_endpoint_that_is_held_is_not_chosen():
    """Its requests are in the hands of one worker."""
    assert names(choose([ready("a", "1"), ready("a", "2")], [held("a", "1")], 8)) == ["a-2"]


def test_no_more_are_chosen_than_there_are_places():
    waiting = [ready(f"t{n}", "1") for n in range(9)]
    busy = [held("x", str(n)) for n in range(3)]

    assert len(choose(waiting, busy, 8)) == 5
    assert choose(waiting, [held("x", str(n)) for n in range(8)], 8) == []


@pytest.mark.parametrize(("places", "expected"), [(8, 2), (12, 3), (3, 1)])
def test_a_tenant_gets_a_quarter_of_the_places(places, expected):
    waiting = [ready("a", str(n)) for n in range(20)]

    assert len(choose(waiting, [], places)) == expected


def test_the_places_that_a_tenant_holds_count():
    waiting = [ready("a", str(n)) for n in range(20)]

    assert len(choose(waiting, [held("a", "x")], 16)) == 3
    assert choose(waiting, [held("a", f"x{n}") for n in range(4)], 16) == []


@pytest.mark.parametrize("responsive", [None, False])
def test_endpoints_not_known_to_answer_soon_get_a_third_of_the_places(responsive):
    """New ones, or slow ones, of however many tenants."""
    waiting = [ready(f"t{n}", "1", responsive=responsive) for n in range(20)]
    busy = [held("x", "1", responsive=responsive), held("y", "1")]

    assert len(choose(waiting, [], 12)) == 4
    assert len(choose(waiting, busy, 12)) == 3


def test_responsive_endpoints_take_the_places_that_others_may_not():
    slow = [ready(f"s{n}", "1", since=100, responsive=False) for n in range(20)]
    new = [ready(f"n{n}", "1", since=100, responsive=None) for n in range(20)]
    prompt = [ready(f"p{n}", "1") for n in range(20)]

    found = Counter(one.responsive for one in choose([*slow, *new, *prompt], [], 12))
    assert found == {True: 4, False: 4, None: 4}


def test_a_tenant_whose_slow_endpoint_finds_no_place_still_gets_one_for_another():
    slow = [held(f"s{n}", "1", responsive=False) for n in range(4)]
    waiting = [ready("a", "slow", since=100, responsive=False), ready("a", "prompt")]

    assert names(choose(waiting, slow, 12)) == ["a-prompt"]


def test_tenants_with_the_fewest_places_come_first_and_then_the_longest_due():
    waiting = [
        ready("a", "1", since=300),
        ready("a", "2", since=200),
        ready("b", "1", since=10),
        ready("c", "1", since=20),
    ]

    assert names(choose(waiting, [held("b", "x")], 12)) == ["a-1", "c-1", "a-2", "b-1"]


# -- the relay -------------------------------------------------------------------------------------


@pytest.fixture
def relay(app: Flask, redis_url: str) -> Relay:
    queue(LANES[outbox.WEBHOOKS], connect(redis_url)).empty()
    return Relay(app, redis_url)


def endpoint_with_events(app: Flask, count: int, **state: Any) -> str:
    """A tenant's endpoint, in this state, with so many events due; its id."""
    tenant = tenants.create("Customer")
    settings = runtime_of(app).settings
    made = endpoints.create(tenant, Environment.TEST, url="https://erp.example/", settings=settings)
    event = events.NewEvent(tenant, "test", "transaction.sent", None, {})
    with db.writing() as connection:
        events.emit_many(connection, [event] * count)
        if state:
            of_it = sa.update(WebhookEndpoint).where(WebhookEndpoint.id == made.endpoint.id)
            connection.execute(of_it.values(**state))
    return made.endpoint.id


def handed_out(redis_url: str) -> list[Counter[str | None]]:
    """For each queued job, how many rows of which endpoint."""
    with db.reading() as connection:
        query = sa.select(Outbox.id, Outbox.endpoint_id)
        endpoint_of = {row.id: row.endpoint_id for row in connection.execute(query)}
    jobs = queue(LANES[outbox.WEBHOOKS], connect(redis_url)).jobs
    return [Counter(endpoint_of[row] for row in job.args[0]) for job in jobs]


def test_a_job_has_a_batch_of_several_endpoints(app, relay, redis_url):
    """At most forty rows of each of eight; the rest waits until the endpoint is free."""
    ids = [endpoint_with_events(app, 45) for _ in range(10)]
    relay.step()
    relay.step()
    jobs = handed_out(redis_url)

    assert [len(job) for job in jobs] == [8, 2]
    assert sum(jobs, Counter()) == dict.fromkeys(ids, 40)


def test_an_endpoint_that_timed_out_gets_one_request(app, relay, redis_url):
    working, timed_out = endpoint_with_events(app, 5), endpoint_with_events(app, 5, timeouts=2)
    later = clock.now() + timedelta(minutes=1)
    endpoint_with_events(app, 5, timeouts=1, backoff_until=later)
    relay.step()

    assert handed_out(redis_url) == [{working: 5, timed_out: 1}]


def test_without_redis_the_rows_are_due_again(app, relay, redis_url, monkeypatch):
    endpoint_with_events(app, 3)

    def fail(*_: object, **__: object) -> None:
        raise RedisError

    monkeypatch.setattr(relay._queues[outbox.WEBHOOKS], "enqueue_call", fail)
    with pytest.raises(RedisError):
        relay.step()

    with db.reading() as connection:
        assert set(connection.execute(sa.select(Outbox.token)).scalars()) == {None}


@pytest.mark.parametrize(("responsive", "busy"), [(True, True), (False, False)])
def test_the_relay_looks_again_soon_only_for_endpoints_that_answer(
    app, relay, redis_url, responsive, busy
):
    """One that never answers is held for its time limit, and has work all the while."""
    endpoint_with_events(app, 50, responsive=responsive)
    relay.step()

    assert relay.step() is busy
