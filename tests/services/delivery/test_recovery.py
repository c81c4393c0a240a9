"""After a restore nothing is sent until the networks were asked what was sent meanwhile."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.errors import Conflict
from einvoice.network.types import Rejected, Repeat
from einvoice.services.account import audit
from einvoice.services.delivery import comparison, operations, recovery, transmit
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.installation import recoveries
from einvoice.store.tables import Artefact, AuditEntry, Event, Outbox, Transmission
from einvoice.web.runtime import runtime_of
from tests.access_points import http_access_point
from tests.access_points.http_network import Behaviour, deliveries, running
from tests.sandbox import Sandbox

RECEIVER = "0088:9520000000998"
_BEFORE = {
    "status": "Processing", "phase": "queued", "attempts": 0, "fence": 0, "message_id": None,
    "prepared": None, "settled_at": None, "pending": None,
}  # fmt: skip


class Network:
    """The service with a network whose ledger counts what was taken."""

    def __init__(self, sandbox, ledger, switch) -> None:
        self.sandbox, self._ledger, self.switch = sandbox, ledger, switch
        self.since = clock.now()

    @property
    def taken(self) -> list[int]:
        """How often each document was taken."""
        return sorted(deliveries(self._ledger).values())

    def restore(self, invoices) -> None:
        """Put documents into the state before their first attempt."""
        with db.writing() as connection:
            rows = connection.execute(
                sa.update(Transmission)
                .where(Transmission.invoice_id.in_(invoices))
                .values(**_BEFORE)
                .returning(Transmission.id)
            ).scalars()
            for transmission_id in list(rows):
                outbox.enqueue(
                    connection, kind=outbox.TRANSMISSION, lane=outbox.BULK,
                    subject_id=transmission_id, tenant_id=self.sandbox.tenant,
                    due_at=self.since, access_point="http-test",
                )  # fmt: skip

    def accept(self) -> str:
        """A document that no worker has seen."""
        return self.sandbox.post(RECEIVER).json["invoiceId"]

    def recover(self, *, repeat=False):
        with audit.of_operator():
            return recovery.recover(
                self.since, self.sandbox.runtime, lambda *_: None, repeat=repeat
            )


@pytest.fixture
def network(make_app, monkeypatch, tmp_path):
    with running(tmp_path / "ledger", Behaviour()) as url:
        monkeypatch.setenv("HTTP_ACCESS_POINT_URL", url)
        app = make_app(plugins=[http_access_point])
        with app.app_context():
            sandbox = Sandbox.of(app)
            monkeypatch.setattr(clock, "now", lambda: sandbox.moment)
            point = sandbox.runtime.access_points["http-test"]

            def switch(**capabilities):
                changed = {**_slots(point.capabilities), **capabilities}
                point.capabilities = type(point.capabilities)(**changed)

            yield Network(sandbox, tmp_path / "ledger", switch)


def _slots(capabilities):
    return {name: getattr(capabilities, name) for name in type(capabilities).__slots__}


def _row(invoice):
    query = sa.select(Transmission).where(Transmission.invoice_id == invoice)
    with db.reading_session() as session:
        return session.scalars(query).one()


def test_what_was_sent_after_the_moment_is_found_and_not_sent_again(network):
    """Documents that were not sent are, once deliveries go on."""
    sent = [network.sandbox.send(RECEIVER) for _ in range(3)]
    network.restore(sent)
    waiting = network.accept()
    recovery.hold()
    done = network.recover()
    assert [network.sandbox.status(one) for one in sent] == ["Delivered"] * 3
    assert (done.plans[0].asked, done.unanswered) == (4, 0)

    network.sandbox.work(60)
    assert network.sandbox.status(waiting) == "Delivered"
    assert network.taken == [1, 1, 1, 1]


def test_what_cannot_be_prepared_any_more_fails_once_deliveries_go_on(network, monkeypatch):
    """It never could be, so nothing of it was submitted: it is not unknown for ever."""
    waiting = network.accept()
    point = network.sandbox.runtime.access_points["http-test"]
    recovery.hold()
    monkeypatch.setattr(point, "prepare", lambda *_: Rejected("no-place", "no place for it"))
    network.recover()
    network.sandbox.work(60)

    assert network.sandbox.status(waiting) == "Failed"
    assert network.taken == []


def test_while_deliveries_are_held_no_lane_is_open(network):
    network.accept()
    assert outbox.open_lanes() == {outbox.BULK}
    recovery.hold()
    assert outbox.open_lanes() == set()
    network.recover()

    assert outbox.open_lanes() != set()


def test_a_job_that_was_queued_before_the_hold_sends_nothing(network):
    network.accept()
    token, now = "before", clock.now()
    lease = timedelta(hours=1)
    claimed = outbox.claim(
        outbox.BULK, network.sandbox.tenant, 9, token=token, now=now, lease=lease
    )
    recovery.hold()
    transmit.advance([row.id for row in claimed], token, network.sandbox.runtime)
    assert network.taken == []


def test_documents_of_a_network_that_cannot_be_asked_wait_for_an_operator(network):
    """Also where it would recognise a repetition, unless the operator says so."""
    sent = network.sandbox.send(RECEIVER)
    network.restore([sent])
    network.switch(has_status=False, repeat=Repeat.IDEMPOTENT)
    recovery.hold()
    done = network.recover()
    network.sandbox.work(3600)

    assert (done.plans[0].operator, network.taken) == (1, [1])
    assert [work.invoice_id for work in operations.needing_attention()] == [sent]
    assert "restored" in operations.needing_attention()[0].reason


def test_an_operator_may_let_a_network_recognise_repetitions(network):
    sent = network.sandbox.send(RECEIVER)
    network.restore([sent])
    network.switch(has_status=False, repeat=Repeat.IDEMPOTENT)
    recovery.hold()
    done = network.recover(repeat=True)
    network.sandbox.work(60)

    assert (done.plans[0].repeated, network.sandbox.status(sent)) == (1, "Delivered")


def test_repetitions_are_not_sent_to_a_network_that_does_not_recognise_them(network):
    sent = network.sandbox.send(RECEIVER)
    network.restore([sent])
    network.switch(has_status=False, repeat=Repeat.NEVER)
    recovery.hold()
    network.recover(repeat=True)
    network.sandbox.work(60)

    assert (network.taken, network.sandbox.status(sent)) == ([1], "Processing")


def test_documents_accepted_during_the_hold_are_sent_without_asking(network):
    """They are certain, unless they are of the minutes around the moment."""
    network.since -= timedelta(hours=1)
    network.switch(has_status=False)
    recovery.hold()
    network.sandbox.moment += timedelta(seconds=1)
    later = network.accept()
    done = network.recover()
    network.sandbox.work(5)

    assert (list(done.plans), network.sandbox.status(later)) == ([], "Delivered")


def test_a_dry_run_changes_nothing(network):
    network.accept()
    before = _everything()
    points = network.sandbox.runtime.access_points
    plans = recovery.plans(network.since, points, repeat=False)

    assert ([plan.asked for plan in plans], _everything()) == ([1], before)


def _everything():
    with db.reading() as connection:
        return [
            connection.execute(sa.select(*table.__table__.columns)).all()
            for table in (Transmission, Outbox)
        ]


def test_a_recovery_that_was_interrupted_goes_on(network, monkeypatch):
    """The hold lasts meanwhile, and nothing is sent twice."""
    sent = [network.sandbox.send(RECEIVER) for _ in range(3)]
    network.restore(sent)
    recovery.hold()
    monkeypatch.setattr(recovery, "BATCH", 1)
    calls = Counter()

    def interrupted(*_):
        calls["asked"] += 1
        if calls["asked"] == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recovery.recover(network.since, network.sandbox.runtime, interrupted, repeat=False)
    assert recovery.is_held()
    network.recover()
    network.sandbox.work(60)

    assert not recovery.is_held()
    assert [network.sandbox.status(one) for one in sent] == ["Delivered"] * 3
    assert network.taken == [1, 1, 1]


def test_a_network_that_does_not_answer_is_asked_again_by_workers(network, monkeypatch):
    sent = network.sandbox.send(RECEIVER)
    network.restore([sent])
    point = network.sandbox.runtime.access_points["http-test"]
    address, point._url = point._url, "http://127.0.0.1:1"
    recovery.hold()
    done = network.recover()
    assert (done.unanswered, _row(sent).phase) == (1, "unknown")
    point._url = address
    network.sandbox.work(60)

    assert (network.sandbox.status(sent), network.taken) == ("Delivered", [1])


def test_the_time_since_the_moment_does_not_count_against_the_retries(network):
    """A document of yesterday's backup is not given up because a day has passed."""
    network.accept()
    network.since = clock.now() - timedelta(hours=5)
    with db.reading_session() as session:
        before = session.scalars(sa.select(Transmission.retry_until)).one()
    recovery.hold()
    network.recover()
    with db.reading_session() as session:
        after = session.scalars(sa.select(Transmission.retry_until)).one()

    assert after - before >= timedelta(hours=5)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_numbers_of_events_are_not_used_again(network):
    """A consumer whose position is from after the moment gets all new events."""
    network.sandbox.send(RECEIVER)
    with db.reading() as connection:
        last = connection.execute(sa.select(sa.func.max(Event.sequence))).scalar_one()
    recovery.hold()
    network.recover()
    network.sandbox.send(RECEIVER)
    with db.reading() as connection:
        newest = connection.execute(sa.select(sa.func.max(Event.sequence))).scalar_one()

    assert newest > last + 999_999_999


