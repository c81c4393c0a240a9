"""While a document of a sequence is on its way, the next one is prepared; the transaction that
stores the outcome of the first lets it pass the fence."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.network.types import NotSent, Rejected, Unknown
from einvoice.services.connections import accounts, opened_accounts
from einvoice.services.delivery import successors
from einvoice.services.delivery.job_parts import JobPart
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.installation import recoveries
from einvoice.store.tables import Transmission
from tests.crashes import Crash, crash_before
from tests.networks.toll.chain import BoundChain
from tests.services.delivery.sending_by_connection import lanes, opened_connection, work
from tests.services.delivery.test_serial import (
    app,
    follow,
    messages,
    sent,
    sequence_rows,
    statuses,
    toll,
)  # fmt: skip

__all__ = ["app", "toll"]


@pytest.fixture
def prepared(monkeypatch):
    """The numbers of the bills that were prepared, with a condition that is told of each."""
    prepare, found, told = BoundChain.prepare, [], threading.Condition()

    def noted(self, envelope):
        made = prepare(self, envelope)
        with told:
            found.append(envelope.number)
            told.notify_all()
        return made

    monkeypatch.setattr(BoundChain, "prepare", noted)
    return found, told


@pytest.fixture
def patient(monkeypatch):
    """An answer waits for the next document for as long as a slow machine needs."""
    monkeypatch.setattr(successors, "AWAIT_SECONDS", 30.0)


def meanwhile(monkeypatch, act):
    """Have `act` done while the first bill is on its way, and its successor is prepared."""
    submit, ahead = BoundChain.submit, successors.look_ahead
    begun = []

    def looked(part, work):
        begun.append(ahead(part, work))
        return begun[-1]

    def submitted(self, envelope, made):
        if len(begun) == 1:
            begun[0].result(timeout=30)
            act()
        return submit(self, envelope, made)

    monkeypatch.setattr(successors, "look_ahead", looked)
    monkeypatch.setattr(BoundChain, "submit", submitted)


def test_the_next_document_is_prepared_while_the_one_before_is_on_its_way(
    connection, tenant, runtime, toll, prepared, patient, monkeypatch
):
    numbers, told = prepared
    submit = BoundChain.submit

    def submitted(self, envelope, made):
        following = int(envelope.number.partition("-")[2]) + 1
        with told:
            assert following == 3 or told.wait_for(lambda: f"A-{following}" in numbers, 30)
        return submit(self, envelope, made)

    monkeypatch.setattr(BoundChain, "submit", submitted)
    ids = sent(connection, count=3)
    follow(runtime, tenant)

    assert statuses(ids) == ["Delivered"] * 3
    assert (numbers, messages(toll)) == (["A-0", "A-1", "A-2"], [1, 2, 3])
    assert toll.authority.faults == []
    assert (lanes(), sequence_rows()) == ([], 0)


def test_the_outcome_and_the_next_fence_are_one_transaction(
    connection, tenant, runtime, patient, monkeypatch
):
    """A further document costs one commit."""
    commits = {}
    for count in (1, 2, 3):
        sent(connection, count=count)
        with committed() as found:
            follow(runtime, tenant)
        commits[count] = len(found)

    assert commits[2] - commits[1] == commits[3] - commits[2] == 1


@contextlib.contextmanager
def committed():
    """The transactions that wrote and were committed."""
    found, wrote = [], threading.local()

    def executing(conn, cursor, statement, *_):
        if not statement.lstrip().upper().startswith(("SELECT", "PRAGMA", "SET", "BEGIN")):
            wrote.any = True

    def committing(_):
        if getattr(wrote, "any", False):
            found.append(1)
        wrote.any = False

    engine = db.db.engine
    sa.event.listen(engine, "before_cursor_execute", executing)
    sa.event.listen(engine, "commit", committing)
    try:
        yield found
    finally:
        sa.event.remove(engine, "before_cursor_execute", executing)
        sa.event.remove(engine, "commit", committing)


def test_a_successor_is_prepared_again_if_the_state_has_changed(
    connection, tenant, runtime, toll, prepared, patient, monkeypatch
):
    """Another worker has stored that of another unit; the answer of the first is kept."""

    def raced():
        account = opened_accounts.opened(connection.id, toll.point, runtime)
        state = opened_connection(connection, runtime).state
        with db.writing() as database:
            assert account.store_state(database, {**state, "unit Z": "kept"})

    meanwhile(monkeypatch, raced)
    ids = sent(connection, count=2)
    follow(runtime, tenant)

    assert statuses(ids) == ["Delivered"] * 2
    assert (prepared[0], toll.authority.requests) == (["A-0", "A-1", "A-1"], 2)
    assert opened_connection(connection, runtime).state["unit Z"] == "kept"
    assert (messages(toll), toll.authority.faults) == ([1, 2], [])


def test_a_successor_of_a_connection_that_was_revoked_meanwhile_is_not_sent(
    connection, tenant, runtime, toll, patient, monkeypatch
):
    meanwhile(monkeypatch, lambda: accounts.revoke(tenant, connection.id))
    ids = sent(connection, count=2)
    follow(runtime, tenant)
    work(runtime, tenant)

    assert statuses(ids) == ["Delivered", "Failed"]
    assert toll.authority.requests == 1


def test_a_successor_is_not_sent_once_deliveries_are_held(
    connection, tenant, runtime, toll, patient, monkeypatch
):
    def held():
        with db.writing() as database:
            recoveries.hold(database, "of-a-restore", clock.now())

    meanwhile(monkeypatch, held)
    ids = sent(connection, count=2)
    follow(runtime, tenant)

    assert (statuses(ids), messages(toll)) == (["Delivered", "Processing"], [1])


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (NotSent("later", retry_after=60), "Processing"),
        (Unknown("no answer", ask_after=60), "Processing"),
        (Rejected("T", "no"), "Failed"),
    ],
)
def test_a_successor_is_sent_only_after_a_final_outcome(
    connection, tenant, runtime, patient, monkeypatch, outcome, status
):
    asked = []

    def submitted(self, envelope, made):
        asked.append(envelope.number)
        return outcome

    monkeypatch.setattr(BoundChain, "submit", submitted)
    ids = sent(connection, count=2)
    follow(runtime, tenant)

    goes_on = status == "Failed"
    assert statuses(ids) == [status] * 2
    assert asked == ["A-0", "A-1"][: 1 + goes_on]


def test_an_answer_does_not_wait_for_a_successor_that_takes_long(
    connection, tenant, runtime, toll, monkeypatch
):
    """It is stored at once, and the next one is prepared when its turn comes."""
    prepare, go = BoundChain.prepare, threading.Event()
    monkeypatch.setattr(successors, "AWAIT_SECONDS", 0.0)
    main = threading.get_ident()

    def slow(self, envelope):
        if threading.get_ident() != main:
            go.wait(30)
        return prepare(self, envelope)

    monkeypatch.setattr(BoundChain, "prepare", slow)
    ids = sent(connection, count=2)
    try:
        follow(runtime, tenant)
    finally:
        go.set()

    assert statuses(ids) == ["Delivered"] * 2
    assert (messages(toll), toll.authority.faults) == ([1, 2], [])


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_an_answer_is_stored_where_the_threads_of_the_access_point_are_abandoned(
    connection, tenant, runtime, toll, monkeypatch, when
):
    """As by a call of another account that hangs."""
    ahead, pool = successors.look_ahead, JobPart.threads

    def looked(part, work):
        if when == "before":
            stopped = ThreadPoolExecutor(1)
            stopped.shutdown()
            monkeypatch.setattr(JobPart, "threads", stopped)
        found = ahead(part, work)
        if when == "meanwhile":
            found = Future()
            found.cancel()
        monkeypatch.setattr(JobPart, "threads", pool)
        return found

    monkeypatch.setattr(successors, "look_ahead", looked)
    ids = sent(connection, count=2)
    follow(runtime, tenant)

    assert statuses(ids) == ["Delivered"] * 2
    assert toll.authority.faults == []


def test_the_time_for_which_a_successor_has_waited_does_not_count(
    connection, tenant, runtime, patient, moved, monkeypatch
):
    def later():
        moved[0] += timedelta(hours=1)

    meanwhile(monkeypatch, later)
    ids = sent(connection, count=2)
    before = _tried_until(ids[1])
    follow(runtime, tenant)

    assert _tried_until(ids[1]) - before >= timedelta(hours=1)


def _tried_until(transmission_id):
    query = sa.select(Transmission.retry_until).where(Transmission.id == transmission_id)
    with db.reading() as found:
        return found.execute(query).scalar_one()


@pytest.mark.parametrize(
    "statement",
    [n if n % 10 == 5 else pytest.param(n, marks=pytest.mark.more) for n in range(45)],
)
def test_a_crash_of_a_job_that_goes_on_loses_nothing_and_sends_nothing_twice(
    connection, tenant, runtime, toll, patient, moved, statement
):
    """Before any statement of the worker, in any of its threads."""
    ids = sent(connection, count=3)
    with contextlib.suppress(Crash), crash_before(statement):
        follow(runtime, tenant)
    for _ in range(8):
        moved[0] += timedelta(minutes=5)
        outbox.release_expired(clock.now())
        work(runtime, tenant)

    assert statuses(ids) == ["Delivered"] * 3
    assert (messages(toll), toll.authority.faults) == ([1, 2, 3], [])
