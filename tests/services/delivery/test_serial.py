"""Documents of one key are sent one after the other, and each sees what the last one left."""

from __future__ import annotations

import contextlib
import json
import threading
import uuid
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.network.types import (
    Blocked,
    ConnectionState,
    Delivered,
    NotSent,
    Pending,
    Prepared,
    Rejected,
    Unknown,
)
from einvoice.services.account import closure as account_closing
from einvoice.services.account import tenants
from einvoice.services.connections import accounts, opened_accounts, parked_documents
from einvoice.services.delivery import following, operations, transmit
from einvoice.services.delivery.job_parts import JobPart
from einvoice.store import outbox
from einvoice.store.connections import connections as stored
from einvoice.store.core import db
from einvoice.store.installation import recoveries
from einvoice.store.sending import acceptance, sequences
from einvoice.store.tables import Outbox, Sequence, Transmission
from einvoice.web.runtime import runtime_of
from tests.builders import accepted, new_send
from tests.crashes import Crash, crash_before
from tests.networks.toll.authority import Link
from tests.networks.toll.chain import BoundChain, ChainPlugin
from tests.networks.toll.clearance import RECEIPT
from tests.services.delivery.sending_by_connection import (
    a_connection,
    lanes,
    opened_connection,
    work,
)
from tests.store.plans import executed


@pytest.fixture
def toll():
    return ChainPlugin()


@pytest.fixture
def app(make_app, toll):
    app = make_app(plugins=[toll])
    with app.app_context():
        yield app


def place(connection, unit, number=1):
    return {
        "access_point": "toll-clearance-test",
        "connection_id": connection.id,
        "sequence_key": unit,
        "number": f"{unit}-{number}",
    }


def sent(connection, unit="A", count=1):
    """The transmissions of bills of a unit, in the order of acceptance."""
    return [
        accepted(connection.tenant_id, **place(connection, unit, n)).transmission_id
        for n in range(count)
    ]


def statuses(ids):
    query = sa.select(Transmission.id, Transmission.status).where(Transmission.id.in_(ids))
    with db.reading() as found:
        known = dict(found.execute(query).all())
    return [known[each] for each in ids]


def sequence_rows():
    with db.reading() as found:
        return found.execute(sa.select(sa.func.count()).select_from(Sequence)).scalar_one()


def messages(toll, unit="A"):
    """The counters of a unit, in the order in which the authority got them."""
    return [link.counter for link in toll.authority.chains.get(("NL1", unit), [])]


def test_documents_of_one_key_go_one_after_the_other(connection, tenant, runtime, toll):
    """Each is prepared with the state that the last one left."""
    ids = sent(connection, count=4)
    assert lanes() == ["bulk", outbox.WAITING, outbox.WAITING, outbox.WAITING]
    for done in range(1, 5):
        work(runtime, tenant)
        assert statuses(ids) == ["Delivered"] * done + ["Processing"] * (4 - done)

    assert messages(toll) == [1, 2, 3, 4]
    assert toll.authority.faults == []
    assert list(toll.authority.cleared) == [f"{each}@toll" for each in ids]
    assert (lanes(), sequence_rows()) == ([], 0)


def follow(runtime, tenant):
    """A job of the lane bulk with the row that is due."""
    token, now, lease = uuid.uuid4().hex, clock.now(), timedelta(seconds=30)
    rows = outbox.claim(outbox.BULK, tenant, 1, token=token, now=now, lease=lease)
    transmit.follow([row.id for row in rows], token, runtime)


@pytest.mark.parametrize(
    ("limit", "held", "done"), [(60.0, False, 3), (0.0, False, 1), (60.0, True, 1)]
)
def test_a_job_goes_on_with_what_comes_next_in_its_sequence(
    connection, tenant, runtime, toll, monkeypatch, limit, held, done
):
    """For a while, with those of its own sequences, and not while deliveries are held."""
    monkeypatch.setattr(following, "BEGIN_SECONDS", limit)
    ids, other = sent(connection, count=3), sent(connection, "B")
    if held:
        with db.writing() as database:
            recoveries.hold(database, str(uuid.uuid4()), clock.now())
    follow(runtime, tenant)

    assert statuses(ids) == ["Delivered"] * done + ["Processing"] * (3 - done)
    assert statuses(other) == ["Processing"]
    assert messages(toll) == list(range(1, done + 1))


