"""Many endpoints at once, two requests to each, and a pause for those that time out."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.services.webhooks import deliveries, endpoints, posts, redelivery
from einvoice.services.webhooks.deliveries import Dispatcher
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Outbox, WebhookDelivery, WebhookEndpoint
from einvoice.store.webhooks import webhook_queue
from einvoice.webhooks import schedule
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

QUICK = 0.4  # seconds that a receiver has


def claim(count: int = 40) -> tuple[list[int], str]:
    """Lease what the relay would hand out now, but for shares of tenants."""
    token, now = uuid.uuid4().hex, clock.now()
    found = webhook_queue.ready([TENANT, "tenant-2"], now)
    counts = {one.id: 1 if one.timeouts else count for one in found}
    ids = webhook_queue.claim(counts, token=token, now=now, lease=timedelta(seconds=120))
    return ids, token


def backoff_of(endpoint):
    with db.reading() as connection:
        columns = (
            WebhookEndpoint.timeouts,
            WebhookEndpoint.backoff_until,
            WebhookEndpoint.responsive,
        )
        return connection.execute(
            sa.select(*columns).where(WebhookEndpoint.id == endpoint.endpoint.id)
        ).one()


@pytest.fixture
def silent(receiver):
    """The receiver does not answer until the test is over."""
    over = threading.Event()
    receiver.before = lambda: over.wait(60)
    yield receiver
    over.set()


class InFlight:
    """Counts the requests that a receiver has at the same time."""

    def __init__(self, seconds):
        self.most = self._now = 0
        self._seconds = seconds
        self._lock = threading.Lock()

    def __call__(self):
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(self._seconds)
        with self._lock:
            self._now -= 1


def test_an_endpoint_has_two_requests_at_a_time(endpoint, receiver, settings):
    """However many are due to it."""
    receiver.before = InFlight(0.02)
    happen(count=12)
    work(settings)

    assert receiver.before.most == 2
    assert len(receiver.received) == 12
    assert due_times() == []


def test_a_timeout_ends_the_requests_to_its_endpoint(endpoint, silent, settings):
    """Two were in flight; the others were not attempted, and stay due."""
    happen(count=6)
    before = clock.now()
    work(replace(settings, webhook_timeout=QUICK))

    assert len(silent.received) == 2
    assert Counter(record.attempts for record in log_of(endpoint)) == {1: 2, 0: 4}
    assert sum(due <= before for due in due_times()) == 4
    with db.reading() as connection:
        tokens = connection.execute(sa.select(Outbox.token).distinct()).scalars().all()
    assert tokens == [None]


@pytest.mark.parametrize(
    ("timeouts", "seconds"), [(None, 5), (1, 30), (2, 120), (3, 600), (4, 600), (40, 600)]
)
def test_each_timeout_in_a_row_makes_the_backoff_longer(
    timeouts, seconds, endpoint, silent, settings
):
    set_rows(WebhookEndpoint, timeouts=timeouts)
    happen()
    before = clock.now()
    work(replace(settings, webhook_timeout=QUICK))

    found = backoff_of(endpoint)
    assert found.timeouts == (timeouts or 0) + 1
    assert 0.8 * seconds <= (found.backoff_until - before).total_seconds() - QUICK
    assert (found.backoff_until - clock.now()).total_seconds() <= 1.2 * seconds
    assert found.responsive is False


def test_the_delivery_that_timed_out_keeps_its_own_schedule(endpoint, silent, settings):
    """Five seconds after the first attempt, as after any failure."""
    happen()
    work(replace(settings, webhook_timeout=QUICK))

    (record,) = log_of(endpoint)
    assert (record.status, record.attempts) == ("pending", 1)
    assert 4 <= (record.next_retry_at - clock.now()).total_seconds() + QUICK <= 6.5


def test_an_endpoint_in_backoff_gets_nothing_and_others_do(endpoint, receiver, settings):
    set_rows(WebhookEndpoint, timeouts=1, backoff_until=clock.now() + timedelta(seconds=60))
    with receiving() as other:
        register(other.url, settings)
        happen(count=3)
        deliveries.deliver(*claim(), settings)

        assert len(other.received) == 3
    assert receiver.received == []
    assert len(due_times()) == 3


def test_after_its_backoff_an_endpoint_gets_one_request(endpoint, receiver, settings):
    """To see whether it answers."""
    happen(count=5)
    set_rows(WebhookEndpoint, timeouts=1, backoff_until=clock.now() - timedelta(seconds=1))
    ids, _ = claim()

    assert len(ids) == 1


@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_ends_the_backoff(status, endpoint, receiver, settings):
    """Whatever the answer: the endpoint keeps no worker waiting."""
    set_rows(WebhookEndpoint, timeouts=3, backoff_until=clock.now() - timedelta(seconds=1))
    receiver.status = status
    happen()
    deliveries.deliver(*claim(), settings)

    assert backoff_of(endpoint) == (0, None, True)


def test_a_failure_without_a_timeout_begins_no_backoff(endpoint, receiver, settings):
    """Only time that is spent waiting is taken from others."""
    receiver.status = 500
    happen(count=5)
    work(settings)

    assert backoff_of(endpoint)[:2] == (0, None)
    assert len(receiver.received) == 5


@pytest.mark.parametrize(("seconds", "responsive"), [(0.0, True), (0.3, False)])
def test_a_slow_answer_makes_an_endpoint_not_responsive(
    seconds, responsive, endpoint, receiver, settings, monkeypatch
):
    """It then shares the places for those that are not known to answer soon."""
    monkeypatch.setattr(deliveries, "RESPONSIVE_MS", 200)
    receiver.before = lambda: time.sleep(seconds)
    happen()
    work(settings)

    assert backoff_of(endpoint) == (0, None, responsive)


def test_what_is_due_to_a_disabled_endpoint_does_not_wait_for_its_backoff(
    endpoint, receiver, settings
):
    """It is given up, and the log says why."""
    happen()
    endpoints.change(TENANT, endpoint.endpoint.id, {"status": "disabled"}, settings=settings)
    set_rows(WebhookEndpoint, timeouts=4, backoff_until=clock.now() + timedelta(hours=1))
    deliveries.deliver(*claim(), settings)

    (record,) = log_of(endpoint)
    assert record.last_error == "not attempted: the endpoint is disabled"
    assert due_times() == []


@pytest.mark.parametrize(
    "act",
    [
        lambda endpoint_id, settings: redelivery.send_test(TENANT, endpoint_id),
        lambda endpoint_id, settings: redelivery.recover(
            TENANT, endpoint_id, since=clock.now() - timedelta(days=1)
        ),
        lambda endpoint_id, settings: redelivery.redeliver(
            TENANT, endpoint_id, redelivery.deliveries(TENANT, endpoint_id)[0].id
        ),
        lambda endpoint_id, settings: endpoints.change(
            TENANT, endpoint_id, {"url": "http://127.0.0.1:9999/"}, settings=settings
        ),
    ],
    ids=["test", "recover", "redeliver", "another url"],
)
def test_its_owner_can_end_the_backoff_of_an_endpoint(act, endpoint, settings):
    happen()
    set_rows(WebhookEndpoint, timeouts=4, backoff_until=clock.now() + timedelta(hours=1))
    assert claim()[0] == []

    act(endpoint.endpoint.id, settings)

    assert backoff_of(endpoint).backoff_until is None
    assert claim()[0] != []


def test_a_test_goes_before_what_is_due(endpoint, receiver, settings):
    """An endpoint that timed out gets one request: of its owner's test, not the oldest event."""
    happen(count=3)
    set_rows(WebhookEndpoint, timeouts=1)
    redelivery.send_test(TENANT, endpoint.endpoint.id)
    deliveries.deliver(*claim(), settings)

    assert [one.payload["eventType"] for one in receiver.received] == ["webhook.test"]


