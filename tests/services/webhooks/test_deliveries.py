"""Deliveries of webhooks: the request, the log, the retries."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from standardwebhooks import Webhook

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.security.sealing import new_key
from einvoice.services import retention
from einvoice.services.webhooks import deliveries, endpoints, redelivery
from einvoice.services.webhooks import posts as posts_of_webhooks
from einvoice.services.webhooks.posts import Posts
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Event, Outbox, WebhookDelivery, WebhookEndpoint
from einvoice.store.webhooks import events
from einvoice.store.webhooks import webhooks as stored
from einvoice.webhooks import schedule, signing
from tests.services.webhooks.fixtures import (
    TENANT,
    due_times,
    happen,
    lease,
    log_of,
    receiving,
    register,
    set_rows,
    state_of,
    work,
)
from tests.stored import count
from tests.waiting import DEADLINE_SECONDS, until


def switch(endpoint, status, settings):
    endpoints.change(TENANT, endpoint.endpoint.id, {"status": status}, settings=settings)


def test_an_event_reaches_its_endpoint_signed(endpoint, receiver, settings):
    """Header secret, Standard Webhooks signature and the contract's fields, over the wire."""
    (event_id,) = happen()

    assert work(settings) == 1

    (request,) = receiver.received
    assert request.headers["x-webhook-secret"] == endpoint.secret
    assert Webhook(endpoint.signing_secret).verify(request.body, request.headers) == request.payload
    assert request.headers["webhook-id"] == request.payload["eventId"] == event_id
    assert request.headers["webhook-attempt"] == "1"
    assert request.payload["eventType"] == "transaction.sent"
    assert request.payload["networkStatus"] == "Delivered"


def test_a_delivery_is_logged_with_every_field_of_decisions_4(endpoint, receiver, settings):
    """The log record of decisions 4."""
    (event_id,) = happen()
    work(settings)

    (record,) = log_of(endpoint)
    assert (record.event_id, record.event_type) == (event_id, "transaction.sent")
    assert (record.status, record.status_code, record.attempts) == ("delivered", 200, 1)
    assert (record.last_error, record.response_excerpt) == (None, "ok")
    assert record.trigger == "schedule"
    assert record.next_retry_at is None
    assert record.created_at <= record.delivered_at <= clock.now()
    assert record.duration_ms >= 0
    assert due_times() == []


@pytest.mark.parametrize("attempts", range(10))
def test_a_failure_is_tried_again_on_the_schedule(attempts, endpoint, receiver, settings):
    """5 s, 5 min, 30 min, 2 h … after the previous attempt, with a fifth of jitter; ten in all."""
    receiver.status = 500
    happen()
    set_rows(WebhookDelivery, attempts=attempts)
    before = clock.now()

    work(settings)

    (record,) = log_of(endpoint)
    assert record.attempts == attempts + 1
    assert receiver.received[0].headers["webhook-attempt"] == str(attempts + 1)
    assert (record.status_code, record.last_error) == (500, "the receiver answered 500")
    if attempts + 1 == len(schedule.DELAYS):
        assert (record.status, record.next_retry_at, due_times()) == ("failed", None, [])
    else:
        delay = timedelta(seconds=schedule.DELAYS[attempts + 1])
        assert before + 0.8 * delay <= record.next_retry_at <= clock.now() + 1.2 * delay
        assert (record.status, due_times()) == ("pending", [record.next_retry_at])


def test_a_retry_carries_the_same_id_and_body(endpoint, receiver, settings):
    """Receivers deduplicate on webhook-id."""
    receiver.status = 500
    happen()
    work(settings)
    receiver.status = 204
    set_rows(Outbox, due_at=clock.now())
    work(settings)

    first, second = receiver.received
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    assert second.headers["webhook-attempt"] == "2"
    assert log_of(endpoint)[0].status == "delivered"


def test_a_receiver_that_asks_for_time_is_left_alone(endpoint, receiver, settings):
    """Retry-After on 429 moves the next attempt; the first retry would come after 5 s."""
    receiver.status, receiver.headers = 429, {"retry-after": "3600"}
    happen()
    work(settings)

    (due,) = due_times()
    assert timedelta(minutes=59) < due - clock.now() <= timedelta(minutes=60)


