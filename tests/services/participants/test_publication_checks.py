"""Whether networks still name this service for participant ids is found out each day."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.cli import doctor_work
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import claims, closure, tenants
from einvoice.services.participants import publication_checks as checks
from einvoice.store import outbox
from einvoice.store.account import participants
from einvoice.store.core import db
from einvoice.store.tables import Event, Outbox, Participant
from einvoice.web.runtime import runtime_of
from tests.networks import registrar

LIVE, TEST = Environment.LIVE, Environment.TEST
OURS = ParticipantId.parse(registrar.ELSEWHERE)  # known to the register, also if it is not ours
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def app(make_app):
    app = make_app([registrar])
    with app.app_context():
        yield app


@pytest.fixture
def register(app):
    """The network whose register names by whom a participant receives."""
    found = runtime_of(app).access_points["register-live"]
    found.here = {OURS.canonical}
    return found


@pytest.fixture
def tenant(app, register):
    """It has OURS, which the register has named us for."""
    made = tenants.create("Acme NV")
    tenants.own_participant(made, LIVE, OURS)
    return made


@pytest.fixture
def hours(app, monkeypatch):
    """Let hours pass, in each of which the relay and a worker have a turn."""
    now = [datetime(2026, 11, 23, 8, tzinfo=UTC)]
    monkeypatch.setattr(clock, "now", lambda: now[0])

    def _hours(count=1):
        for _ in range(count):
            now[0] += HOUR
            if participants.without_question(1) or participants.due_questions(now[0], 1):
                turn(app)

    return _hours


def turn(app):
    checks.schedule(runtime_of(app))
    rows = outbox.claim(outbox.CHORES, checks.TENANT, 100, token="t", now=clock.now(),
                        lease=timedelta(seconds=60))  # fmt: skip
    checks.run([row.id for row in rows], "t", runtime_of(app))


def events(tenant):
    """(type, payload) of the tenant's events, the oldest first."""
    query = sa.select(Event.type, Event.payload).where(Event.tenant_id == tenant)
    with db.reading() as connection:
        return [(kind, payload) for kind, payload in connection.execute(query.order_by(Event.id))]


def owned(tenant):
    (found,) = tenants.owned(tenant)
    return found


def row(tenant):
    with db.reading_session() as session:
        return session.scalar(sa.select(Participant).where(Participant.tenant_id == tenant))


def doubt(tenant, hours, within=25):
    """When the next answer contradicts what is known of the tenant's id; so many hours at most."""
    for _ in range(within):
        if row(tenant).publication_doubted_at is not None:
            return row(tenant).publication_doubted_at
        hours()
    raise AssertionError("it was not asked about in time")


@pytest.fixture
def moved(tenant, register, hours):
    """A tenant whose id has moved to another access point."""
    hours(25)
    register.here = set()
    doubt(tenant, hours)
    hours(6)
    assert owned(tenant).publication == "moved"
    return tenant


def test_an_id_that_the_network_names_us_for_is_published_and_no_event(tenant, register, hours):
    hours(1 + 24 * 3)

    assert owned(tenant).publication == "published"
    assert owned(tenant).publication_reason is None
    assert clock.now() - owned(tenant).publication_checked_at <= DAY
    assert len(register.asked) == 3
    assert events(tenant) == []


@pytest.mark.parametrize(
    ("leave", "reason"),
    [(lambda _: OURS, "elsewhere"), (lambda own: own, "not-registered")],
)
def test_an_id_that_moved_is_said_once_by_the_second_answer_hours_later(
    app, register, hours, leave, reason
):
    participant = leave(ParticipantId.parse("0208:0123456749"))
    register.here = {participant.canonical}
    tenant = tenants.create("Acme NV")
    tenants.own_participant(tenant, LIVE, participant)
    hours(25)
    register.here = set()
    doubted = doubt(tenant, hours)
    assert (owned(tenant).publication, events(tenant)) == ("published", [])

    hours(5)
    assert events(tenant) == []
    hours()
    expected = {"participantId": participant.canonical, "publication": "moved", "reason": reason}
    assert events(tenant) == [("participant.moved", expected)]
    assert owned(tenant).publication_since - doubted == 6 * HOUR
    hours(48)
    assert len(events(tenant)) == 1
    assert (owned(tenant).publication, owned(tenant).publication_reason) == ("moved", reason)


def test_one_answer_against_it_that_the_next_one_takes_back_is_never_said(tenant, register, hours):
    """A register that is rebuilt names nobody for an hour."""
    hours(25)
    register.here = set()
    doubt(tenant, hours)
    register.here = {OURS.canonical}
    hours(48)

    assert (owned(tenant).publication, events(tenant)) == ("published", [])
    assert row(tenant).publication_doubted_at is None


def test_an_id_that_is_back_is_said_once_by_the_second_answer(moved, register, hours):
    register.here = {OURS.canonical}
    doubt(moved, hours)
    assert owned(moved).publication == "moved"
    hours(48)

    assert [kind for kind, _ in events(moved)] == ["participant.moved", "participant.restored"]
    assert events(moved)[1][1] == {
        "participantId": OURS.canonical, "publication": "published"
    }  # fmt: skip
    assert (owned(moved).publication, owned(moved).publication_reason) == ("published", None)