@pytest.mark.parametrize(("timeouts", "overdue"), [(None, True), (0, True), (1, False)])
def test_what_waits_for_an_endpoint_that_times_out_is_not_overdue(
    timeouts, overdue, endpoint, settings
):
    """No worker can do anything about it; the operator is not to be alarmed."""
    happen()
    set_rows(Outbox, due_at=clock.now() - timedelta(minutes=10))
    set_rows(WebhookEndpoint, timeouts=timeouts)

    assert (outbox.oldest_due([outbox.WEBHOOKS], clock.now()) >= 600) is overdue


@pytest.mark.parametrize(
    ("status", "seconds", "count"), [("active", 60, 1), ("active", -1, 0), ("disabled", 60, 0)]
)
def test_endpoints_in_backoff_are_counted(status, seconds, count, endpoint, settings):
    until = clock.now() + timedelta(seconds=seconds)
    set_rows(WebhookEndpoint, timeouts=1, backoff_until=until, status=status)

    assert webhook_queue.in_backoff(clock.now()) == count


# -- claiming --------------------------------------------------------------------------------------


def test_an_endpoint_is_held_by_one_claim_at_a_time(endpoint, settings):
    """So that no two workers post to it; the rest of its rows waits."""
    happen(count=5)
    ids, token = claim(count=2)

    assert len(ids) == 2
    assert claim()[0] == []
    with db.reading() as connection:
        assert [one.id for one in webhook_queue.held(connection)] == [endpoint.endpoint.id]
    deliveries.deliver(ids, token, settings)
    assert len(claim()[0]) == 3


