"""The table of work: every kind of row has a task in its lane, every duty runs at its interval."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa
from flask import Flask
from structlog.testing import CapturingLogger

from einvoice import clock
from einvoice.services.plugin_store import DatabaseStore
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Outbox
from jobs import relay as relays
from jobs.queues import connect, queue
from jobs.relay import Relay
from jobs.table import DUTIES, LANES, Duty
from tests.networks import toll

KINDS = {
    outbox.TRANSMISSION,
    outbox.LOOKUP,
    outbox.WEBHOOK,
    outbox.DUTY,
    outbox.CLAIM,
    outbox.MAIL_DOMAIN,
    outbox.MESSAGE,
    outbox.NOTICE,
    outbox.CONNECTION,
    outbox.MAILBOX,
    outbox.CONSENT,
    outbox.LEAVE,
    outbox.ARCHIVE,
    outbox.PUBLICATION,
    outbox.EXPORT,
    outbox.ENTRY,
    outbox.JUDGEMENT,
    outbox.BATCH,
    outbox.LETTER,
    outbox.REPORT,
}


def test_every_lane_and_every_kind_of_work_is_in_the_table():
    assert list(LANES) == list(outbox.LANES)
    assert {kind for lane in LANES.values() for kind in lane.tasks} == KINDS


def test_the_names_that_queued_jobs_carry_are_permanent():
    """A worker of the next version imports them to carry out what this version queued."""
    names = {
        (lane.name, kind): f"{task.__module__}.{task.__qualname__}"
        for lane in LANES.values()
        for kind, task in lane.tasks.items()
    }

    assert names == {
        ("waited", "transmission"): "jobs.tasks.advance_transmissions",
        ("bulk", "transmission"): "jobs.tasks.advance_transmissions",
        ("chores", "transmission"): "jobs.tasks.advance_transmissions",
        ("chores", "lookup"): "jobs.tasks.check_reachability",
        ("chores", "duty"): "jobs.tasks.run_plugin_duties",
        ("chores", "claim"): "jobs.tasks.check_claims",
        ("chores", "publication"): "jobs.tasks.check_publications",
        ("chores", "archive"): "jobs.tasks.work_on_archive",
        ("chores", "message"): "jobs.tasks.advance_messages",
        ("chores", "judgement"): "jobs.tasks.judge_received_documents",
        ("chores", "batch"): "jobs.tasks.finish_batches",
        ("chores", "letter"): "jobs.tasks.send_letters",
        ("chores", "mail-domain"): "jobs.tasks.check_mail_domains",
        ("chores", "report"): "jobs.tasks.report_periods",
        ("webhooks", "webhook"): "jobs.tasks.post_webhooks",
        ("plugins", "notice"): "jobs.tasks.notify_access_points",
        ("plugins", "connection"): "jobs.tasks.check_connections",
        ("plugins", "mailbox"): "jobs.tasks.fetch_mailboxes",
        ("plugins", "consent"): "jobs.tasks.withdraw_consents",
        ("plugins", "leave"): "jobs.tasks.leave_networks",
        ("plugins", "export"): "jobs.tasks.write_exports",
        ("plugins", "entry"): "jobs.tasks.settle_entries",
    }


def add(lane: str, kind: str, count: int, access_point: str | None = None) -> None:
    with db.writing() as connection:
        for number in range(count):
            outbox.enqueue(
                connection,
                kind=kind,
                lane=lane,
                subject_id=f"{kind}-{access_point}-{number}",
                tenant_id="t",
                due_at=clock.now(),
                access_point=access_point,
            )


@pytest.fixture
def relay(app: Flask, redis_url: str) -> Relay:
    for lane in LANES.values():
        queue(lane, connect(redis_url)).empty()
    return Relay(app, redis_url)


def queued(redis_url: str, lane: str) -> list[tuple[str, int]]:
    """The function and the number of rows of each job in the lane's queue."""
    jobs = queue(LANES[lane], connect(redis_url)).jobs
    return sorted((job.func_name, len(job.args[0])) for job in jobs)


def test_a_job_has_rows_of_one_kind_and_one_access_point(app, relay, redis_url):
    """They were claimed together; each kind goes to its own task."""
    add("chores", outbox.TRANSMISSION, 3, "a")
    add("chores", outbox.TRANSMISSION, 2, "b")
    add("chores", outbox.LOOKUP, 4)
    relay.step()

    assert queued(redis_url, "chores") == [
        ("jobs.tasks.advance_transmissions", 2),
        ("jobs.tasks.advance_transmissions", 3),
        ("jobs.tasks.check_reachability", 4),
    ]