def test_a_directory_that_does_not_answer_changes_nothing_and_is_asked_less_and_less(
    tenant, register, hours
):
    hours(25)
    before = owned(tenant)
    register.here, register.silent = set(), True
    register.lookups = 0
    hours(24 * 5)

    assert (owned(tenant), events(tenant)) == (before, [])
    assert 8 < register.lookups < 20
    register.silent = False
    assert doubt(tenant, hours, within=13)


def test_a_fault_of_a_plugin_changes_nothing(tenant, register, hours, monkeypatch):
    hours(25)
    before = owned(tenant)

    def fail(*_):
        raise ValueError("a page in place of an answer")

    monkeypatch.setattr(registrar.Registrar, "registered_here", fail)
    hours(48)
    assert (owned(tenant), events(tenant)) == (before, [])


def test_an_id_that_was_never_published_is_no_event(register, hours):
    register.here = set()
    new = tenants.create("New NV")
    tenants.own_participant(new, LIVE, OURS)
    hours(1 + 48)

    assert (owned(new).publication, owned(new).publication_reason) == ("none", "elsewhere")
    assert events(new) == []
    register.here = {OURS.canonical}
    hours(25)
    assert (owned(new).publication, owned(new).publication_reason) == ("published", None)
    assert events(new) == []


def test_a_claim_that_the_network_confirms_is_published(app, register):
    claimed = tenants.create("Claims NV")
    caches = runtime_of(app).caches
    claims.claim(claimed, LIVE, OURS, caches)
    (claim,) = claims.pending()

    assert claims.confirm(claim.id, caches)
    assert owned(claimed).publication == "published"


def test_ids_of_others_and_of_the_other_environment_are_untouched(app, moved, register, hours):
    other = tenants.create("Other NV")
    theirs = ParticipantId.parse("0208:0123456749")
    register.here = {theirs.canonical}
    tenants.own_participant(other, LIVE, theirs)
    tenants.own_participant(moved, TEST, OURS)
    claims.claim(other, LIVE, OURS, runtime_of(app).caches)
    register.asked.clear()
    hours(1 + 48)

    known = {(one.environment, one.participant): one for one in tenants.owned(other)}
    assert known["live", theirs.canonical].publication == "published"
    assert known["live", OURS.canonical].publication_checked_at is None  # pending
    assert events(other) == []
    by_environment = {one.environment: one.publication for one in tenants.owned(moved)}
    assert by_environment == {"live": "moved", "test": "none"}


def test_ids_of_closed_tenants_and_removed_ids_are_not_asked_about(app, tenant, register, hours):
    gone = tenants.create("Gone NV")
    tenants.own_participant(gone, LIVE, ParticipantId.parse("0208:0123456749"))
    closure.close(gone, runtime_of(app).caches)
    tenants.disown_participant(tenant, LIVE, OURS, runtime_of(app).caches)
    hours(24 * 2)

    assert (register.asked, register.lookups) == ([], 0)


def test_the_operator_sees_ids_that_moved(moved):
    (problem,) = doctor_work.check_moved()

    assert f"for {OURS} of the tenant Acme NV in live" in problem.message
    assert not problem.serious
    assert participants.count_moved() == 1


def test_without_a_network_that_says_it_there_is_no_work(make_app):
    app = make_app([])
    with app.app_context():
        turn(app)
        with db.reading() as connection:
            assert connection.execute(sa.select(Outbox.id)).all() == []


# -- many ------------------------------------------------------------------------------------------


def test_thousands_of_ids_are_spread_over_the_day():
    start = datetime(2026, 11, 23, 8, tzinfo=UTC)
    moments = [checks.time_of(f"participant-{number}", start) for number in range(24_000)]

    assert all(start <= moment < start + DAY for moment in moments)
    by_hour = Counter((moment - start) // HOUR for moment in moments)
    assert max(by_hour.values()) < 1.15 * 1_000
    again = checks.time_of("participant-1", moments[1] + timedelta(seconds=1))
    assert again == moments[1] + DAY


@pytest.fixture
def many(app, register):
    """Enters 300 ids of one tenant, due now."""
    made = tenants.create("Large NV")
    with db.writing_session() as session:
        session.add_all(
            Participant(
                id=f"{number:036}", tenant_id=made, environment="live",
                participant=f"0088:{number:013}", created_at=clock.now(), status="verified",
                publication_due_at=clock.now(),
            )
            for number in range(300)
        )  # fmt: skip
    return made


def test_a_round_asks_about_a_bounded_number_of_ids(app, hours, register, many):
    for asked in (100, 200, 300, 300):
        hours()
        assert register.lookups == asked


def test_a_network_that_is_away_is_asked_about_few_of_many_ids(app, hours, register, many):
    register.silent = True
    hours()

    assert checks.MAX_SILENT <= register.lookups < checks.MAX_SILENT + checks.MAX_CONCURRENT
    assert len(participants.due_questions(clock.now(), 300)) == 200


def test_a_round_that_is_repeated_says_nothing_twice(app, tenant, register, hours, monkeypatch):
    """Its worker was too slow, and another one has settled the question meanwhile."""
    hours(25)
    register.here = set()
    doubt(tenant, hours)
    settle = checks._settle

    def twice(question, answer):
        settle(question, answer)
        settle(question, answer)

    monkeypatch.setattr(checks, "_settle", twice)
    hours(6)
    assert [kind for kind, _ in events(tenant)] == ["participant.moved"]