def test_410_disables_the_endpoint_and_notifies_the_others(
    endpoint, receiver, settings, app_with_tenants
):
    """The event webhook.disabled is delivered to its subscribers and stored."""
    with receiving() as other:
        watching = register(other.url, settings, "webhook.disabled")
        receiver.status = 410
        happen()
        work(settings)
        work(settings)

        assert state_of(endpoint)[:2] == ("disabled", "the receiver answered 410 Gone")
        assert log_of(endpoint)[0].status == "failed"
        (payload,) = [request.payload for request in other.received]
        assert payload["eventType"] == "webhook.disabled"
        assert payload["webhookId"] == endpoint.endpoint.id
        assert state_of(watching).status == "active"


def test_a_disabled_endpoint_gets_nothing(endpoint, receiver, settings):
    """Neither new events nor open deliveries; the log gives the reason."""
    happen()
    endpoints.change(TENANT, endpoint.endpoint.id, {"status": "disabled"}, settings=settings)
    happen()
    work(settings)

    (record,) = log_of(endpoint)
    assert (record.status, record.attempts) == ("failed", 0)
    assert record.last_error == "not attempted: the endpoint is disabled"
    assert (receiver.received, due_times()) == ([], [])


@pytest.mark.parametrize(("days", "status"), [(4.99, "active"), (5.01, "disabled")])
def test_five_days_of_only_failures_disable(days, status, endpoint, receiver, settings):
    """Just before, the endpoint is kept; just after, it is switched off with the reason."""
    receiver.status = 500
    set_rows(WebhookEndpoint, failing_since=clock.now() - timedelta(days=days))
    happen()
    work(settings)

    assert state_of(endpoint).status == status
    with db.reading() as connection:
        reported = connection.execute(
            sa.select(sa.func.count()).where(Event.type == "webhook.disabled")
        ).scalar_one()
    assert reported == (1 if status == "disabled" else 0)


def test_a_success_ends_a_run_of_failures(endpoint, receiver, settings):
    """Five days count from the first failure after the last success."""
    receiver.status = 500
    happen()
    work(settings)
    began = state_of(endpoint).failing_since
    set_rows(Outbox, due_at=clock.now())
    work(settings)
    assert began is not None
    assert state_of(endpoint).failing_since == began

    receiver.status = 200
    set_rows(Outbox, due_at=clock.now())
    work(settings)
    assert state_of(endpoint).failing_since is None


def test_a_worker_that_lost_its_lease_posts_nothing(endpoint, receiver, settings):
    """Its token is no longer on the row."""
    happen()
    ids, token = lease()
    set_rows(Outbox, token="somebody-else")

    deliveries.deliver(ids, token, settings)

    assert receiver.received == []
    assert len(due_times()) == 1


def test_a_late_result_changes_nothing(endpoint, receiver, settings):
    """The lease went to another worker during the POST: that worker's result counts."""
    happen()
    ids, token = lease()
    receiver.status = 500

    def taken_over():
        with db.writing() as connection:
            connection.execute(sa.update(Outbox).values(token="somebody-else"))

    done = _post_then(taken_over, ids, token, settings, receiver)

    assert done == 1
    (record,) = log_of(endpoint)
    assert (record.status, record.attempts) == ("pending", 0)
    assert state_of(endpoint).failing_since is None


def _post_then(meanwhile, ids, token, settings, receiver):
    """Post, and call `meanwhile` before the results are stored."""
    posts = Posts(settings, 1)
    for batch in deliveries._batches(ids, token):
        posts.start(batch)
    posts.close()
    groups = list(posts.groups())
    meanwhile()
    for group in groups:
        deliveries.settle(group)
    return len(receiver.received)


_WORKER = """
import json, sys
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.services.webhooks import deliveries
settings = Settings(**json.loads(sys.argv[1]))
with create_app(settings, plugins=[]).app_context():
    deliveries.deliver(json.loads(sys.argv[2]), sys.argv[3], settings)
"""


def test_a_worker_killed_after_the_post_posts_again(endpoint, receiver, settings):
    """Delivery is at least once, with the same webhook-id and attempt; the log is complete."""
    posted, go_on = threading.Event(), threading.Event()
    receiver.before = lambda: (posted.set(), go_on.wait(60))
    happen()
    ids, token = lease(seconds=90)
    words = [json.dumps(asdict(settings)), json.dumps(ids), token]
    with subprocess.Popen([sys.executable, "-c", _WORKER, *words]) as worker:
        assert posted.wait(DEADLINE_SECONDS)
        worker.kill()
    go_on.set()
    assert log_of(endpoint)[0].attempts == 0

    outbox.release_expired(clock.now() + timedelta(seconds=91))
    work(settings)

    first, second = receiver.received
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.headers["webhook-attempt"] == second.headers["webhook-attempt"] == "1"
    assert log_of(endpoint)[0].status == "delivered"
    assert due_times() == []


