"""Documents that are sent by the connection of their tenant: tokens, parking, throttling."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.delivery import Phase
from einvoice.network.connections import Connection as Opened
from einvoice.network.connections import NeedsPerson
from einvoice.network.types import Blocked, Capabilities, Delivered, Pending, Unknown
from einvoice.services.account import closure
from einvoice.services.connections import (
    accounts,
    checks,
    opened_accounts,
    parked_documents,
    renewals,
    sealing,
)
from einvoice.services.delivery import operations, outcomes, transmit
from einvoice.store import outbox
from einvoice.store.connections import connections as stored
from einvoice.store.core import db
from einvoice.store.tables import Connection, Event, Outbox, Transmission
from tests.builders import accepted
from tests.networks.toll.clearance import RECEIPT, BoundClearance, ClearancePlugin
from tests.services.delivery.sending_by_connection import (
    a_connection,
    consented,
    lanes,
    opened_connection,
    work,
)
from tests.workers import claimed


@pytest.fixture
def toll():
    return ClearancePlugin()


@pytest.fixture
def app(make_app, toll):
    app = make_app(plugins=[toll])
    with app.app_context():
        yield app


def sent(connection, count=1, **changes):
    return [
        accepted(
            connection.tenant_id,
            access_point="toll-clearance-test",
            connection_id=connection.id,
            **changes,
        ).transmission_id
        for _ in range(count)
    ]


def of(ids, *columns):
    query = sa.select(*columns or (Transmission.status,)).where(Transmission.id.in_(ids))
    with db.reading() as found:
        rows = found.execute(query).all()
    return [row[0] for row in rows] if len(columns) < 2 else rows


def events():
    with db.reading() as found:
        return list(found.execute(sa.select(Event.type).order_by(Event.sequence)).scalars())


def state(connection):
    return accounts.get(connection.tenant_id, connection.id).state


def test_accounts_for_which_a_job_has_no_time_are_left_to_the_next_one(
    connection, tenant, runtime, toll, monkeypatch
):
    """An authority that does not answer keeps others waiting for the calls of one account, not for
    those of each."""
    other = a_connection(tenant, runtime, toll, "NL2")
    ids, passed = sent(connection, count=2) + sent(other, count=2), [0.0]
    submit, real = BoundClearance.submit, clock.monotonic

    def slow(point, envelope, prepared):
        passed[0] += 20
        return submit(point, envelope, prepared)

    monkeypatch.setattr(clock, "monotonic", lambda: real() + passed[0])
    monkeypatch.setattr(BoundClearance, "submit", slow)
    transmit.take_turn(*claimed(outbox.BULK, tenant), runtime)
    left, _ = claimed(outbox.BULK, tenant)

    assert sorted(of(ids)) == ["Delivered", "Delivered", "Processing", "Processing"]
    assert len(left) == 2


def stored_token(connection, runtime):
    with db.reading_session() as database:
        row = stored.find(database, connection.tenant_id, connection.id)
        return sealing.opened(stored.sealed(row), runtime.settings).credentials["refreshToken"]


def test_each_document_is_sent_by_its_own_connection(connection, tenant, runtime, toll):
    """Also where one job has those of two accounts."""
    other = a_connection(tenant, runtime, toll, "NL2")
    first, second = sent(connection, 3), sent(other, 2)
    work(runtime, tenant)

    assert of(first + second) == ["Delivered"] * 5
    by = sorted(toll.authority.cleared.values())
    assert by == ["NL1"] * 3 + ["NL2"] * 2
    assert set(of(second, Transmission.connection_id)) == {other.id}


def test_a_token_that_a_submission_renews_is_stored(connection, tenant, runtime, toll):
    toll.authority.uses = 1
    ids = sent(connection, 6)
    work(runtime, tenant)

    assert of(ids) == ["Delivered"] * 6
    assert stored_token(connection, runtime) == toll.authority.issued["NL1"][-1]
    assert toll.authority.refused == []


@pytest.mark.parametrize("times", [40, pytest.param(500, marks=pytest.mark.long)])
def test_the_stored_token_is_the_last_one_issued(app, connection, runtime, toll, times):
    """Two workers renew it at the same time, beside the checks of a person."""

    def renew():
        with app.app_context():
            account = opened_accounts.opened(connection.id, toll.point, runtime)
            seen = opened_connection(connection, runtime)
            for _ in range(times):
                seen = account.renew(seen)
                assert isinstance(seen, Opened), seen

    def check():
        with app.app_context():
            for _ in range(times // 4):
                accounts.check(connection.tenant_id, connection.id, runtime)

    threads = [threading.Thread(target=target) for target in (renew, renew, check)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert toll.authority.refused == []
    assert stored_token(connection, runtime) == toll.authority.issued["NL1"][-1]
    assert len(toll.authority.issued["NL1"]) > times


def test_renewing_a_token_that_was_renewed_meanwhile_calls_no_network(connection, runtime, toll):
    account, seen = (
        opened_accounts.opened(connection.id, toll.point, runtime),
        opened_connection(connection, runtime),
    )
    first, second = account.renew(seen), account.renew(seen)

    assert first == second
    assert len(toll.authority.issued["NL1"]) == 2


# -- parking ---------------------------------------------------------------------------------------


def test_a_blocked_submission_parks_all_documents_of_the_connection(
    connection, tenant, runtime, toll
):
    """No document fails, and the network is asked by one chunk of them only."""
    other = a_connection(tenant, runtime, toll, "NL2")
    toll.authority.withdrawn.add("NL1")
    ids, unaffected = sent(connection, 20), sent(other, 1)
    work(runtime, tenant)
    work(runtime, tenant)

    assert of(ids) == ["Processing"] * 20
    assert lanes().count(outbox.PARKED) == 20
    assert state(connection) == "needs-person"
    assert events().count("connection.needsPerson") == 1
    assert toll.authority.requests <= 4 + 1
    assert accounts.waiting_documents([connection, other]) == {connection.id: 20}
    assert {t.id for t in operations.parked(connection.id)} == set(ids)
    assert of(unaffected) == ["Delivered"]


@pytest.mark.parametrize("outcome", [NeedsPerson, "broken", "setting-up"])
def test_documents_of_an_unusable_connection_are_parked_without_a_call(
    connection, tenant, runtime, toll, outcome
):
    given = {NeedsPerson: "needs-person"}.get(outcome, outcome)
    _set(connection, state=given)
    sent(connection, 3)
    work(runtime, tenant)

    assert lanes() == [outbox.PARKED] * 3
    assert toll.authority.requests == 0


def _set(connection, **values):
    with db.writing() as database:
        database.execute(
            sa.update(Connection).where(Connection.id == connection.id).values(**values)
        )


def test_a_new_consent_makes_all_documents_due_at_once(connection, tenant, runtime, toll):
    toll.authority.withdrawn.add("NL1")
    accounts.check(tenant, connection.id, runtime)
    ids = sent(connection, 30)
    work(runtime, tenant)
    assert lanes() == [outbox.PARKED] * 30

    consented(connection, runtime, toll)
    assert lanes() == [outbox.CHORES] * 30
    work(runtime, tenant)

    assert of(ids) == ["Delivered"] * 30
    assert events().count("connection.restored") == 1


def test_the_time_of_a_parked_document_does_not_count(connection, tenant, runtime, toll, moved):
    """Over a weekend with an expired consent; afterwards it has as long as before."""
    toll.authority.withdrawn.add("NL1")
    accounts.check(tenant, connection.id, runtime)
    ids = sent(connection, retry_until=clock.now() + timedelta(hours=24))
    before = of(ids, Transmission.retry_until)[0]
    work(runtime, tenant)
    moved[0] += timedelta(hours=60)
    toll.authority.throttled["NL1"] = 0.0
    consented(connection, runtime, toll)
    work(runtime, tenant)
    after = of(ids, Transmission.retry_until)[0]

    assert of(ids) == ["Processing"]
    assert timedelta(hours=59) < after - before < timedelta(hours=61)
    del toll.authority.throttled["NL1"]
    moved[0] += timedelta(seconds=5)
    work(runtime, tenant)
    assert of(ids) == ["Delivered"]


def test_a_connection_that_ends_by_itself_parks_its_documents(
    connection, tenant, runtime, toll, moved
):
    """The clock jumps over the renewal and the end."""
    ids = sent(connection, 2)
    moved[0] += timedelta(days=400)
    renewals.announce()
    work(runtime, tenant)
    assert (lanes(), state(connection)) == ([outbox.PARKED] * 2, "needs-person")
    consented(connection, runtime, toll)
    work(runtime, tenant)

    assert of(ids) == ["Delivered"] * 2


@pytest.mark.parametrize("end", ["revoke", "close"])
def test_parked_documents_of_a_revoked_connection_fail(connection, tenant, runtime, toll, end):
    """In jobs of at most a hundred, with a reason; they may be sent again."""
    toll.authority.withdrawn.add("NL1")
    accounts.check(tenant, connection.id, runtime)
    ids = sent(connection, 101)
    for _ in range(2):
        work(runtime, tenant)
    assert lanes() == [outbox.PARKED] * 101
    if end == "revoke":
        accounts.revoke(tenant, connection.id)
    else:
        closure.close(tenant, runtime.caches)
    for _ in range(2):
        work(runtime, tenant)

    columns = (Transmission.status, Transmission.reason_code, Transmission.retryable)
    found = {tuple(row) for row in of(ids, *columns)}
    assert found == {("Failed", "connection-revoked", True)}
    assert lanes() == []
    assert events().count("transaction.failed") == 101


def test_what_the_network_may_have_needs_an_operator_after_a_revocation(
    connection, tenant, runtime, toll, monkeypatch
):
    monkeypatch.setattr(BoundClearance, "submit", lambda *_: Unknown("no answer", ask_after=60))
    ids = sent(connection)
    work(runtime, tenant)
    accounts.revoke(tenant, connection.id)
    outbox_due()
    work(runtime, tenant)

    assert of(ids, Transmission.status, Transmission.attention) == [("Processing", True)]


def outbox_due():
    with db.writing() as database:
        database.execute(sa.update(Outbox).values(due_at=clock.now()))


@pytest.mark.parametrize("step", ["prepare", "submit", "poll", "find"])
def test_any_step_may_be_blocked(connection, tenant, runtime, toll, monkeypatch, step):
    """The document is where it was, and goes on from there."""
    first = {
        "poll": Pending("p", clock.now() + timedelta(minutes=1)),
        "find": Unknown("no answer", ask_after=60),
    }.get(step)
    with monkeypatch.context() as patched:
        if first is not None:
            patched.setattr(BoundClearance, "submit", lambda *_: first)
            ids = sent(connection)
            work(runtime, tenant)
            outbox_due()
        else:
            ids = sent(connection)
        phase = of(ids, Transmission.phase)
        patched.setattr(BoundClearance, step, lambda *_: Blocked("The consent has ended."))
        work(runtime, tenant)
        work(runtime, tenant)
        assert lanes() == [outbox.PARKED]
        assert of(ids, Transmission.phase) == phase
        assert state(connection) == "needs-person"
    consented(connection, runtime, toll)
    work(runtime, tenant)
    outbox_due()
    work(runtime, tenant)

    assert of(ids) == ["Delivered"]


def test_evidence_that_follows_waits_for_the_connection(
    connection, tenant, runtime, toll, monkeypatch
):
    following = Delivered((RECEIPT,), Pending("later", clock.now() + timedelta(minutes=1)))
    with monkeypatch.context() as patched:
        patched.setattr(BoundClearance, "submit", lambda *_: following)
        patched.setattr(BoundClearance, "poll", lambda *_: Blocked("The consent has ended."))
        ids = sent(connection)
        work(runtime, tenant)
        outbox_due()
        work(runtime, tenant)
        outbox_due()
        work(runtime, tenant)
        assert (lanes(), of(ids)) == ([outbox.PARKED], ["Delivered"])
    consented(connection, runtime, toll)
    work(runtime, tenant)

    assert lanes() == []


def test_credentials_that_were_replaced_meanwhile_are_not_blocked(
    connection, tenant, runtime, toll, monkeypatch
):
    """The access point was called with the old ones."""
    submit = BoundClearance.submit

    def replaced(self, envelope, prepared):
        monkeypatch.setattr(BoundClearance, "submit", submit)
        consented(connection, runtime, toll)
        return Blocked("The consent has ended.")

    monkeypatch.setattr(BoundClearance, "submit", replaced)
    ids = sent(connection)
    work(runtime, tenant)
    work(runtime, tenant)

    assert state(connection) == "active"
    assert of(ids) == ["Delivered"]


def test_a_connection_that_is_restored_between_look_and_parking_parks_nothing(
    connection, tenant, runtime
):
    """The connection is locked while its state decides."""
    sent(connection)
    [row] = outbox.claim("bulk", tenant, 9, token="t", now=clock.now(), lease=timedelta(seconds=30))
    parked_documents.park([row.id], "t", connection.id, clock.now())

    assert lanes() == [outbox.CHORES]


def test_a_connection_that_is_revoked_between_look_and_parking_parks_nothing(
    connection, tenant, runtime
):
    """Its documents are due, so that they fail; parked, they would wait for ever."""
    sent(connection)
    [row] = outbox.claim("bulk", tenant, 9, token="t", now=clock.now(), lease=timedelta(seconds=30))
    accounts.revoke(tenant, connection.id)
    parked_documents.park([row.id], "t", connection.id, clock.now())

    assert lanes() == [outbox.CHORES]


@pytest.mark.parametrize("statement", range(12))
def test_no_document_is_parked_for_ever_by_a_crash(
    connection, tenant, runtime, toll, statement, moved
):
    """Whichever statement the worker dies before, a usable connection sends everything."""
    toll.authority.withdrawn.add("NL1")
    ids = sent(connection, 2)
    work(runtime, tenant, crash=statement)
    moved[0] += checks.LEASE
    consented(connection, runtime, toll)
    _set(connection, state="active")
    for _ in range(3):
        moved[0] += timedelta(minutes=5)
        outbox.release_expired(clock.now())
        parked_documents.reconcile()
        work(runtime, tenant)

    assert of(ids) == ["Delivered"] * 2


def test_the_sweep_resumes_documents_of_a_usable_connection(connection, tenant, runtime):
    sent(connection, 2)
    with db.writing() as database:
        database.execute(sa.update(Outbox).values(lane=outbox.PARKED, parked_by=connection.id))

    assert parked_documents.reconcile() == 2
    assert lanes() == [outbox.CHORES] * 2
    assert parked_documents.reconcile() == 0


def test_an_operator_may_settle_a_parked_document(connection, tenant, runtime, toll):
    toll.authority.withdrawn.add("NL1")
    accounts.check(tenant, connection.id, runtime)
    ids = sent(connection)
    work(runtime, tenant)
    operations.resolve(ids[0], "failed", b"a letter", "letter.txt", "given up")

    assert (of(ids), lanes()) == (["Failed"], [])


# -- throttling and batches ------------------------------------------------------------------------


def test_a_throttled_document_delays_all_of_its_connection(
    connection, tenant, runtime, toll, moved
):
    """One chunk is tried, not each of them; also those that are accepted later."""
    other = a_connection(tenant, runtime, toll, "NL2")
    toll.authority.throttled["NL1"] = 600.0
    ids, free = sent(connection, 30), sent(other, 3)
    work(runtime, tenant)
    late = sent(connection, 5)
    work(runtime, tenant)

    assert toll.authority.requests == 4 + 3
    assert of(free) == ["Delivered"] * 3
    del toll.authority.throttled["NL1"]
    moved[0] += timedelta(seconds=601)
    work(runtime, tenant)
    assert of(ids + late) == ["Delivered"] * 35


def test_others_are_delayed_for_an_hour_at_most(connection, tenant, runtime, toll):
    toll.authority.throttled["NL1"] = 9e9
    sent(connection, 9)
    work(runtime, tenant)
    with db.reading() as database:
        due = sorted(database.execute(sa.select(Outbox.due_at)).scalars())

    assert due[0] < clock.now() + timedelta(hours=1)


def test_a_batch_has_documents_of_one_connection_and_one_key(
    connection, tenant, runtime, toll, monkeypatch
):
    other = a_connection(tenant, runtime, toll, "NL2")
    batches = []

    def submit_many(self, batch):
        batches.append({(self._connection.account, envelope.number[0]) for envelope, _ in batch})
        return [Delivered((RECEIPT,)) for _ in batch]

    can = type(toll.point).capabilities
    many = type(can)(has_status=True, bulk=50, needs_lookup=False, formats=can.formats)
    monkeypatch.setattr(BoundClearance, "capabilities", many)
    monkeypatch.setattr(BoundClearance, "submit_many", submit_many)
    monkeypatch.setattr(type(toll.point), "batch_key", lambda self, e: e.number[0], raising=False)
    for one in (connection, other):
        for number in ("A1", "B1", "A2"):
            sent(one, number=number)
    work(runtime, tenant)

    assert sorted(map(sorted, batches)) == [[(a, k)] for a in ("NL1", "NL2") for k in "AB"]


def test_an_access_point_that_cannot_be_bound_sends_nothing(
    connection, tenant, runtime, toll, monkeypatch
):
    """It counts as NotSent: tried again, and Failed in the end."""

    def refuse(*_):
        raise RuntimeError("cs-very-secret")

    monkeypatch.setattr(type(toll.point), "bound", refuse)
    ids = sent(connection)
    work(runtime, tenant)

    assert of(ids, Transmission.phase) == ["queued"]
    assert "RuntimeError" in of(ids, Transmission.reason)[0]
    assert "cs-very-secret" not in of(ids, Transmission.reason)[0]


def test_blocked_without_a_connection_counts_as_not_sent(app, tenant):
    ids = [accepted(tenant).transmission_id]
    work = operations._find_open(ids[0])
    verdict = outcomes.settle(work, 0, Blocked("no account"), Capabilities(), clock.now())

    assert (verdict.settlement.phase, verdict.blocked) == (Phase.QUEUED, None)
    assert verdict.again[1] > clock.now()
