"""POST /api/sandbox/clock: time passes in one tenant's sandbox, and nowhere else."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.events import API_KEY_EXPIRING
from einvoice.services.account import credentials, key_expiry
from einvoice.services.tenant_data import sandbox_clock
from einvoice.store.core import db
from einvoice.store.tables import ApiKey, Event, Outbox, Transmission
from tests.web.caller import Caller, slug

SLOW = "0088:9520000000011"  # Delivered after 60 seconds
REJECTING = "0088:9520000000103"  # a response two seconds after the delivery
LATE = "0088:9520000000189"  # takes the document after 30 seconds
DAY = 86_400


def move(caller, seconds):
    body = json.dumps({"advanceSeconds": seconds}).encode()
    return caller.call("POST", "/api/sandbox/clock", body, Content_Type="application/json")


def moved(caller, seconds):
    answer = move(caller, seconds)
    assert answer.status_code == 200, answer.text
    return answer.json


def status(caller, invoice) -> str:
    return caller.get(f"/api/invoices/{invoice}").json["networkStatus"]


def moments(caller, column, table=Transmission):
    query = sa.select(column).where(table.tenant_id == caller.tenant).order_by(table.id)
    with caller.app.app_context(), db.reading() as connection:
        return list(connection.execute(query).scalars())


def test_a_delivery_of_later_is_made_when_its_time_has_passed(caller):
    """Not a moment earlier: a part of the time moves a part."""
    invoice = caller.sent(SLOW)
    caller.work()
    assert moved(caller, 30)["documents"] == 1
    caller.work()
    assert status(caller, invoice) == "Processing"
    moved(caller, 30)
    caller.work()

    assert status(caller, invoice) == "Delivered"


def test_the_response_of_a_receiver_comes_when_its_time_has_passed(caller):
    invoice = caller.sent(REJECTING)
    caller.work()
    for _ in range(2):
        moved(caller, 3)
        caller.work()

    assert caller.get(f"/api/invoices/{invoice}").json["response"]["status"] == "rejected"


def test_the_next_attempt_and_the_end_of_all_come_without_waiting(caller):
    """Also the time at which the receiver's access point takes it, which began at the first."""
    invoice = caller.sent(LATE)
    caller.work()
    (until,) = moments(caller, Transmission.retry_until)
    moved(caller, 31)
    assert moments(caller, Transmission.retry_until) == [until - timedelta(seconds=31)]
    caller.work()

    assert status(caller, invoice) == "Delivered"


def test_a_key_that_is_about_to_end_is_announced_and_ends(caller):
    ends = clock.now() + timedelta(days=30)
    with caller.app.app_context():
        made = credentials.create(API_KEY, caller.tenant, "ends", Environment.TEST, expires_at=ends)
        live = credentials.create(API_KEY, caller.tenant, "live", Environment.LIVE, expires_at=ends)
    assert moved(caller, 20 * DAY)["others"] == 1
    with caller.app.app_context():
        key_expiry.warn()
        query = sa.select(Event.type).where(Event.tenant_id == caller.tenant)
        with db.reading() as connection:
            assert list(connection.execute(query).scalars()) == [API_KEY_EXPIRING]
    ending = dict.fromkeys(moments(caller, ApiKey.expires_at, ApiKey))
    assert {ends, ends - timedelta(days=20)} <= ending.keys()
    moved(caller, 11 * DAY)
    answer = caller.client.get("/api/invoices", headers={"x-api-key": made.secret})
    assert answer.status_code == 401
    assert caller.client.get("/api/invoices", headers={"x-api-key": live.secret}).status_code == 200


def test_nothing_of_live_and_of_another_tenant_moves(caller):
    """Waiting documents of both, beside one that moves."""
    other, live = Caller(caller.app), Caller(caller.app, Environment.LIVE, caller.tenant)
    with caller.app.app_context():
        ends = clock.now() + timedelta(days=9)
        credentials.create(API_KEY, other.tenant, "e", Environment.TEST, expires_at=ends)
    other.sent(SLOW)
    other.work()
    caller.sent(SLOW)
    caller.work()
    mine, row = moments(caller, Outbox.due_at, Outbox)[0], moments(caller, Transmission.id)[0]
    with caller.app.app_context(), db.writing() as connection:
        changed = sa.update(Transmission).where(Transmission.id == row)
        connection.execute(changed.values(environment="live"))
    before = (
        moments(other, Outbox.due_at, Outbox), moments(other, ApiKey.expires_at, ApiKey),
        moments(other, Transmission.pending), moments(caller, Transmission.retry_until),
    )  # fmt: skip
    assert moved(caller, 5 * DAY) == moved(caller, 1) | {"advancedSeconds": 5 * DAY}

    assert moments(caller, Outbox.due_at, Outbox) == [mine]
    assert before == (
        moments(other, Outbox.due_at, Outbox), moments(other, ApiKey.expires_at, ApiKey),
        moments(other, Transmission.pending), moments(caller, Transmission.retry_until),
    )  # fmt: skip
    assert slug(move(live, 1)) == "not-found"


def test_a_row_that_a_worker_has_stays(caller):
    caller.sent(SLOW)
    caller.work()
    with caller.app.app_context(), db.writing() as connection:
        mine = sa.update(Outbox).where(Outbox.tenant_id == caller.tenant)
        connection.execute(mine.values(token="t", lease_until=clock.now() + timedelta(seconds=9)))
    before = moments(caller, Outbox.due_at, Outbox)

    assert moved(caller, 60)["documents"] == 0
    assert moments(caller, Outbox.due_at, Outbox) == before


def test_more_than_can_be_moved_at_once_is_refused_as_a_whole(caller, monkeypatch):
    monkeypatch.setattr(sandbox_clock, "MAX_ROWS", 1)
    caller.sent(SLOW)
    caller.sent(SLOW)
    before = moments(caller, Outbox.due_at, Outbox)

    assert slug(move(caller, 60)) == "conflict"
    assert moments(caller, Outbox.due_at, Outbox) == before


@pytest.mark.parametrize("seconds", [0, -1, 366 * DAY + 1, 1.5, True, "60", None])
def test_a_step_is_a_number_of_seconds_up_to_366_days(caller, seconds):
    assert slug(move(caller, seconds)) == "invalid-field"