def test_a_slow_receiver_does_not_delay_the_others(app_with_tenants, endpoint, settings):
    """The posts of one job run concurrently, and each result is stored as it arrives."""

    def delivered() -> list[str]:
        return [r.status for r in log_of(endpoint) if r.status == "delivered"]

    def until_the_others_have_theirs() -> None:
        with app_with_tenants.app_context():
            until = time.monotonic() + 50
            while len(delivered()) < 5 and time.monotonic() < until:
                time.sleep(0.02)
            seen.append(len(delivered()))

    seen: list[int] = []
    with receiving() as slow:
        slow.before = until_the_others_have_theirs
        register(slow.url, settings)
        happen(count=5)
        work(settings)

    assert seen == [5] * 5


def test_a_timeout_is_logged_with_a_message(endpoint, receiver, settings):
    """The log has no status code, and the delivery is retried."""
    hung_up = threading.Event()
    receiver.before = lambda: hung_up.wait(60)
    happen()
    work(replace(settings, webhook_timeout=0.5))
    hung_up.set()

    (record,) = log_of(endpoint)
    assert (record.status, record.status_code) == ("pending", None)
    assert re.search(r"0\.5 s|stopped talking|took too long|in time", record.last_error)


def test_an_endpoint_whose_key_is_lost_works_after_a_rotation(endpoint, receiver, settings):
    """The old secret cannot be opened, so only the new one signs."""
    other = replace(settings, secret_key=new_key())
    new = endpoints.rotate(TENANT, endpoint.endpoint.id, settings=other)
    happen()
    work(other)

    [posted] = receiver.received
    Webhook(new.signing_secret).verify(posted.body, posted.headers)
    assert len(posted.headers["webhook-signature"].split()) == 1


def test_both_secrets_sign_for_a_day_after_a_rotation(endpoint, receiver, settings):
    """After a day only the new secret signs."""
    new = endpoints.rotate(TENANT, endpoint.endpoint.id, settings=settings)
    happen()
    work(settings)
    set_rows(WebhookEndpoint, old_signing_until=clock.now() - timedelta(seconds=1))
    happen()
    work(settings)

    during, after = receiver.received
    for secret in (endpoint.signing_secret, new.signing_secret):
        Webhook(secret).verify(during.body, during.headers)
    assert during.headers["x-webhook-secret"] == new.secret != endpoint.secret
    assert len(during.headers["webhook-signature"].split(" ")) == 2
    assert len(after.headers["webhook-signature"].split(" ")) == 1
    Webhook(new.signing_secret).verify(after.body, after.headers)


def test_of_two_rotations_in_a_day_each_old_secret_signs_to_the_end_of_its_day(
    endpoint, receiver, settings, monkeypatch
):
    """Such as when the first answer was lost; a third one has to wait for the end of a day."""
    begun, one = clock.now(), endpoint.endpoint.id

    def _rotate_after(**elapsed) -> str:
        monkeypatch.setattr(clock, "now", lambda: begun + timedelta(**elapsed))
        return endpoints.rotate(TENANT, one, settings=settings).signing_secret

    secrets = [endpoint.signing_secret, _rotate_after(hours=0), _rotate_after(hours=1)]
    with pytest.raises(Conflict, match="Two old secrets are still valid, one of them until"):
        _rotate_after(hours=23, minutes=59)
    happen()
    work(settings)
    secrets.append(_rotate_after(hours=24))
    happen()
    work(settings)

    assert signers(receiver.received[0], secrets) == [True, True, True, False]
    assert signers(receiver.received[1], secrets) == [False, True, True, True]


def signers(posted: Any, secrets: list[str]) -> list[bool]:
    """Whether each secret has signed the request."""
    signed, identity = posted.headers["webhook-signature"].split(), posted.headers["webhook-id"]
    at = datetime.fromtimestamp(int(posted.headers["webhook-timestamp"]), UTC)
    body = posted.body.decode()
    return [Webhook(secret).sign(identity, at, body) in signed for secret in secrets]