def test_the_recovery_is_in_the_audit_log_of_each_tenant(network):
    network.switch(has_status=False)
    network.accept()
    recovery.hold()
    network.recover()
    query = sa.select(AuditEntry.action, AuditEntry.actor_kind, AuditEntry.detail)
    with db.reading() as connection:
        found = {row.action: (row.actor_kind, row.detail) for row in connection.execute(query)}

    assert found["database.restored"] == ("operator", {"since": clock.timestamp(network.since)})
    assert found["transmission.uncertain"][1] == {"accessPoint": "http-test", "count": 1}


@pytest.mark.parametrize("held_again", [True, False])
def test_a_hold_that_the_backup_had_does_not_count(network, held_again):
    """Documents that were accepted during it were sent after the moment of the second restore."""
    first = network.sandbox.send(RECEIVER)
    network.restore([first])
    recovery.hold()
    with pytest.raises(RuntimeError):
        recovery.recover(network.since, network.sandbox.runtime, _raising, repeat=False)
    network.sandbox.moment += timedelta(hours=1)
    sent = network.sandbox.send(RECEIVER)
    network.since = clock.now()
    network.restore([sent])
    network.sandbox.moment += timedelta(hours=1)
    if held_again:
        recovery.hold()
    done = network.recover()

    assert (done.plans[0].asked, network.taken) == (1, [1, 1])
    assert (network.sandbox.status(sent), recovery.is_held()) == ("Delivered", False)