def test_of_relays_that_claim_at_once_one_gets_the_endpoint(app_with_tenants, endpoint, settings):
    """Each endpoint's rows go to one of them, whole."""
    more = [register(f"http://127.0.0.1:9999/{n}", settings) for n in range(4)]
    happen(count=6)
    counts = dict.fromkeys([one.endpoint.id for one in [endpoint, *more]], 3)
    start, claimed = threading.Barrier(4), {}

    def relay(number):
        with app_with_tenants.app_context():
            start.wait()
            lasting = {"now": clock.now(), "lease": timedelta(seconds=60)}
            claimed[number] = webhook_queue.claim(counts, token=f"t{number}", **lasting)

    threads = [threading.Thread(target=relay, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    query = sa.select(Outbox.endpoint_id, Outbox.token).where(Outbox.token.is_not(None)).distinct()
    with db.reading() as connection:
        holders = connection.execute(query).all()
    assert sorted(endpoint_id for endpoint_id, _ in holders) == sorted(counts)
    assert sum(map(len, claimed.values())) == 15


def test_rows_of_an_older_version_get_their_endpoint(endpoint, receiver, settings):
    """It does not write the column; those whose delivery is gone are handed out to be deleted."""
    happen(count=2)
    set_rows(Outbox, endpoint_id=None)
    with db.writing() as connection:
        outbox.enqueue(
            connection, kind=outbox.WEBHOOK, lane=outbox.WEBHOOKS, subject_id="gone",
            tenant_id=TENANT, due_at=clock.now(),
        )  # fmt: skip
    given = {"now": clock.now(), "lease": timedelta(seconds=60), "at_most": 100}
    gone = webhook_queue.assign_endpoints(token="t", **given)
    deliveries.deliver(gone, "t", settings)

    assert len(gone) == 1
    assert webhook_queue.assign_endpoints(token="t", **given) == []
    deliveries.deliver(*claim(), settings)
    assert len(receiver.received) == 2
    assert due_times() == []


def test_a_job_that_runs_twice_posts_once(endpoint, receiver, settings):
    """The first run deletes or releases the rows, so the second finds none."""
    happen(count=3)
    ids, token = claim()
    deliveries.deliver(ids, token, settings)
    deliveries.deliver(ids, token, settings)

    assert len(receiver.received) == 3
    assert {record.attempts for record in log_of(endpoint)} == {1}


# -- batches ---------------------------------------------------------------------------------------


def test_a_post_that_could_outlast_its_lease_is_not_begun(endpoint, receiver, settings):
    """Another worker may hold the endpoint then."""
    happen()
    ids, token = lease(seconds=settings.webhook_timeout - 1)
    deliveries.deliver(ids, token, settings)

    assert receiver.received == []
    assert log_of(endpoint)[0].attempts == 0
    assert len(due_times()) == 1


def test_a_slow_endpoint_gives_its_place_back_after_a_while(
    endpoint, receiver, settings, monkeypatch
):
    """What its batch has not posted is due again, for others to come first."""
    monkeypatch.setattr(posts, "BATCH_SECONDS", 0.15)
    receiver.before = lambda: time.sleep(0.1)
    happen(count=20)
    work(settings)

    assert 2 <= len(receiver.received) <= 8
    assert len(due_times()) == 20 - len(receiver.received)
    assert Counter(r.attempts for r in log_of(endpoint))[0] == 20 - len(receiver.received)


def test_a_receiver_that_answers_410_gets_no_more_of_the_batch(endpoint, receiver, settings):
    """Of the two requests at a time, neither is answered before both have arrived."""
    receiver.status = 410
    receiver.before = threading.Barrier(2, timeout=60).wait
    happen(count=6)
    work(settings)

    assert len(receiver.received) == 2
    assert state_of(endpoint).status == "disabled"
    assert work(settings) == 4
    assert len(receiver.received) == 2


# -- the dispatcher of a worker --------------------------------------------------------------------


def dispatcher(app, settings, **more):
    return Dispatcher(settings, app.app_context, **{"endpoints": 4, "per_job": 2, **more})


def delivered(count, seconds=30.0):
    until = time.monotonic() + seconds
    query = sa.select(sa.func.count()).where(WebhookDelivery.status == "delivered")
    while time.monotonic() < until:
        with db.reading() as connection:
            if connection.execute(query).scalar_one() >= count:
                return True
        time.sleep(0.02)
    return False


def test_a_job_does_not_wait_for_its_deliveries(app_with_tenants, endpoint, receiver, settings):
    """A later job is delivered while the endpoint of an earlier one does not answer."""
    answering = threading.Event()
    receiver.before = answering.wait
    with (
        dispatcher(app_with_tenants, replace(settings, webhook_timeout=20.0)) as running,
        receiving() as other,
    ):
        happen()
        running.accept(*claim())
        register(other.url, settings, "invoice.responded")
        happen("invoice.responded", count=3)
        running.accept(*claim())
        arrived, [earlier] = delivered(3), log_of(endpoint)
        answering.set()

    assert arrived
    assert (earlier.status, earlier.attempts) == ("pending", 0)


def test_a_job_waits_until_there_is_room_for_the_next(app_with_tenants, settings, silent, endpoint):
    """A worker holds no more than it can post."""
    quick = replace(settings, webhook_timeout=0.5)
    with dispatcher(app_with_tenants, quick, endpoints=2) as running:
        happen()
        began = time.monotonic()
        running.accept(*claim())

        assert time.monotonic() - began >= 0.4


def test_a_worker_that_stops_finishes_its_posts_and_puts_the_rest_back(
    app_with_tenants, endpoint, receiver, settings
):
    receiver.before = lambda: time.sleep(0.2)
    happen(count=10)
    with dispatcher(app_with_tenants, settings) as running:
        running.accept(*claim())
        time.sleep(0.1)

    records = Counter(record.status for record in log_of(endpoint))
    assert records == {"delivered": 2, "pending": 8}
    assert len(receiver.received) == 2
    assert len(claim()[0]) == 8


def test_a_burst_finishes_what_it_accepted(app_with_tenants, endpoint, receiver, settings):
    receiver.before = lambda: time.sleep(0.05)
    happen(count=10)
    with dispatcher(app_with_tenants, settings, finish=True) as running:
        running.accept(*claim())

    assert len(receiver.received) == 10
    assert due_times() == []


def test_results_wait_for_a_database_that_is_away(
    app_with_tenants, endpoint, receiver, settings, monkeypatch
):
    """They are written when it is back; the webhook is not posted again."""
    settle, faults = deliveries.settle, [OSError(), OSError()]

    def fail_twice(group):
        if group.attempted and faults:
            raise sa.exc.OperationalError("", {}, faults.pop())
        settle(group)

    monkeypatch.setattr(deliveries, "settle", fail_twice)
    monkeypatch.setattr(deliveries, "SETTLE_PAUSE_SECONDS", 0.01)
    happen()
    with dispatcher(app_with_tenants, settings) as running:
        running.accept(*claim())

    assert faults == []
    assert log_of(endpoint)[0].status == "delivered"
    assert len(receiver.received) == 1


def test_an_unexpected_fault_of_the_sender_is_a_failure_and_posts_go_on(
    app_with_tenants, endpoint, receiver, settings, monkeypatch
):
    monkeypatch.setattr(schedule, "DELAYS", (0, 0))
    continue_, faults = posts.RequestStream._continue, [RuntimeError("broken")]

    def break_once(self, until):
        if faults and self._open:
            raise faults.pop()
        continue_(self, until)

    monkeypatch.setattr(posts.RequestStream, "_continue", break_once)
    happen()
    with dispatcher(app_with_tenants, settings) as running:
        running.accept(*claim())
        until = time.monotonic() + 30
        while not log_of(endpoint)[0].attempts and time.monotonic() < until:
            time.sleep(0.02)
        assert log_of(endpoint)[0].last_error == "the attempt broke: RuntimeError"
        running.accept(*claim())

        assert delivered(1)
