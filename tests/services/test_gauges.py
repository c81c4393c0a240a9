"""Gauges of what waits, and of the servers: what the alerts of deploy/prometheus watch."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.domain import ids
from einvoice.services.gauges import Gauges
from einvoice.services.webhooks import endpoints
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.installation import server_state
from einvoice.store.tables import Outbox, WebhookEndpoint
from einvoice.store.webhooks import webhook_queue
from einvoice.store.webhooks.webhook_queue import BY_OWNER, GONE
from einvoice.web.runtime import runtime_of

HOUR = timedelta(hours=1)


def add(
    access_point: str,
    age: timedelta,
    lane: str,
    *,
    kind: str = "transmission",
    due: timedelta = HOUR,
) -> None:
    """A document that was accepted some time ago, and is due again."""
    now = clock.now()
    made = ids.TimeOrderedIds().next(now - age)  # those of the process never go back
    with db.writing() as connection:
        outbox.enqueue(
            connection, kind=kind, lane=lane, subject_id=f"txn_{made.hex}",
            tenant_id="t", due_at=now + due, access_point=access_point,
        )  # fmt: skip


def samples(app: Flask, name: str) -> dict[tuple[str, ...], float]:
    (family,) = (one for one in Gauges(runtime_of(app)).collect() if one.name == name)
    return {tuple(sample.labels.values()): sample.value for sample in family.samples}


def test_the_oldest_document_of_each_access_point_is_known(app: Flask) -> None:
    """Retried later, parked and waiting ones too, though they are not due; no other work."""
    add("anaf", 9 * HOUR, outbox.PLUGINS, kind=outbox.NOTICE)
    add("ksef", 5 * HOUR, outbox.CHORES)
    add("ksef", 3 * HOUR, outbox.PARKED)
    add("anaf", 2 * HOUR, outbox.WAITING)
    add("ksef", HOUR, outbox.CHORES)
    add("pushes", 4 * HOUR, outbox.CHORES, due=25 * HOUR)  # the deadline of its outcome
    with db.writing() as connection:  # a job has the oldest one
        oldest = sa.update(Outbox).where(Outbox.lane == outbox.CHORES)
        connection.execute(oldest.values(token="t", lease_until=clock.now() + HOUR))
    found = samples(app, "einvoice_transmissions_oldest_unsettled_seconds")

    assert {place: round(age / 3600, 1) for place, age in found.items()} == {
        ("ksef", "network"): 5.0, ("ksef", "connection"): 3.0, ("anaf", "document"): 2.0,
        ("pushes", "push"): 4.0,
    }  # fmt: skip
    assert samples(app, "einvoice_outbox_oldest_due_seconds")[("chores",)] == 0


def test_webhook_endpoints_are_counted_by_state(app: Flask, tenant: str) -> None:
    """Those that their owner disabled, or that a closed or imported tenant has, are no fault."""
    now = clock.now()
    states = [("active", None, None), ("active", now, None), ("disabled", now, GONE),
              ("disabled", None, BY_OWNER), ("disabled", now, "nothing but failures for 5 days"),
              ("disabled", None, "the account is closed"),
              ("disabled", None, "imported from another installation")]  # fmt: skip
    with db.writing() as connection:
        for number, (status, failing, reason) in enumerate(states):
            connection.execute(
                sa.insert(WebhookEndpoint).values(
                    id=f"e{number}",
                    tenant_id=tenant,
                    environment="test",
                    url="https://a.b",
                    event_types=[],
                    status=status,
                    failing_since=failing,
                    disabled_reason=reason,
                    secret=b"",
                    signing_secret=b"",
                    created_at=now,
                    updated_at=now,
                )
            )

    assert webhook_queue.count_by_state() == {"active": 1, "failing": 1, "disabled": 2}
    assert {one.id for one in endpoints.disabled()} == {"e2", "e4"}


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_the_clock_of_the_database_and_its_archive_are_known(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server of the tests archives nothing. A machine or server that is busy for a minute while
    it is asked is not one whose clock is wrong."""
    now = clock.real_now()
    for asked, answered, difference in ((-160, -100, 100), (100, 160, -100), (-60, 60, 0)):
        moments = iter([now + timedelta(seconds=asked), now + timedelta(seconds=answered)])
        with monkeypatch.context() as patched:
            patched.setattr(clock, "real_now", lambda moments=moments: next(moments))
            found = server_state.read()
        assert found.clock_difference == pytest.approx(difference, abs=15), asked

    assert (found.archiving_failing, found.last_archived) == (None, None)
    assert samples(app, "einvoice_database_archiving_failing") == {}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_room_of_the_data_directory_is_known(app: Flask) -> None:
    found = samples(app, "einvoice_data_directory_bytes")

    assert 0 < found[("free",)] <= found[("size",)]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.usefixtures("redis_url")  # patience
def test_the_memory_of_redis_is_known(make_app, redis_url: str) -> None:
    app = make_app(redis_url=redis_url)

    assert samples(app, "einvoice_redis_writable") == {(): 1}
    assert samples(app, "einvoice_redis_memory_bytes")[("used",)] > 0