def test_a_job_leaves_what_comes_next_to_others_where_its_own_is_not_final(
    connection, tenant, runtime, monkeypatch
):
    monkeypatch.setattr(BoundChain, "submit", lambda *_: NotSent("later", retry_after=60))
    first, second = sent(connection, count=2)
    follow(runtime, tenant)

    assert statuses([first, second]) == ["Processing"] * 2
    assert lanes() == [outbox.CHORES, outbox.WAITING]


def test_keys_do_not_wait_for_each_other(connection, tenant, runtime, toll):
    """Nor does a document without a key, or one of another connection."""
    other = a_connection(tenant, runtime, toll, "NL2")
    ids = [sent(connection, unit)[0] for unit in "ABC"] + sent(other, "A")
    at_toll = {"access_point": "toll-clearance-test", "connection_id": connection.id}
    # Of no unit: the authority takes them in any order.
    free = [accepted(tenant, **at_toll, number=f"free {n}") for n in range(3)]
    work(runtime, tenant)

    assert statuses(ids) == ["Delivered"] * 4
    assert statuses([each.transmission_id for each in free]) == ["Delivered"] * 3
    assert toll.authority.faults == []


@pytest.mark.parametrize(
    ("outcome", "attention"),
    [
        (NotSent("later", retry_after=60), False),
        (Pending("p", None), False),
        (Unknown("no answer", ask_after=60), False),
        (Blocked("The consent has ended."), False),
    ],
)
def test_a_document_that_is_not_final_keeps_its_key(
    connection, tenant, runtime, toll, monkeypatch, outcome, attention
):
    monkeypatch.setattr(BoundChain, "submit", lambda *_: outcome)
    first, second = sent(connection, count=2)
    work(runtime, tenant, rounds=3)

    assert statuses([first, second]) == ["Processing"] * 2
    assert sequences.holder_of(second) == first
    assert outbox.WAITING in lanes()
    [blocking] = operations.blocking_sequences()
    assert (blocking.holder, blocking.waiting, blocking.key) == (first, 1, "A")


@pytest.mark.parametrize("outcome", ["failed", "delivered"])
def test_an_operator_frees_the_key(connection, tenant, runtime, toll, monkeypatch, outcome):
    with monkeypatch.context() as patched:
        patched.setattr(BoundChain, "submit", lambda *_: Pending("p", None))
        first, second = sent(connection, count=2)
        work(runtime, tenant)
    operations.resolve(first, outcome, b"a letter", "letter.txt", None)
    with db.writing() as database:
        database.execute(sa.update(stored.Connection).values(plugin_state=None))
    work(runtime, tenant)

    assert statuses([second]) == ["Delivered"]


def test_a_rejected_document_frees_its_key_in_the_same_transaction(
    connection, tenant, runtime, toll, monkeypatch
):
    with monkeypatch.context() as patched:
        patched.setattr(BoundChain, "prepare", lambda *_: Rejected("T", "no"))
        first, second = sent(connection, count=2)
        work(runtime, tenant)
    assert statuses([first, second]) == ["Failed", "Processing"]
    work(runtime, tenant)

    assert statuses([second]) == ["Delivered"]
    assert messages(toll) == [1]


def test_resolving_a_waiting_document_leaves_the_others_in_order(connection, tenant, runtime, toll):
    ids = sent(connection, count=3)
    operations.resolve(ids[1], "failed", b"a letter", "letter.txt", None)
    work(runtime, tenant, rounds=2)

    assert statuses(ids) == ["Delivered", "Failed", "Delivered"]
    assert messages(toll) == [1, 2]


