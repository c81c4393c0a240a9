"""The directory of a network has exactly the verified participant ids of open tenants."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.cli import doctor_work
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable, Conflict, NotFound
from einvoice.domain.identifiers import BIS_INVOICE, ParticipantId
from einvoice.network.publishing import BusinessCard, NotYet
from einvoice.services.account import audit, claims, closure, tenants
from einvoice.services.caches import Caches
from einvoice.services.participants import entries, moves, publications
from einvoice.services.participants import publication_checks as checks
from einvoice.store import outbox
from einvoice.store.account import entries as stored
from einvoice.store.account import participants
from einvoice.store.account.tenants import all_tenants
from einvoice.store.core import db
from einvoice.store.tables import AuditEntry, Event, Outbox, ParticipantEntry
from einvoice.web.runtime import runtime_of
from tests.networks import almanac
from tests.networks.almanac import Almanac, Killed
from tests.workers import await_calls, claimed

LIVE, TEST = Environment.LIVE, Environment.TEST
OURS = ParticipantId.parse("0208:0123456749")
OTHER = ParticipantId.parse("0088:9520000000004")
HOUR = timedelta(hours=1)


@pytest.fixture
def app(make_app):
    app = make_app([almanac])
    with app.app_context():
        yield app


@pytest.fixture
def network(app):
    return runtime_of(app).access_points["almanac-live"]


@pytest.fixture
def book(network):
    return network.book


@pytest.fixture
def time(monkeypatch):
    """The moment of now; a test adds to `time[0]`."""
    now = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: now[0])
    return now


@pytest.fixture
def tenant(app):
    made = tenants.create("Acme NV")
    tenants.own_participant(made, LIVE, OURS)
    return made


def turn(app):
    """A worker does the rows that are due."""
    every = [each.id for each in all_tenants()]
    entries.run(*claimed(outbox.PLUGINS, *every, kind=outbox.ENTRY), runtime_of(app))
    await_calls()


def work():
    with db.reading() as connection:
        return connection.execute(
            sa.select(sa.func.count()).where(Outbox.kind == outbox.ENTRY)
        ).scalar_one()


def rows():
    with db.reading_session() as session:
        return list(session.scalars(sa.select(ParticipantEntry)))


def owned(tenant):
    (found,) = tenants.owned(tenant)
    return found


def events(tenant):
    query = sa.select(Event.type, Event.payload).where(Event.tenant_id == tenant)
    with db.reading() as connection:
        return [
            (kind, payload)
            for kind, payload in connection.execute(query.order_by(Event.sequence))
            if kind != "participant.verified"
        ]


def test_a_verified_id_is_published_with_its_card(app, tenant, book):
    assert owned(tenant).publication == "none"
    turn(app)

    card = BusinessCard("Acme NV", "BE")
    assert book.entries == {str(OURS): ("almanac-live", Almanac.receivable, card)}
    found = owned(tenant)
    assert (found.publication, found.publication_reason) == ("published", None)
    assert events(tenant) == [
        ("participant.published", {"participantId": str(OURS), "publication": "published"})
    ]
    assert work() == 0


def test_an_id_without_a_country_has_no_card(app, book):
    tenants.own_participant(tenants.create("Acme"), LIVE, OTHER)
    turn(app)

    assert book.entries[str(OTHER)][2] is None


def test_a_claim_is_published_once_it_is_verified(app, book):
    made = tenants.create("Acme NV")
    claims.claim(made, LIVE, OURS, Caches())
    turn(app)
    assert book.entries == {}
    claims.approve(made, LIVE, OURS, "By telephone.", Caches())
    turn(app)

    assert list(book.entries) == [str(OURS)]


def test_the_sandbox_has_its_own_directory(app, book):
    claims.claim(tenants.create("Acme NV"), TEST, OURS, Caches())
    turn(app)

    assert book.entries == {}
    assert list(runtime_of(app).access_points["almanac-test"].book.entries) == [str(OURS)]


def removed(tenant):
    tenants.disown_participant(tenant, LIVE, OURS, Caches())


def closed(tenant):
    closure.close(tenant, Caches())


@pytest.mark.parametrize("ends", [removed, closed])
def test_it_is_withdrawn_when_the_claim_ends_or_the_tenant_closes(app, tenant, book, ends):
    turn(app)
    ends(tenant)
    turn(app)

    assert book.entries == {}
    assert rows() == []
    assert work() == 0


@pytest.mark.parametrize("ends", [removed, closed])
def test_nothing_is_withdrawn_that_was_never_published(app, tenant, book, ends):
    ends(tenant)
    turn(app)

    assert book.calls == []
    assert rows() == []


def test_an_id_that_goes_to_another_tenant_stays_published(app, tenant, book):
    turn(app)
    removed(tenant)
    other = tenants.create("Other NV")
    tenants.own_participant(other, LIVE, OURS)
    turn(app)
    turn(app)

    assert list(book.entries) == [str(OURS)]
    assert owned(other).publication == "published"


def test_a_directory_that_is_away_is_asked_again_less_and_less_often(app, tenant, book, time):
    book.is_away = True
    pauses = []
    for _ in range(12):
        before = len(book.calls)
        turn(app)
        assert len(book.calls) == before + 1
        with db.reading() as connection:
            (due,) = connection.execute(sa.select(Outbox.due_at).where(Outbox.kind == "entry"))
        pauses.append((due[0] - time[0]).total_seconds())
        time[0] = due[0]

    assert pauses[:4] == [10, 20, 40, 80]
    assert pauses[-1] == 3600
    assert owned(tenant).publication == "pending"
    assert stored.count_late(time[0] - HOUR) == 1
    book.is_away = False
    turn(app)
    assert owned(tenant).publication == "published"
    assert stored.count_late(time[0]) == 0


def test_what_the_access_point_asks_for_is_waited_for(app, tenant, network, time, monkeypatch):
    monkeypatch.setattr(network, "publish", lambda *_: NotYet("busy", retry_after=300.0))
    turn(app)

    with db.reading() as connection:
        (due,) = connection.execute(sa.select(Outbox.due_at).where(Outbox.kind == "entry"))
    assert due[0] == time[0] + timedelta(seconds=300)


def test_an_access_point_that_raises_shows_none_of_its_words(app, tenant, network, monkeypatch):
    """The exception of a client may hold its password."""

    def publish(*_):
        raise ValueError("https://admin:secret@smp")

    monkeypatch.setattr(network, "publish", publish)
    turn(app)

    assert [row.fault for row in rows()] == ["The access point failed."]


def test_a_participant_of_another_provider_is_refused_with_its_words(app, tenant, book):
    book.entries[str(OURS)] = ("somebody", (BIS_INVOICE,), None)
    turn(app)

    found = owned(tenant)
    assert (found.publication, found.publication_reason) == ("refused", "elsewhere")
    assert found.publication_text == "The participant is registered already."
    assert [kind for kind, _ in events(tenant)] == ["participant.refused"]
    assert stored.count_refused() == 1
    assert work() == 0


def test_what_was_refused_is_published_when_it_is_asked_for_again(app, tenant, book):
    book.entries[str(OURS)] = ("somebody", (BIS_INVOICE,), None)
    turn(app)
    book.entries.clear()
    with db.writing() as connection:
        stored.ask_again(connection, "live", str(OURS))
    turn(app)

    assert owned(tenant).publication == "published"
    assert [kind for kind, _ in events(tenant)] == ["participant.refused", "participant.published"]
    assert stored.count_refused() == 0


def test_an_entry_that_lacks_something_is_written_again(app, tenant, book):
    turn(app)
    book.entries[str(OURS)] = ("almanac-live", (BIS_INVOICE,), None)
    with db.writing() as connection:
        stored.ask_again(connection, "live", str(OURS))
    turn(app)

    assert book.entries[str(OURS)][1] == Almanac.receivable
    assert len(events(tenant)) == 1


def test_an_entry_that_is_as_it_should_be_is_only_looked_at(app, tenant, book):
    turn(app)
    book.calls.clear()
    with db.writing() as connection:
        stored.ask_again(connection, "live", str(OURS))
    turn(app)

    assert book.calls == [("status", str(OURS))]


def test_two_workers_do_not_write_about_a_participant_at_once(app, tenant, book):
    (entry,) = rows()
    plan = entries.begin(entry.id, runtime_of(app))

    assert entries.begin(entry.id, runtime_of(app)) == entries.BUSY_PAUSE
    removed(tenant)  # meanwhile
    assert entries.finish(plan, plan.point.publish(OURS, (), None)) == timedelta(0)
    assert entries.settle(entry.id, runtime_of(app)) is None
    assert book.entries == {}


def test_an_outcome_after_the_lease_has_ended_is_not_stored(app, tenant, book, time):
    (entry,) = rows()
    late = entries.begin(entry.id, runtime_of(app))
    time[0] += HOUR
    assert entries.settle(entry.id, runtime_of(app)) is None
    removed(tenant)
    assert entries.settle(entry.id, runtime_of(app)) is None

    entries.finish(late, late.point.publish(OURS, (), None))
    assert rows() == []


OPERATIONS = ("publish", "published", "withdraw", "withdrawn")


def test_after_a_kill_at_any_point_the_directory_has_what_we_have(app, tenant, book, time):
    """A worker is killed around each call and each commit, with what it has done until then."""
    wrong = []
    for ends in (False, True):
        if ends:
            removed(tenant)
        for point in (*OPERATIONS, "begin", "finish", "complete"):
            with db.writing() as connection:
                stored.ask(connection, tenant, "live", str(OURS))
            with pytest.MonkeyPatch.context() as patch:
                _kill_at(patch, point, book)
                for entry_id in [row.id for row in rows()]:
                    with suppress(Killed):
                        entries.settle(entry_id, runtime_of(app))
            book.kill = lambda _: None
            time[0] += HOUR  # the leases end
            outbox.release_expired(time[0])
            for _ in range(3):
                turn(app)
                time[0] += entries.BUSY_PAUSE
            has = list(book.entries)
            if has != ([] if ends else [str(OURS)]) or work():
                wrong.append((ends, point, has, work()))

    assert wrong == []


def _kill_at(patch, point, book):
    def killed(*_, **__):
        raise Killed

    if point in OPERATIONS:
        book.kill = lambda at: killed() if at == point else None
    elif point == "finish":
        patch.setattr(entries, "finish", killed)
    elif point == "begin":
        patch.setattr(entries, "_called", killed)


def test_an_access_point_that_publishes_no_more_keeps_its_entries(make_app, app, tenant, book):
    """It has another setting meanwhile; the next start with it goes on."""
    turn(app)
    removed(tenant)
    bare = make_app([])
    with bare.app_context():
        turn(bare)
        assert [row.state for row in rows()] == ["listed"]


def test_without_such_a_network_nothing_is_left(make_app):
    bare = make_app([])
    with bare.app_context():
        tenants.own_participant(tenants.create("Acme"), LIVE, OURS)
        turn(bare)

        assert (rows(), work()) == ([], 0)


# -- another provider ------------------------------------------------------------------------------


@pytest.fixture
def foreign(book):
    """Another provider has the participant, and has made a key."""
    book.entries[str(OURS)] = ("somebody", (BIS_INVOICE,), None)
    book.keys[str(OURS)] = "the key"


def test_a_participant_moves_in_by_the_key_of_its_provider(app, tenant, foreign, book):
    turn(app)
    moves.move_in(tenant, LIVE, OURS, "the key", runtime_of(app))

    assert book.entries[str(OURS)][:2] == ("almanac-live", Almanac.receivable)
    assert owned(tenant).publication == "published"
    assert [kind for kind, _ in events(tenant)] == ["participant.refused", "participant.published"]


def test_a_wrong_key_says_what_the_network_says(app, tenant, foreign):
    with pytest.raises(Conflict, match=r"The migration key is wrong\."):
        moves.move_in(tenant, LIVE, OURS, "another", runtime_of(app))

    assert owned(tenant).publication_text == "The migration key is wrong."


def test_a_key_is_stored_nowhere(app, tenant, foreign, book):
    with audit.of_operator():
        moves.move_in(tenant, LIVE, OURS, "the key", runtime_of(app))
        given = moves.move_out(tenant, LIVE, OURS, runtime_of(app))

    assert given == book.keys[str(OURS)]
    with db.reading() as connection:
        stored_text = str(connection.execute(sa.select(AuditEntry.__table__)).all())
    for action in ("participant.move-in", "participant.move-out"):
        assert action in stored_text
    for secret in ("the key", given):
        assert secret not in stored_text


def test_a_move_that_is_killed_is_found_out(app, tenant, foreign, book, time):
    book.kill = lambda at: (_ for _ in ()).throw(Killed) if at == "published" else None
    with pytest.raises((Killed, AccessPointUnavailable)):
        moves.move_in(tenant, LIVE, OURS, "the key", runtime_of(app))
    book.kill = lambda _: None
    assert owned(tenant).publication == "pending"
    time[0] += HOUR
    turn(app)

    assert owned(tenant).publication == "published"


def test_a_network_that_is_away_moves_nothing(app, tenant, foreign, book):
    turn(app)
    book.is_away = True

    with pytest.raises(AccessPointUnavailable):
        moves.move_in(tenant, LIVE, OURS, "the key", runtime_of(app))


def test_nobody_moves_the_participant_of_another_tenant(app, tenant, book):
    other, runtime = tenants.create("Other"), runtime_of(app)
    turn(app)

    with pytest.raises(NotFound):
        moves.move_in(other, LIVE, OURS, "the key", runtime)
    with pytest.raises(NotFound):
        moves.move_out(other, LIVE, OURS, runtime)
    assert book.keys == {}


def test_only_what_is_published_moves_out_and_only_what_is_not_moves_in(app, tenant):
    with pytest.raises(Conflict):
        moves.move_out(tenant, LIVE, OURS, runtime_of(app))
    turn(app)
    with pytest.raises(Conflict):
        moves.move_in(tenant, LIVE, OURS, "the key", runtime_of(app))


# -- operators -------------------------------------------------------------------------------------


def test_entries_of_a_former_form_are_published_again_in_steps(app, network, book, monkeypatch):
    """The command may be stopped after each step; what a step has asked for is asked for once."""
    ids = [ParticipantId.parse(f"0088:952000000{number:04}") for number in range(5)]
    for each in ids:
        tenants.own_participant(tenants.create("Acme"), LIVE, each)
    turn(app)
    points = runtime_of(app).access_points
    assert entries.unpublished(points) == {"almanac-test": 0, "almanac-live": 0}
    network.form = "renewed"
    assert entries.unpublished(points)["almanac-live"] == 5
    monkeypatch.setattr(entries, "STEP", 2)

    assert next(entries.republish(LIVE, points)) == 2  # and it is stopped
    book.calls.clear()
    turn(app)
    assert [kind for kind, _ in book.calls] == ["publish"] * 2
    assert list(entries.republish(LIVE, points)) == [2, 1]
    assert list(entries.republish(LIVE, points)) == []
    turn(app)
    assert entries.unpublished(points)["almanac-live"] == 0


def test_the_doctor_names_what_a_directory_refuses_or_does_not_answer(app, tenant, book, time):
    book.entries[str(OURS)] = ("somebody", (BIS_INVOICE,), None)
    turn(app)
    book.is_away = True
    tenants.own_participant(tenants.create("Late NV"), LIVE, OTHER)
    turn(app)
    time[0] += 2 * HOUR

    found = list(doctor_work.check_entries(runtime_of(app).access_points))
    assert [one.message.split(" of the tenant ")[0] for one in found] == [
        f"The directory of almanac-live does not list {OURS}",
        f"The directory of almanac-live has not answered about {OTHER}",
    ]
    assert f"einvoice participants publish {tenant} {OURS} --environment live" in found[0].fix


# -- the daily question ----------------------------------------------------------------------------


def question(app, time, hours):
    """Let hours pass, in each of which the relay and a worker have a turn."""
    for _ in range(hours):
        time[0] += HOUR
        if not participants.without_question(1) and not participants.due_questions(time[0], 1):
            continue
        checks.schedule(runtime_of(app))
        ids, token = claimed(outbox.CHORES, checks.TENANT)
        checks.run(ids, token, runtime_of(app))
        turn(app)


def test_what_another_provider_took_is_moved_and_removed_from_our_book(app, tenant, book, time):
    turn(app)
    question(app, time, 25)
    book.entries[str(OURS)] = ("somebody", (BIS_INVOICE,), None)
    book.calls.clear()
    question(app, time, 40)

    assert owned(tenant).publication == "moved"
    assert [kind for kind, _ in events(tenant)] == ["participant.published", "participant.moved"]
    assert ("withdraw", str(OURS)) in book.calls
    assert ("publish", str(OURS)) not in book.calls, "it is the customer's choice"
    assert [row.state for row in rows()] == []


def test_what_moved_away_moves_back_by_a_key(app, tenant, book, time):
    test_what_another_provider_took_is_moved_and_removed_from_our_book(app, tenant, book, time)
    book.keys[str(OURS)] = "back"
    moves.move_in(tenant, LIVE, OURS, "back", runtime_of(app))
    question(app, time, 40)

    assert owned(tenant).publication == "published"


def test_what_moved_away_is_not_waited_for(app, tenant, book, time):
    """A republication leaves it alone, and `doctor` does not count it as missing."""
    test_what_another_provider_took_is_moved_and_removed_from_our_book(app, tenant, book, time)

    assert entries.unpublished(runtime_of(app).access_points)["almanac-live"] == 0


def test_what_was_withdrawn_stays_so_whatever_the_network_says(app, tenant, book, time):
    """Also while the network still names this service, and after a republication."""
    turn(app)
    found = publications.withdraw(tenant, LIVE, OURS)
    question(app, time, 25)
    turn(app)
    question(app, time, 25)
    list(entries.republish(LIVE, runtime_of(app).access_points))
    turn(app)

    assert (found.publication, found.publication_reason) == ("none", "withdrawn")
    assert owned(tenant).publication_reason == "withdrawn"
    assert book.entries == {}
    assert entries.unpublished(runtime_of(app).access_points)["almanac-live"] == 0
    assert [kind for kind, _ in events(tenant)] == ["participant.published"]


def test_a_withdrawal_beside_a_worker_is_done_after_it(app, tenant, book, time):
    """It is stored while the worker publishes; the entry is gone when all rows are done."""

    def withdraw(step: str) -> None:
        if step == "publish":
            book.kill = lambda _: None
            publications.withdraw(tenant, LIVE, OURS)

    book.kill = withdraw
    for _ in range(3):
        turn(app)
        time[0] += HOUR

    assert (book.entries, work()) == ({}, 0)
    assert owned(tenant).publication_reason == "withdrawn"


def test_an_entry_that_somebody_deleted_is_published_again_the_same_day(app, tenant, book, time):
    turn(app)
    question(app, time, 25)
    book.entries.clear()
    question(app, time, 25)

    assert list(book.entries) == [str(OURS)]
    assert owned(tenant).publication == "published"


def test_an_entry_that_lacks_a_type_is_completed_within_a_day(app, tenant, book, time):
    turn(app)
    question(app, time, 25)
    book.entries[str(OURS)] = ("almanac-live", (BIS_INVOICE,), None)
    question(app, time, 25)

    assert book.entries[str(OURS)][1] == Almanac.receivable


def test_a_refused_id_is_published_when_its_provider_lets_it_go(app, tenant, book, time):
    book.entries[str(OURS)] = ("somebody", (BIS_INVOICE,), None)
    turn(app)
    question(app, time, 30)
    assert owned(tenant).publication == "refused"
    book.entries.clear()
    question(app, time, 30)

    assert owned(tenant).publication == "published"
