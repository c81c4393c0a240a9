"""Connections of a tenant that use one consent: added, renewed, ended and withdrawn."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.cli import doctor_work
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, InvalidField
from einvoice.domain.roles import Role
from einvoice.network.connections import Works
from einvoice.services.account import audit, closure, tenants
from einvoice.services.connections import accounts, checks, consents, periodic, withdrawals
from einvoice.services.connections.accounts import NewConnection
from einvoice.services.principal import Session
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import AuditEntry, Connection, Event, Outbox, SharedConsent
from tests import logs
from tests.networks.toll.accounts import TollConsents, TollConsentsPlugin
from tests.networks.toll.authority import Authority


@pytest.fixture
def toll():
    return TollConsentsPlugin()


@pytest.fixture
def live() -> TollConsents:
    """The same network in the live environment."""
    point = TollConsents(Authority())
    point.environment, point.name = Environment.LIVE, "toll-consents-live"
    return point


@pytest.fixture
def app(make_app, toll, live):
    toll.points.append(live)
    app = make_app(plugins=[toll])
    with app.app_context():
        yield app


@pytest.fixture
def point(toll) -> TollConsents:
    toll.consents.rights["ann"] = {"RO1", "RO2", "RO3"}
    return toll.consents


@pytest.fixture
def ann(tenant) -> Session:
    return Session(tenant, "ann", "ann@example.com", Role.ADMIN)


def new(account, consent_of=None):
    return NewConnection(Environment.TEST, "toll-consents", account, consent_of=consent_of)


def give_consent(of, runtime, point, ann, person="ann"):
    begun = consents.begin(of.tenant_id, of.id, runtime, ann)
    state = begun.url.partition("state=")[2].partition("&")[0]
    code = f"{person}:{point.authority.consent(person)}"
    return consents.finish(state, begun.browser, code, runtime).connection


@pytest.fixture
def first(app, tenant, runtime, point, ann):
    """A connection with consent."""
    made = accounts.create(tenant, new("RO1"), runtime, ann)
    return give_consent(made, runtime, point, ann)


@pytest.fixture
def second(first, runtime, ann):
    """A further connection that uses the consent of the first."""
    return accounts.create(first.tenant_id, new("RO2", first.id), runtime, ann)


def again(of):
    return accounts.get(of.tenant_id, of.id)


def rows(table):
    with db.reading_session() as database:
        return list(database.scalars(sa.select(table)))


def events():
    with db.reading() as connection:
        return list(connection.execute(sa.select(Event.type).order_by(Event.sequence)).scalars())


def withdraw(runtime):
    """Carry out the jobs that withdraw consents."""
    with db.writing() as connection:
        due = sa.update(Outbox).where(Outbox.kind == outbox.CONSENT)
        connection.execute(due.values(token="t", lease_until=clock.now() + timedelta(minutes=5)))
    held = [row.id for row in rows(Outbox) if row.kind == outbox.CONSENT]
    before = set(threading.enumerate())
    withdrawals.run(held, "t", runtime)
    for thread in set(threading.enumerate()) - before:
        while thread.ident is None:  # listed, and not running yet
            time.sleep(0.001)
        thread.join(20)


def test_a_further_connection_uses_a_consent_without_a_person(first, second):
    """It is checked at once, and says whose consent it is and until when."""
    assert (second.state, second.account) == ("active", "RO2")
    assert (second.consent_by, second.consent_at) == ("ann@example.com", first.consent_at)
    assert second.consent_id == first.consent_id
    assert second.expires_at is not None
    assert second.valid_until < second.expires_at


def test_the_credentials_of_a_consent_are_stored_once_and_encrypted(first, second, point):
    token = point.authority.issued["ann"][-1]
    [consent] = rows(SharedConsent)

    assert token.encode() not in consent.credentials
    assert [row.credentials for row in rows(Connection)] == [None, None]


def test_a_token_that_is_renewed_for_one_serves_all(first, second, tenant, runtime, point):
    """And all of them show the new times."""
    before = again(first).renewed_at
    for of in (second, first, second):
        assert accounts.check(tenant, of.id, runtime).state == "active"

    assert point.authority.refused == []
    assert again(first).renewed_at > before
    assert again(first).renewed_at == again(second).renewed_at
    assert again(first).expires_at == again(second).expires_at


def test_connections_of_one_consent_are_never_checked_at_the_same_time(
    first, second, tenant, runtime, point
):
    """Else two of them would use the same refresh token."""
    point.pause = 0.05
    threads = [
        threading.Thread(target=_check, args=(runtime, of)) for of in (first, second) for _ in "123"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert point.most_running == 1
    assert point.authority.refused == []
    assert len(point.calls) == 1 + 6


def _check(runtime, of):
    with runtime.context():
        accounts.check(of.tenant_id, of.id, runtime)


def test_an_ended_consent_shows_at_all_connections(first, second, tenant, runtime, point):
    """Each has its event, and its documents wait."""
    point.authority.withdrawn.add("ann")
    accounts.check(tenant, second.id, runtime)

    assert [again(of).state for of in (first, second)] == ["needs-person"] * 2
    assert again(first).reason == "The authority says invalid_grant."
    assert events().count("connection.needsPerson") == 2


def test_new_consent_for_one_is_checked_for_all(first, second, tenant, runtime, point, ann):
    """Who gave it shows at all of them; their checks are due at once."""
    periodic.schedule(runtime)
    point.authority.withdrawn.add("ann")
    accounts.check(tenant, first.id, runtime)
    bob = Session(tenant, "bob", "bob@example.com", Role.ADMIN)
    give_consent(first, runtime, point, bob)

    assert [again(of).consent_by for of in (first, second)] == ["bob@example.com"] * 2
    assert again(first).state == "active"
    [check] = [row for row in rows(Outbox) if row.subject_id == f"chk_{second.id}"]
    assert check.due_at <= clock.now()
    assert accounts.check(tenant, second.id, runtime).state == "active"
    assert events().count("connection.restored") == 2


def test_an_account_that_the_consent_does_not_cover_is_named(first, runtime, ann, point):
    """The others go on, with the token that was issued meanwhile."""
    made = accounts.create(first.tenant_id, new("RO9", first.id), runtime, ann)

    assert (made.state, made.reason) == ("needs-person", "The consent does not cover RO9.")
    assert again(first).state == "active"
    assert accounts.check(first.tenant_id, first.id, runtime).state == "active"
    assert point.authority.refused == []


def test_consent_of_a_person_without_the_right_does_not_replace_that_of_the_others(
    first, second, tenant, runtime, point, ann
):
    point.rights["eve"] = set()
    after = give_consent(second, runtime, point, ann, "eve")

    assert (after.state, after.reason) == ("active", "The consent does not cover RO2.")
    assert accounts.check(tenant, first.id, runtime).state == "active"


def test_a_consent_is_not_used_by_another_tenant(first, runtime):
    with pytest.raises(InvalidField) as refused:
        accounts.create(tenants.create("Other"), new("RO2", first.id), runtime)

    assert [error.pointer for error in refused.value.errors] == ["/consentOf"]


def test_a_consent_is_not_used_in_another_environment(first, tenant, runtime, ann):
    live = replace(new("RO2", first.id), environment=Environment.LIVE)
    with pytest.raises(InvalidField) as refused:
        accounts.create(tenant, live, runtime, ann)

    assert [error.pointer for error in refused.value.errors] == ["/consentOf"]
    assert rows(SharedConsent)[0].environment == "test"


def test_a_connection_of_an_imported_tenant_shares_the_consent_that_is_given_again(
    first, tenant, runtime, point, ann
):
    """Exports have no credentials, so its consent is a new one."""
    with db.writing() as connection:
        connection.execute(sa.delete(SharedConsent))
        connection.execute(sa.update(Connection).values(consent_id=None))
    given = give_consent(first, runtime, point, ann)

    assert (given.state, again(first).consent_id) == ("active", rows(SharedConsent)[0].id)
    assert accounts.create(tenant, new("RO2", first.id), runtime, ann).state == "active"


def test_a_consent_that_was_not_given_cannot_be_used(app, tenant, runtime, ann, point):
    made = accounts.create(tenant, new("RO1"), runtime, ann)

    with pytest.raises(Conflict, match="has no consent"):
        accounts.create(tenant, new("RO2", made.id), runtime, ann)


def test_a_consent_of_a_revoked_connection_cannot_be_used(first, second, tenant, runtime, ann):
    """Of the second one it can."""
    accounts.revoke(tenant, first.id, ann)

    with pytest.raises(Conflict, match="has no consent"):
        accounts.create(tenant, new("RO3", first.id), runtime, ann)
    assert accounts.create(tenant, new("RO3", second.id), runtime, ann).state == "active"


def test_removing_one_connection_keeps_the_consent_of_the_others(
    first, second, tenant, runtime, point, ann
):
    accounts.revoke(tenant, first.id, ann)
    withdraw(runtime)

    assert point.withdrawn == []
    assert accounts.check(tenant, second.id, runtime).state == "active"


def test_removing_the_last_connection_withdraws_the_consent(
    first, second, tenant, runtime, point, ann
):
    """By a job, with the last token; nothing of it is kept."""
    for of in (second, first):
        accounts.revoke(tenant, of.id, ann)
    assert len(rows(SharedConsent)) == 1
    withdraw(runtime)
    assert [row for row in rows(Outbox) if row.kind == outbox.CONSENT] == []
    withdraw(runtime)

    assert point.withdrawn == [point.authority.issued["ann"][-1]]
    assert rows(SharedConsent) == []
    [entry] = [row for row in rows(AuditEntry) if row.action == withdrawals.WITHDRAWN]
    assert (entry.target, entry.actor) == (first.consent_id, audit.OPERATOR)


def test_a_consent_that_was_never_given_is_not_withdrawn(app, tenant, runtime, point, ann):
    made = accounts.create(tenant, new("RO1"), runtime, ann)
    accounts.revoke(tenant, made.id, ann)

    assert rows(SharedConsent) == []
    assert [row for row in rows(Outbox) if row.kind == outbox.CONSENT] == []


def test_a_job_whose_consent_is_gone_ends_without_a_call(first, tenant, runtime, point, ann):
    accounts.revoke(tenant, first.id, ann)
    with db.writing() as connection:
        connection.execute(sa.delete(SharedConsent))
    withdraw(runtime)

    assert [row for row in rows(Outbox) if row.kind == outbox.CONSENT] == []
    assert point.withdrawn == []


def test_closing_an_account_withdraws_its_consents(first, second, tenant, runtime, point, app):
    closure.close(tenant, runtime.caches)
    withdraw(runtime)

    assert len(point.withdrawn) == 1
    assert rows(SharedConsent) == []


@pytest.mark.parametrize("answers", ["unanswered", "raises"])
def test_a_failed_withdrawal_is_repeated_and_given_up_after_a_week(
    first, tenant, runtime, point, ann, answers, monkeypatch
):
    """The connection is gone at once; the log has no token."""
    point.answers = answers
    accounts.revoke(tenant, first.id, ann)
    assert again(first).state == "revoked"
    token = point.authority.issued["ann"][-1]
    with logs.captured(withdrawals) as logged:
        withdraw(runtime)
    [row] = [row for row in rows(Outbox) if row.kind == outbox.CONSENT]
    assert row.due_at > clock.now()
    assert rows(SharedConsent)[0].lease_token is None
    assert token not in str(logged)
    assert list(doctor_work.check_connections()) == []
    later = clock.now() + withdrawals.GIVE_UP_AFTER + timedelta(minutes=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    [problem] = doctor_work.check_connections()
    assert problem.message.startswith("1 consents of removed connections are not withdrawn")
    withdraw(runtime)

    assert rows(SharedConsent) == []
    [entry] = [row for row in rows(AuditEntry) if row.action == withdrawals.NOT_WITHDRAWN]
    assert entry.detail["reason"]
    assert token not in str(entry.detail)


def test_a_token_that_is_renewed_while_the_last_connection_is_removed_is_withdrawn(
    first, tenant, runtime, point, ann
):
    """The outcome of a check that began before is stored for the withdrawal."""

    def removed_meanwhile(connection):
        outcome = point.check(connection)
        assert isinstance(outcome, Works)
        accounts.revoke(tenant, first.id, ann)
        return outcome

    checks.run(first, removed_meanwhile, runtime)
    withdraw(runtime)

    assert point.withdrawn == [point.authority.issued["ann"][-1]]
    assert len(point.authority.issued["ann"]) == 2