def test_calls_that_hang_leave_room_for_others_in_their_lane(app, relay, redis_url):
    """More jobs than a worker has may be leased in the lane plugins; elsewhere two are the most."""
    for lane in ("plugins", "chores"):
        for number in range(4):
            add(lane, "newer", 1, f"hangs-{number}")
            for row in outbox.claim(
                lane, "t", 1, token=f"{lane}-{number}", now=clock.now(), lease=timedelta(minutes=1)
            ):
                assert row.kind == "newer"
    add("plugins", outbox.NOTICE, 2, "a")
    add("chores", outbox.LOOKUP, 2)
    relay.step()

    assert queued(redis_url, "plugins") == [("jobs.tasks.notify_access_points", 2)]
    assert queued(redis_url, "chores") == []


def test_a_duty_of_a_plugin_goes_through_the_relay_to_its_task(make_app, redis_url):
    """The relay inserts its row and hands it out in one round; it is due again when it is done."""
    app = make_app([toll])
    with app.app_context():
        chores = queue(LANES["chores"], connect(redis_url))
        chores.empty()
        Relay(app, redis_url).step()
        (job,) = chores.jobs
        job.func(*job.args)
        with db.reading() as connection:
            (row,) = connection.execute(sa.select(Outbox.kind, Outbox.token, Outbox.due_at))
    store = DatabaseStore(app.app_context, toll.__name__)

    assert job.func_name == "jobs.tasks.run_plugin_duties"
    assert store.get("last-report") == "1"
    assert (row.kind, row.token) == (outbox.DUTY, None)
    assert timedelta(hours=23) < row.due_at - clock.now() <= timedelta(days=1)


def test_an_unknown_kind_of_work_does_not_stop_the_others(app, relay, redis_url, monkeypatch):
    """It is reported, and due again when its lease ends."""
    log = CapturingLogger()
    monkeypatch.setattr(relays, "log", log)
    add("chores", "newer", 1)
    add("chores", outbox.LOOKUP, 1)
    relay.step()

    assert queued(redis_url, "chores") == [("jobs.tasks.check_reachability", 1)]
    assert [(call.method_name, call.kwargs["kind"]) for call in log.calls] == [("error", "newer")]


def test_another_kind_among_webhooks_is_left_to_the_version_that_wrote_it(app, relay, redis_url):
    """A worker of this version would delete its row."""
    add("webhooks", "newer", 1)
    add("webhooks", outbox.WEBHOOK, 1)
    relay.step()

    assert queued(redis_url, "webhooks") == [("jobs.tasks.post_webhooks", 1)]
    with db.reading() as connection:
        query = sa.select(Outbox.token).where(Outbox.kind == "newer")
        assert connection.execute(query).scalar_one() is None


@pytest.mark.parametrize("lane", LANES)
def test_a_lane_leases_for_its_multiple_of_the_queue_lease(app, relay, lane):
    """Webhooks wait longer in their queue, so their rows are leased for twice the setting."""
    (kind, *_) = LANES[lane].tasks
    before = clock.now()
    add(lane, kind, 1)
    relay.step()
    with db.reading() as connection:
        leased_until = connection.execute(sa.select(Outbox.lease_until)).scalar_one()
    expected = timedelta(seconds=60) * LANES[lane].leases

    assert expected <= leased_until - before < expected + timedelta(seconds=30)


# -- duties ----------------------------------------------------------------------------------------


def test_duties_have_names_of_their_own_and_an_interval():
    assert len({duty.name for duty in DUTIES}) == len(DUTIES) == 18
    assert all(duty.every > timedelta(0) and duty.again > timedelta(0) for duty in DUTIES)


@pytest.fixture
def moment(monkeypatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    return now


def runs(relay: Relay, moment: list[float], pauses: tuple[float, ...]) -> None:
    for pause in pauses:
        moment[0] += pause
        try:
            relay.step()
        except OSError:
            continue


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("answers", "ran_at"),
    [
        ([False, False], [1000.0, 1060.0]),
        ([True, True, False], [1000.0, 1002.0, 1004.0]),
        ([OSError(), False], [1000.0, 1060.0]),
    ],
    ids=["nothing is left", "more is left", "it fails"],
)
def test_a_duty_runs_again_after_its_interval(app, redis_url, monkeypatch, moment, answers, ran_at):
    """Sooner while more is left; a failure waits the whole interval."""
    ran = []

    def run() -> bool:
        ran.append(moment[0])
        answer = answers[len(ran) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    duty = Duty("of a test", run, timedelta(seconds=60), timedelta(seconds=2))
    monkeypatch.setattr(relays, "DUTIES", (duty,))
    runs(Relay(app, redis_url), moment, (0, 1.9, 0.1, 1.9, 0.1, 55.9, 0.1))

    assert ran == ran_at


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_failing_duty_does_not_stop_the_others(app, redis_url, monkeypatch, moment):
    ran = []

    def fail() -> bool:
        raise OSError("of no use")

    def run() -> bool:
        ran.append(moment[0])
        return False

    minute = timedelta(seconds=60)
    monkeypatch.setattr(relays, "DUTIES", (Duty("fails", fail, minute), Duty("runs", run, minute)))
    runs(Relay(app, redis_url), moment, (0, 1))

    assert ran == [1001.0]