def test_without_a_hold_there_is_no_recovery(network):
    with pytest.raises(Conflict, match="--hold"):
        network.recover()


def test_a_hold_without_a_restore_is_released(network):
    sent = network.accept()
    recovery.hold()
    recovery.release()
    network.sandbox.work()

    assert (recovery.held(), network.sandbox.status(sent)) == (None, "Delivered")


def test_a_recovery_that_has_begun_is_not_released(network, monkeypatch):
    network.accept()
    recovery.hold()
    monkeypatch.setattr(recovery, "_mark", _raising)
    with pytest.raises(RuntimeError):
        network.recover()

    with pytest.raises(Conflict, match="finish it"):
        recovery.release()


def _raising(*_):
    raise RuntimeError


def test_documents_that_only_the_network_knows_are_listed(network):
    """Those that this database knows are not, whether final or not."""
    known, lost = network.sandbox.send(RECEIVER), network.sandbox.send(RECEIVER)
    gone = _row(lost).id
    with db.writing() as connection:
        connection.execute(sa.delete(Artefact).where(Artefact.transmission_id == gone))
        connection.execute(
            sa.update(Transmission).where(Transmission.id == gone).values(access_point="other")
        )
    [found] = comparison.compare(network.since, network.sandbox.runtime)

    assert (found.access_point, found.listed, found.fault) == ("http-test", 2, None)
    assert [each.reference for each in found.unknown] == [gone]
    assert network.sandbox.status(known) == "Delivered"


@pytest.mark.parametrize("column", ["pending", "evidence"])
def test_references_of_the_network_name_our_documents(network, column):
    sent = network.sandbox.send(RECEIVER)
    transmission = _row(sent).id
    with db.writing() as connection:
        if column == "pending":
            connection.execute(sa.update(Transmission).values(pending={"reference": "5000123"}))
        else:
            connection.execute(sa.update(Artefact).values(authority_reference="5000123"))

    asked = ["5000123", "5000124", transmission]
    assert recoveries.known_references("http-test", asked) == {"5000123", transmission}
    assert recoveries.known_references("another", asked) == set()


def test_a_network_that_does_not_answer_is_named_with_its_fault(network):
    point = network.sandbox.runtime.access_points["http-test"]
    point._url = "http://127.0.0.1:1"
    [found] = comparison.compare(network.since, network.sandbox.runtime)

    assert (found.listed, found.unknown) == (0, ())
    assert "127.0.0.1" in found.fault


@pytest.mark.parametrize(
    ("most", "fails", "fault"),
    [
        (3, False, None),
        (2, False, "only the first 2 were compared"),
        (3, True, "RuntimeError: "),
        (2, True, "RuntimeError: "),
    ],
)
def test_a_comparison_says_why_it_is_not_complete(network, monkeypatch, most, fails, fault):
    """What a network raised is not replaced by the bound."""
    for _ in range(2):
        network.sandbox.send(RECEIVER)
    monkeypatch.setattr(comparison, "MAX_LISTED", most)
    if fails:
        monkeypatch.setattr(recoveries, "known_references", _raising)
    [found] = comparison.compare(network.since, network.sandbox.runtime)

    assert (found.listed, found.fault) == (2, fault)


def test_networks_that_do_not_list_are_named(app):
    with app.app_context():
        found = list(comparison.compare(clock.now(), runtime_of(app)))

    assert {one.fault for one in found} == {"the network does not list what it got"}
