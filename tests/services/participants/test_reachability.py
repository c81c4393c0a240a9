"""Background lookups of the participants of directory entries (decisions 2, 19.13)."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.directory import CUSTOMER, SUPPLIER
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.types import DirectoryUnavailable, NotRegistered
from einvoice.services.account import tenants
from einvoice.services.directory import entries
from einvoice.services.participants import reachability
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.sending import registrations
from einvoice.store.tables import Customer, Outbox, Supplier
from einvoice.web.runtime import runtime_of

RECEIVER = ParticipantId.parse("0088:9520000000004")


def customer(tenant, name="Buyer BV", **given):
    return entries.create(CUSTOMER, tenant, {"name": name, **given})


class Worker:
    """Claims and carries out the work of the lane, by a clock that the test sets."""

    def __init__(self, app, tenant):
        self.runtime, self.tenant, self.moment = runtime_of(app), tenant, clock.now()

    def claim(self):
        rows = outbox.claim(outbox.CHORES, self.tenant, 100, token="t", now=self.moment,
                            lease=timedelta(days=9))  # fmt: skip
        return [row.id for row in rows]

    def work(self, seconds=5):
        self.moment += timedelta(seconds=seconds)
        reachability.check(self.claim(), "t", self.runtime)


def status(tenant, entry, kind=CUSTOMER):
    return entries.get(kind, tenant, entry.id).network_status


def pending():
    with db.reading() as connection:
        return connection.execute(
            sa.select(sa.func.count()).where(Outbox.kind == outbox.LOOKUP)
        ).scalar_one()


@pytest.mark.parametrize(
    ("kind", "participant", "expected"),
    [
        (CUSTOMER, "0088:9520000000004", "Reachable"),
        (CUSTOMER, "0088:9520000000080", "NotReachable"),
        (CUSTOMER, "0088:9520000000097", "NotReachable"),
        (SUPPLIER, "0088:9520000000097", "Reachable"),
        (SUPPLIER, "0088:9520000000080", "NotReachable"),
    ],
)
def test_a_participant_is_looked_up(app, tenant, kind, participant, expected):
    """A customer must receive invoices; a supplier only has to be in the directory."""
    entry = entries.create(kind, tenant, {"name": "N", "peppol_id": participant})
    assert status(tenant, entry, kind) == "Checking"
    Worker(app, tenant).work()
    checked = entries.get(kind, tenant, entry.id)

    assert checked.network_status == expected
    assert checked.network_checked_at is not None
    assert checked.version == 1, "only people's changes count"
    assert pending() == 0


def test_a_lookup_stores_the_access_point_ref(app, tenant):
    entry = customer(tenant, peppol_id=str(RECEIVER))
    worker = Worker(app, tenant)
    worker.work()
    found = entries.invoice_defaults(
        CUSTOMER, tenant, entry.id, clock.today(), worker.runtime.access_points
    )

    assert (found.environment, len(found.access_point_ref)) == (Environment.TEST, 36)


def test_a_directory_that_does_not_answer_is_asked_again(app, tenant):
    """Participant …0158 answers the second time."""
    entry = customer(tenant, peppol_id="0088:9520000000158")
    worker = Worker(app, tenant)
    worker.work()
    assert (status(tenant, entry), pending()) == ("Unknown", 1)
    worker.work(seconds=0)
    assert status(tenant, entry) == "Unknown", "not at once"
    worker.work(seconds=120)

    assert (status(tenant, entry), pending()) == ("Reachable", 0)


def test_without_an_access_point_the_status_is_unknown(app, tenant):
    """A tenant with a live participant is looked up live, where no access point is installed."""
    tenants.own_participant(tenant, Environment.LIVE, ParticipantId.parse("0208:0123456749"))
    elsewhere = customer(tenant, peppol_id="0208:0123456749")
    sandbox = customer(tenant, peppol_id=str(RECEIVER))
    Worker(app, tenant).work()

    assert (status(tenant, elsewhere), pending()) == ("Unknown", 0)
    assert status(tenant, sandbox) == "Reachable", "it exists in the sandbox only"


def test_the_answer_about_a_former_participant_id_is_not_stored(app, tenant):
    """The id changed while a worker was asking; the change planned a lookup of its own."""
    entry = customer(tenant, peppol_id="0088:9520000000080")
    worker = Worker(app, tenant)
    worker.moment += timedelta(seconds=5)
    ids = worker.claim()
    entries.change(CUSTOMER, tenant, entry.id, {"peppol_id": str(RECEIVER)})
    reachability.check(ids, "t", worker.runtime)
    assert status(tenant, entry) == "Reachable"
    reachability.check(ids, "t", worker.runtime)
    worker.work()

    assert (status(tenant, entry), pending()) == ("Reachable", 0)


def test_the_lookup_of_a_killed_worker_is_done_by_the_next(app, tenant):
    entry = customer(tenant, peppol_id=str(RECEIVER))
    now = clock.now() + timedelta(seconds=5)
    claimed = outbox.claim(
        outbox.CHORES, tenant, 9, token="dead", now=now, lease=timedelta(seconds=-10)
    )
    reachability.check([row.id for row in claimed], "dead", runtime_of(app))
    assert (status(tenant, entry), pending()) == ("Checking", 1)
    outbox.release_expired(now)
    Worker(app, tenant).work()

    assert status(tenant, entry) == "Reachable"


def test_a_deleted_entry_or_id_leaves_no_lookup(app, tenant):
    entry, other = customer(tenant, peppol_id=str(RECEIVER)), customer(tenant, "Other")
    entries.change(CUSTOMER, tenant, other.id, {"peppol_id": str(RECEIVER)})
    entries.change(CUSTOMER, tenant, other.id, {"peppol_id": None})
    assert status(tenant, other) == "Unknown"
    entries.remove(CUSTOMER, tenant, entry.id)
    Worker(app, tenant).work()

    assert pending() == 0


def test_a_given_status_stays_until_the_first_lookup(app, tenant):
    """Decisions 19.13."""
    values = {"name": "S", "country_code": "BE", "network_status": "Reachable"}
    entry = entries.create(SUPPLIER, tenant, values)
    looked_up = entries.create(SUPPLIER, tenant, values | {"peppol_id": "0088:9520000000080"})
    assert status(tenant, looked_up, SUPPLIER) == "Reachable"
    Worker(app, tenant).work()

    assert status(tenant, entry, SUPPLIER) == "Reachable"
    assert status(tenant, looked_up, SUPPLIER) == "NotReachable"


@pytest.fixture
def directory(app, monkeypatch):
    """`directory(look_up)`: the simulator's lookups are answered by this function from now on."""
    point = type(runtime_of(app).access_points["simulator"])
    return lambda look_up: monkeypatch.setattr(point, "lookup", look_up)