def test_an_operator_cannot_make_a_waiting_document_due(connection, tenant, runtime):
    _, second = sent(connection, count=2)
    operations.retry_now(second)

    assert lanes() == ["bulk", outbox.WAITING]


def test_the_time_of_a_waiting_document_does_not_count(
    connection, tenant, runtime, toll, moved, monkeypatch
):
    with monkeypatch.context() as patched:
        patched.setattr(BoundChain, "submit", lambda *_: Pending("p", None))
        first, second = sent(connection, count=2)
        work(runtime, tenant)
        moved[0] += timedelta(hours=80)
        operations.resolve(first, "delivered", b"<Receipt/>", "r.xml", None)
        patched.setattr(BoundChain, "submit", lambda *_: NotSent("later"))
        work(runtime, tenant)
    assert statuses([second]) == ["Processing"]
    moved[0] += timedelta(seconds=60)
    toll.authority.chains[("NL1", "A")] = [_last(connection, runtime)]
    work(runtime, tenant)

    assert statuses([first, second]) == ["Delivered"] * 2


def _last(connection, runtime):
    """The link before the one that is stored as the last."""
    state = opened_connection(connection, runtime).state
    link = Link(**json.loads(state["unit A"]))
    return Link("A", link.counter - 1, "", link.previous)


@pytest.mark.parametrize("closing", [False, True])
def test_waiting_documents_of_a_revoked_connection_fail(connection, tenant, runtime, toll, closing):
    ids = sent(connection, count=30) + sent(connection, "B", 2)
    if closing:
        account_closing.close(tenant, runtime.caches)
    else:
        accounts.revoke(tenant, connection.id)
    work(runtime, tenant)

    assert set(statuses(ids)) == {"Failed"}
    assert (lanes(), sequence_rows()) == ([], 0)
    assert toll.authority.requests == 0