def test_a_secret_that_cannot_be_unsealed_fails_its_own_delivery_only(endpoint, receiver, settings):
    """An endpoint sealed with a lost key does not stop the webhooks of the others."""
    set_rows(WebhookEndpoint, secret=b"sealed with a key that is gone")
    with receiving() as other:
        register(other.url, settings)
        happen()
        work(settings)
        assert len(other.received) == 1

    (record,) = log_of(endpoint)
    assert "rotate them" in record.last_error
    assert receiver.received == []


def test_an_outbox_row_without_its_delivery_is_removed(endpoint, receiver, settings):
    """Otherwise it would be leased again and again."""
    happen()
    with db.writing() as connection:
        connection.execute(sa.delete(Event))
    work(settings)

    assert due_times() == []


def test_a_test_event_is_one_attempt_to_this_endpoint_only(endpoint, receiver, settings):
    """Also to a disabled endpoint, before enabling it. A failure does not count."""
    endpoints.change(TENANT, endpoint.endpoint.id, {"status": "disabled"}, settings=settings)
    receiver.status = 500
    with receiving() as other:
        register(other.url, settings, "webhook.test")
        redelivery.send_test(TENANT, endpoint.endpoint.id)
        work(settings)
        assert other.received == []

    (record,) = log_of(endpoint)
    assert (record.trigger, record.status, record.attempts) == ("test", "failed", 1)
    assert receiver.received[0].payload["eventType"] == "webhook.test"
    assert state_of(endpoint).failing_since is None
    assert due_times() == []


def test_redelivering_sends_the_same_event_again(endpoint, receiver, settings):
    """It adds a record with the trigger manual; the first record stays unchanged."""
    happen()
    work(settings)
    (first,) = log_of(endpoint)
    again = redelivery.redeliver(TENANT, endpoint.endpoint.id, first.id)
    work(settings)

    records = {record.id: record for record in log_of(endpoint)}
    assert records[first.id] == first
    assert (records[again].trigger, records[again].status) == ("manual", "delivered")
    assert receiver.received[0].headers["webhook-id"] == receiver.received[1].headers["webhook-id"]


def test_recover_sends_only_events_that_were_not_delivered(endpoint, receiver, settings):
    """Those missed while disabled and those given up; not the delivered and the pending ones."""
    since = clock.now()
    (delivered,) = happen()
    work(settings)
    endpoints.change(TENANT, endpoint.endpoint.id, {"status": "disabled"}, settings=settings)
    (missed,) = happen()
    happen(environment="live")
    happen(tenant_id="tenant-2")
    happen("invoice.responded")
    switch(endpoint, "active", settings)
    (pending,) = happen()
    receiver.received.clear()

    until = clock.now() + timedelta(seconds=1)
    time.sleep(0.002)
    assert redelivery.recover(TENANT, endpoint.endpoint.id, since=since, until=until) == 1
    assert redelivery.recover(TENANT, endpoint.endpoint.id, since=since, until=until) == 0
    work(settings)

    ids = {request.headers["webhook-id"] for request in receiver.received}
    assert ids == {missed, pending}
    assert delivered not in ids


@pytest.mark.parametrize(
    ("types", "recovered"),
    [((), 1), (("invoice.responded",), 1), (("*",), 3), (("*", "transaction.sent"), 3)],
)
def test_recover_sends_what_the_endpoint_missed_since_it_was_made(
    types, recovered, app_with_tenants, receiver, settings
):
    """Of its types; neither older events nor tests of other endpoints."""
    since = clock.now() - timedelta(days=1)
    kinds = ("transaction.sent", "invoice.responded", "apiKey.expiring", "webhook.test")
    for kind in kinds:
        happen(kind)
    time.sleep(0.002)
    endpoint = register(receiver.url, settings, *types)
    switch(endpoint, "disabled", settings)
    for kind in kinds:
        happen(kind)
    switch(endpoint, "active", settings)
    time.sleep(0.002)

    assert redelivery.recover(TENANT, endpoint.endpoint.id, since=since) == recovered
    assert redelivery.recover(TENANT, endpoint.endpoint.id, since=since) == 0
    assert len(log_of(endpoint)) == recovered