def silent(self, participant):
    raise DirectoryUnavailable("not now")


def test_a_directory_that_is_silent_for_a_day_is_not_asked_again(app, tenant, directory):
    directory(silent)
    entry = customer(tenant, peppol_id=str(RECEIVER))
    with db.writing() as connection:
        asked = clock.now() - reachability.MAX_RETRY_PERIOD - timedelta(seconds=1)
        connection.execute(sa.update(Customer).values(network_asked_at=asked))
    Worker(app, tenant).work()

    assert (status(tenant, entry), pending()) == ("Unknown", 0)


def test_a_silent_directory_does_not_end_a_known_registration(app, tenant, directory):
    customer(tenant, peppol_id=str(RECEIVER))
    Worker(app, tenant).work()
    directory(silent)
    customer(tenant, "Again", peppol_id=str(RECEIVER))
    Worker(app, tenant).work()

    known = registrations.of_participant(RECEIVER.canonical, "simulator", tenant, "test")
    assert known is not None
    assert known.registered


def test_an_answer_is_not_stored_if_the_id_changed_meanwhile(app, tenant, directory):
    entry = customer(tenant, peppol_id=str(RECEIVER))

    def look_up(self, participant):
        with app.app_context():
            entries.change(CUSTOMER, tenant, entry.id, {"peppol_id": "0088:9520000000080"})
        return NotRegistered()

    directory(look_up)
    Worker(app, tenant).work()

    assert status(tenant, entry) == "Checking"


def test_a_lookup_is_a_change_only_if_it_changes_the_status(app, tenant):
    """`updatedSince` finds entries whose status changed."""
    given = {"name": "S", "country_code": "BE"}
    known = {"peppol_id": str(RECEIVER), "network_status": "Reachable"}
    same = entries.create(SUPPLIER, tenant, given | known)
    changed = entries.create(SUPPLIER, tenant, given | {"peppol_id": "0088:9520000000011"})
    long_ago = clock.now() - timedelta(days=1)
    with db.writing() as connection:
        connection.execute(sa.update(Supplier).values(updated_at=long_ago))
    Worker(app, tenant).work()

    assert entries.get(SUPPLIER, tenant, same.id).updated_at == long_ago
    assert entries.get(SUPPLIER, tenant, changed.id).updated_at > long_ago


def test_lookups_of_an_import_are_spread_over_time(app, tenant, monkeypatch):
    """An import of thousands must not delay the polls and retries of the same lane."""
    monkeypatch.setattr(reachability, "LOOKUPS_PER_SECOND", 2)
    now = clock.now()
    with db.writing() as connection:
        reachability.plan_lookups(connection, tenant, ["a", "b", "c"], now)
    with db.reading() as connection:
        due = connection.execute(sa.select(Outbox.due_at).order_by(Outbox.due_at)).scalars().all()

    assert due == [now, now, now + timedelta(seconds=1)]