def test_the_order_is_that_of_acceptance(app, connection, tenant, runtime, toll):
    """Of requests at the same time, and of those of one batch."""

    def accept():
        with app.app_context():
            for _ in range(5):
                batch = [new_send(tenant, **place(connection, unit)) for unit in "BAB"]
                acceptance.accept_many(batch)

    threads = [threading.Thread(target=accept) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    query = (
        sa.select(Outbox.subject_id)
        .join(Transmission, Transmission.id == Outbox.subject_id)
        .where(Transmission.sequence_key == "A")
        .order_by(Outbox.id)
    )
    with db.reading() as found:
        order = list(found.execute(query).scalars())
    work(runtime, tenant, rounds=45)

    of_a = [m.removesuffix("@toll") for m in toll.authority.cleared]
    assert [each for each in of_a if each in set(order)] == order
    assert (messages(toll), messages(toll, "B")) == ([*range(1, 21)], [*range(1, 41)])
    assert toll.authority.faults == []


# -- the state of the connection -------------------------------------------------------------------


def test_two_workers_never_overwrite_the_state_of_each_other(
    app, connection, tenant, runtime, toll
):
    """The second prepares again with what the first has stored; no counter is used twice."""
    units = [f"U{n}" for n in range(6)]
    ids = [each for unit in units for each in sent(connection, unit, 4)]

    def run():
        with app.app_context():
            for _ in range(60):
                token, now = uuid.uuid4().hex, clock.now()
                for lane in ("bulk", "chores"):
                    rows = outbox.claim(
                        lane, tenant, 2, token=token, now=now, lease=timedelta(seconds=60)
                    )
                    if rows:
                        transmit.advance([row.id for row in rows], token, runtime)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    work(runtime, tenant, rounds=30)

    assert set(statuses(ids)) == {"Delivered"}
    assert toll.authority.faults == []
    assert all(messages(toll, unit) == [1, 2, 3, 4] for unit in units)


def test_a_lost_race_sends_nothing_and_prepares_again(
    connection, tenant, runtime, toll, monkeypatch
):
    prepare, calls = BoundChain.prepare, []

    def raced(self, envelope):
        made = prepare(self, envelope)
        calls.append(made)
        if len(calls) == 1:  # another worker stores the state of another unit
            account = opened_accounts.opened(connection.id, toll.point, runtime)
            with db.writing() as database:
                assert account.store_state(database, {"unit Z": "kept"})
        return made

    monkeypatch.setattr(BoundChain, "prepare", raced)
    ids = sent(connection)
    work(runtime, tenant)

    assert statuses(ids) == ["Delivered"]
    assert (len(calls), toll.authority.requests) == (2, 1)
    assert opened_connection(connection, runtime).state["unit Z"] == "kept"


def test_a_race_that_is_lost_each_time_is_tried_later(
    connection, tenant, runtime, toll, monkeypatch
):
    monkeypatch.setattr(stored, "change_state", lambda *_: False)
    ids = sent(connection)
    work(runtime, tenant)
    assert (statuses(ids), lanes()) == (["Processing"], ["chores"])
    assert toll.authority.requests == 0
    monkeypatch.undo()
    work(runtime, tenant)

    assert statuses(ids) == ["Delivered"]


def test_the_state_of_another_connection_is_refused(connection, tenant, runtime, toll, monkeypatch):
    """Nothing is sent and nothing stored."""
    other = a_connection(tenant, runtime, toll, "NL2")
    foreign = Prepared("m", connection_state=ConnectionState(other.id, {"stolen": "yes"}))
    monkeypatch.setattr(BoundChain, "prepare", lambda *_: foreign)
    ids = sent(connection)
    work(runtime, tenant)

    assert toll.authority.requests == 0
    assert statuses(ids) == ["Processing"]
    assert opened_connection(connection, runtime).state == opened_connection(other, runtime).state
    assert "stolen" not in opened_connection(other, runtime).state


def test_a_state_that_is_too_large_sends_nothing(connection, tenant, runtime, toll, monkeypatch):
    huge = Prepared("m", connection_state=ConnectionState(connection.id, {"x": "y" * 2_000_000}))
    monkeypatch.setattr(BoundChain, "prepare", lambda *_: huge)
    ids = sent(connection)
    work(runtime, tenant)

    assert toll.authority.requests == 0
    assert statuses(ids) == ["Processing"]


def test_a_check_keeps_the_state_that_documents_have_left(
    connection, tenant, runtime, toll, monkeypatch
):
    """And stores the token that it has got, which the network accepts no other for."""
    check = type(toll.point).check

    def meanwhile(self, opened):
        sent(connection)
        work(runtime, tenant)
        return check(self, opened)

    with monkeypatch.context() as patched:
        patched.setattr(type(toll.point), "check", meanwhile)
        accounts.check(tenant, connection.id, runtime)
    opened = opened_connection(connection, runtime)
    assert "unit A" in opened.state
    assert opened.credentials["refreshToken"] == toll.authority.issued["NL1"][-1]
    accounts.check(tenant, connection.id, runtime)
    sent(connection)
    work(runtime, tenant)

    assert messages(toll) == [1, 2]


@pytest.mark.parametrize("statement", range(16))
def test_a_crash_leaves_no_gap_and_no_waiting_document(
    connection, tenant, runtime, toll, statement, moved
):
    """Before any statement of the worker."""
    ids = sent(connection, count=3)
    work(runtime, tenant, crash=statement)
    for _ in range(8):
        moved[0] += timedelta(minutes=5)
        outbox.release_expired(clock.now())
        work(runtime, tenant)

    assert statuses(ids) == ["Delivered"] * 3
    assert messages(toll) == [1, 2, 3]
    assert toll.authority.faults == []


@pytest.mark.parametrize("statement", range(8))
def test_a_crash_while_accepting_stores_all_or_nothing(connection, tenant, statement):
    sent(connection)
    with contextlib.suppress(Crash), crash_before(statement):
        acceptance.accept(new_send(tenant, **place(connection, "A")))
    with db.reading() as found:
        waiting = found.execute(
            sa.select(sa.func.count()).where(Outbox.waits_for.is_not(None))
        ).scalar_one()
        stored_ = found.execute(sa.select(sa.func.count()).select_from(Transmission)).scalar_one()

    assert waiting == stored_ - 1


def test_the_sweep_hands_on_the_key_of_a_final_document(connection, tenant, runtime):
    first, second = sent(connection, count=2)
    with db.writing() as database:
        database.execute(
            sa.update(Transmission).where(Transmission.id == first).values(status="Delivered")
        )

    assert parked_documents.reconcile() == 1
    with db.reading() as found:
        assert found.execute(sa.select(Sequence.holder)).scalar_one() == second


def test_a_document_without_a_key_leaves_the_state_as_it_is(connection, tenant, runtime, toll):
    plain = place(connection, "A") | {"sequence_key": None, "number": "17"}
    before = _state_version()
    ids = [accepted(tenant, **plain).transmission_id]
    work(runtime, tenant)

    assert (statuses(ids), _state_version()) == (["Delivered"], before)
    assert messages(toll) == []


def _state_version():
    with db.reading() as found:
        return found.execute(sa.select(stored.Connection.state_version)).scalar_one()


def test_evidence_after_the_final_status_does_not_keep_the_key(
    connection, tenant, runtime, monkeypatch
):
    following = Delivered((RECEIPT,), Pending("later", clock.now() + timedelta(hours=1)))
    monkeypatch.setattr(BoundChain, "submit", lambda *_: following)
    ids = sent(connection, count=2)
    work(runtime, tenant, rounds=2)

    assert statuses(ids) == ["Delivered"] * 2


def test_a_document_of_another_network_reads_neither_connections_nor_sequences(tenant_of_plain_app):
    """From the acceptance to the outcome: the protocols cost it no statement and no lock."""
    app, tenant = tenant_of_plain_app
    with app.app_context(), executed() as found:
        ids = [accepted(tenant).transmission_id for _ in range(3)]
        work(runtime_of(app), tenant)
        attempts = sa.select(Transmission.attempts).where(Transmission.id.in_(ids))
        with db.reading() as database:
            assert list(database.execute(attempts).scalars()) == [1, 1, 1]

    tables = ("connections", "sequences")
    touched = [sql for sql, *_ in found if any(name in sql.split() for name in tables)]
    assert touched == []
    assert len(found) > 5


@pytest.fixture
def tenant_of_plain_app(make_app):
    app = make_app()
    with app.app_context():
        return app, tenants.create("Plain")


def test_accounts_of_a_job_do_not_wait_for_the_answers_to_each_other(
    connection, tenant, runtime, toll, monkeypatch
):
    """Each has one document, which is submitted when all of them are."""
    accounts_ = [connection, *(a_connection(tenant, runtime, toll, f"NL{n}") for n in (2, 3))]
    together, submit = threading.Barrier(len(accounts_)), BoundChain.submit

    def submitted(self, envelope, prepared):
        together.wait(timeout=30)
        return submit(self, envelope, prepared)

    monkeypatch.setattr(BoundChain, "submit", submitted)
    ids = [sent(each)[0] for each in accounts_]
    work(runtime, tenant)

    assert statuses(ids) == ["Delivered"] * 3


def test_what_one_account_of_a_job_raises_ends_the_job_after_the_others(
    connection, tenant, runtime, toll, monkeypatch
):
    other = a_connection(tenant, runtime, toll, "NL2")
    write = JobPart.write

    def written(self, settled):
        if self.account is not None and self.account.id == other.id:
            raise LookupError("of this account")
        write(self, settled)

    monkeypatch.setattr(JobPart, "write", written)
    ids = [sent(each)[0] for each in (other, connection)]
    with pytest.raises(LookupError, match="of this account"):
        work(runtime, tenant)

    assert statuses(ids) == ["Processing", "Delivered"]