def test_the_log_is_kept_for_thirty_days(endpoint, receiver, settings):
    """Pending deliveries are kept, however old."""
    happen(count=3)
    work(settings)
    receiver.status = 500
    happen()
    work(settings)
    records = log_of(endpoint)
    with db.writing() as connection:
        for record, days in zip(records[:2], (30.01, 29.99), strict=True):
            connection.execute(
                sa.update(WebhookDelivery)
                .where(WebhookDelivery.id == record.id)
                .values(created_at=clock.now() - timedelta(days=days))
            )
        connection.execute(
            sa.update(WebhookDelivery)
            .where(WebhookDelivery.status == events.PENDING)
            .values(created_at=clock.now() - timedelta(days=40))
        )

    assert retention.sweep_all().deliveries == 1
    assert {r.id for r in log_of(endpoint)} == {r.id for r in records} - {records[0].id}


def test_a_live_event_never_reaches_a_sandbox_endpoint(endpoint, receiver, settings):
    """Events are delivered in their own environment only."""
    happen(environment="live")
    assert work(settings) == 0
    assert receiver.received == []
    assert endpoint.endpoint.environment == Environment.TEST


def test_our_own_verifier_agrees(endpoint, receiver, settings):
    """The receiver of the demo verifies with it."""
    happen()
    work(settings)
    (request,) = receiver.received

    signing.verify(
        request.body,
        request.headers,
        secret=endpoint.secret,
        signing_secrets=[endpoint.signing_secret],
        now=clock.now(),
    )


def test_only_work_without_a_delivery_or_event_is_deleted(endpoint):
    """The event may be past its retention; the rest of the job is not touched."""
    gone, kept = happen(count=2)
    ids, token = lease()
    with db.writing() as connection:
        connection.execute(sa.delete(Event).where(Event.id == gone))

    assert stored.drop_orphans(ids, token) == 1
    [due] = stored.due(ids, token, clock.now())
    assert due.event_id == kept


@pytest.mark.parametrize(("environment", "posts"), [("test", 1), ("live", 0)])
def test_live_webhooks_are_posted_to_public_https_addresses_only(
    endpoint, receiver, settings, environment, posts
):
    """Though the setting allows private ones, in the sandbox: an address may change later."""
    happen()
    for table in (Event, WebhookEndpoint):
        set_rows(table, environment=environment)
    work(settings)
    [record] = log_of(endpoint)

    assert len(receiver.received) == posts
    assert bool(record.last_error) is not bool(posts)


@pytest.fixture
def gathered(monkeypatch):
    """A group of results that waits for so many of them, in place of a moment."""
    known = []

    def attempted(posts, done, span):
        real(posts, done, span)
        known.append(done)

    def wait_for(number: int) -> None:
        waiting = SimpleNamespace(sleep=lambda _: until(lambda: len(known) == number))
        monkeypatch.setattr(posts_of_webhooks, "time", waiting)

    real = Posts._attempted
    monkeypatch.setattr(Posts, "_attempted", attempted)
    return wait_for


def test_an_endpoint_can_be_deleted_while_its_results_are_written(
    endpoint, receiver, settings, app_with_tenants, gathered, monkeypatch
):
    """Its deletion waits for them: neither ends in a deadlock, and nothing is left."""
    receiver.status = 500  # the result changes the endpoint, too
    happen(count=3)
    gathered(3)
    deleted, written = [], []

    def delete():
        with app_with_tenants.app_context():
            endpoints.remove(TENANT, endpoint.endpoint.id)

    log_attempts = stored.log_attempts

    def slow(connection, attempted):
        deleted.append(threads.submit(delete))
        await_lock()
        log_attempts(connection, attempted)
        written.append(len(attempted))

    monkeypatch.setattr(stored, "log_attempts", slow)
    with ThreadPoolExecutor(1) as threads:
        work(settings)
        [done] = deleted
        done.result(30)

    assert written == [3]
    for table in (WebhookEndpoint, WebhookDelivery, Outbox):
        assert count(table) == 0


def await_lock():
    """Wait until another transaction waits for this one; SQLite shows nothing of it."""
    until = time.monotonic() + (10 if db.is_postgresql() else 0.2)
    query = sa.text(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    while time.monotonic() < until:
        if db.is_postgresql():
            with db.reading() as connection:
                if connection.execute(query).scalar_one():
                    return
        time.sleep(0.01)
