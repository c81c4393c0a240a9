"""Connections: their states, their secrets, and who may have which."""

from __future__ import annotations

import base64
import io
import json
import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa
import structlog

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccountClosed, Conflict, InvalidField, NotFound, TooBusy
from einvoice.domain.roles import Role
from einvoice.network import calls
from einvoice.network.connections import NeedsPerson, Works
from einvoice.observability import logging
from einvoice.security.sealing import SealBroken
from einvoice.services.account import closure, tenants
from einvoice.services.connections import accounts, checks, consents, renewals, sealing
from einvoice.services.connections.accounts import NewConnection
from einvoice.services.principal import Session
from einvoice.store.connections import connections as stored
from einvoice.store.core import db
from einvoice.store.tables import Connection, Event

PASSWORD = "hunter2-secret"
GIVEN = {"user": "toll", "password": PASSWORD}


def new(account="RO 1", **changed):
    return NewConnection(
        Environment.TEST,
        changed.pop("network", "toll-station"),
        account,
        **{"credentials": GIVEN} | changed,
    )


@pytest.fixture
def made(app, tenant, runtime):
    return accounts.create(tenant, new(), runtime)


@pytest.fixture
def ann(tenant) -> Session:
    return Session(tenant, "ann", "ann@example.com", Role.ADMIN)


def events() -> list[str]:
    with db.reading() as connection:
        return list(connection.execute(sa.select(Event.type).order_by(Event.sequence)).scalars())


def row(connection_id: str) -> Connection:
    with db.reading_session() as database:
        return database.scalars(sa.select(Connection).where(Connection.id == connection_id)).one()


def opened(record, runtime):
    with db.reading_session() as database:
        found = stored.find(database, record.tenant_id, record.id)
        return sealing.opened(stored.sealed(found), runtime.settings)


@pytest.fixture
def authorised(app, tenant, runtime, toll, ann):
    """A connection with a refresh token."""
    made = accounts.create(
        tenant, new(network="toll", credentials={"clientSecret": "cs-very-secret"}), runtime, ann
    )
    return give_consent(made, runtime, toll, ann)


def give_consent(made, runtime, toll, ann):
    consent = consents.begin(made.tenant_id, made.id, runtime, ann)
    state = consent.url.partition("state=")[2].partition("&")[0]
    code = toll.authority.consent(made.account)
    return consents.finish(state, consent.browser, code, runtime).connection


def test_a_connection_is_checked_when_it_is_added(made, toll):
    assert (made.state, made.account, made.name) == ("active", "RO1", "RO1")
    assert made.consent_by == "operator"
    assert made.consent_at == made.checked_at
    assert [call.credentials for call in toll.station.calls] == [GIVEN]


def test_credentials_and_state_are_stored_encrypted_and_bound_to_their_row(
    made, tenant, runtime, toll
):
    other = accounts.create(tenant, new("RO 2"), runtime)
    with db.writing() as connection:
        copied = sa.update(Connection).where(Connection.id == other.id)
        connection.execute(copied.values(credentials=row(made.id).credentials))

    assert PASSWORD.encode() not in row(made.id).credentials
    with pytest.raises(SealBroken):
        opened(other, runtime)
    checked = accounts.check(tenant, other.id, runtime)
    assert checked.reason == "The stored credentials cannot be read: give them again."
    again = accounts.change(tenant, other.id, runtime, credentials=GIVEN)
    assert (again.state, again.reason) == ("active", None)


@pytest.mark.parametrize(
    ("outcome", "state", "reason"),
    [
        ("works", "active", None),
        ("needs-person", "needs-person", "The password … is old."),
        ("broken", "broken", "The authority has closed the account."),
        ("unanswered", "active", "The authority is closed at night."),
        ("raises", "active", "The access point failed while it checked the connection."),
        ("other", "active", "The access point failed while it checked the connection."),
        ("huge", "active", "The access point failed while it checked the connection."),
    ],
)
def test_a_check_stores_what_the_access_point_found_out(
    made, tenant, runtime, toll, outcome, state, reason
):
    """Without a secret of the account; an outcome of another connection is not stored."""
    toll.station.outcome = outcome
    checked = accounts.check(tenant, made.id, runtime)

    assert (checked.state, checked.reason) == (state, reason)
    assert opened(made, runtime).state == {}


def test_a_connection_that_works_again_is_announced_as_restored(made, tenant, runtime, toll):
    for outcome in ("needs-person", "needs-person", "works", "works", "broken", "works"):
        toll.station.outcome = outcome
        accounts.check(tenant, made.id, runtime)

    restored = "connection.restored"
    assert events() == ["connection.opened", "connection.needsPerson", restored, restored]


def test_two_connections_for_one_account_are_refused(made, tenant, runtime):
    """In any spelling; the refusal names the other one. Other accounts are allowed."""
    with pytest.raises(Conflict, match=made.id):
        accounts.create(tenant, new(" ro1"), runtime)
    other = accounts.create(tenant, new("RO2"), runtime)
    stranger = accounts.create(tenants.create("Stranger"), new(), runtime)
    accounts.revoke(tenant, made.id)
    again = accounts.create(tenant, new(), runtime)

    assert {other.state, stranger.state, again.state} == {"active"}


def test_of_two_requests_for_one_account_at_the_same_time_one_is_refused(app, tenant, runtime):
    """Also where both have found none (the unique index decides)."""
    results: list[object] = []

    def create() -> None:
        with app.app_context():
            try:
                results.append(accounts.create(tenant, new(), runtime).state)
            except Conflict as refusal:
                results.append(type(refusal))

    together(create, create)

    assert sorted(map(str, results)) == [str(Conflict), "active"]


def together(*functions) -> None:
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    ("credentials", "pointer", "code"),
    [
        ({"user": "a"}, "/credentials/password", "required"),
        ({**GIVEN, "password": "x" * 21}, "/credentials/password", "too-long"),
        ({**GIVEN, "pin": "1"}, "/credentials/pin", "unknown-field"),
        ({**GIVEN, "key": "no base64"}, "/credentials/key", "not-base64"),
        (
            {**GIVEN, "key": base64.b64encode(b"x" * 10_001).decode()},
            "/credentials/key",
            "too-long",
        ),
    ],
)
def test_credentials_that_the_network_does_not_ask_for_are_refused(
    app, tenant, runtime, toll, credentials, pointer, code
):
    with pytest.raises(InvalidField) as refused:
        accounts.create(tenant, new(credentials=credentials), runtime)

    assert [(e.pointer, e.code) for e in refused.value.errors] == [(pointer, code)]
    assert accounts.page(tenant, {}, after=None, limit=10) == []
    assert PASSWORD not in refused.value.detail


def test_a_network_without_accounts_is_refused(app, tenant, runtime):
    with pytest.raises(InvalidField, match="toll-accounts-test, toll-station-test"):
        accounts.create(tenant, new(network="peppol"), runtime)


def test_new_credentials_replace_only_those_that_are_given(made, tenant, runtime, toll):
    accounts.change(tenant, made.id, runtime, name="Branch", credentials={"password": "new-one"})

    assert accounts.get(tenant, made.id).name == "Branch"
    assert toll.station.calls[-1].credentials == {"user": "toll", "password": "new-one"}


def test_revoking_deletes_credentials_and_state(authorised, tenant, runtime, ann):
    consents.begin(tenant, authorised.id, runtime, ann)
    accounts.revoke(tenant, authorised.id, ann)
    after = row(authorised.id)

    assert (after.state, after.reason) == ("revoked", "by ann@example.com")
    assert (after.credentials, after.plugin_state) == (None, None)
    for use in (
        lambda: accounts.check(tenant, authorised.id, runtime),
        lambda: accounts.change(tenant, authorised.id, runtime, name="x"),
        lambda: consents.begin(tenant, authorised.id, runtime, ann),
    ):
        with pytest.raises(Conflict):
            use()


def test_a_connection_that_is_revoked_during_a_check_stays_revoked(made, tenant, runtime, toll):
    """Nothing that the access point returns is stored any more."""
    toll.station.check = lambda connection: (
        accounts.revoke(tenant, made.id) or (type(toll.station).check(toll.station, connection))
    )
    checked = accounts.check(tenant, made.id, runtime)

    assert checked.state == "revoked"
    assert row(made.id).credentials is None


def test_closing_the_tenant_deletes_all_credentials(authorised, tenant, runtime, ann):
    consents.begin(tenant, authorised.id, runtime, ann)
    closure.close(tenant, runtime.caches)
    after = row(authorised.id)

    assert (after.state, after.reason) == ("revoked", "the account is closed")
    assert (after.credentials, after.plugin_state) == (None, None)
    with pytest.raises(AccountClosed):
        accounts.create(tenant, new("RO 9"), runtime)


def test_a_connection_of_another_tenant_is_not_found(authorised, runtime, ann):
    stranger = tenants.create("Stranger")
    for use in (
        lambda: accounts.get(stranger, authorised.id),
        lambda: accounts.check(stranger, authorised.id, runtime),
        lambda: accounts.change(stranger, authorised.id, runtime, name="x"),
        lambda: accounts.revoke(stranger, authorised.id),
        lambda: consents.begin(stranger, authorised.id, runtime, ann),
    ):
        with pytest.raises(NotFound):
            use()

    assert accounts.get(authorised.tenant_id, authorised.id) == authorised
    assert accounts.page(stranger, {}, after=None, limit=10) == []


def test_the_number_of_connections_is_bounded(app, tenant, runtime, monkeypatch):
    monkeypatch.setattr(accounts, "MAX_CONNECTIONS", 2)
    monkeypatch.setattr(accounts, "MAX_REVOKED", 3)
    for number in range(5):
        accounts.revoke(tenant, accounts.create(tenant, new(f"RO {number}"), runtime).id)
    for number in range(2):
        accounts.create(tenant, new(f"RO {number}"), runtime)
    states = [one.state for one in accounts.page(tenant, {}, after=None, limit=100)]

    assert sorted(states) == ["active"] * 2 + ["revoked"] * 3
    with pytest.raises(Conflict, match="2 connections"):
        accounts.create(tenant, new("RO 7"), runtime)


@pytest.mark.parametrize("times", [50, pytest.param(500, marks=pytest.mark.long)])
def test_the_stored_token_is_the_last_one_issued(app, authorised, tenant, runtime, toll, times):
    """Two workers refresh it at the same time: the authority refuses one that is not the last."""
    issued = toll.authority.issued[authorised.account]

    def refresh() -> None:
        with app.app_context():
            for _ in range(times):
                accounts.check(tenant, authorised.id, runtime)

    together(refresh, refresh)
    after = opened(authorised, runtime)

    assert len(issued) == 2 * times + 1
    assert toll.authority.refused == []
    assert after.credentials["refreshToken"] == issued[-1]
    assert after.state == {"refreshes": str(2 * times)}


def test_an_outcome_for_replaced_credentials_is_dropped(app, made, tenant, runtime, toll):
    """The new ones were given by a person while the old ones were checked."""
    leased = stored.lease(tenant, made.id, "t", clock.now(), clock.now() + checks.LEASE)
    accounts._change(made, None, {"password": "new-one"}, runtime.settings, None)
    toll.station.outcome = "broken"
    checks._call_and_store(leased, "t", toll.station.check, runtime, None)

    assert accounts.get(tenant, made.id).state == "active"
    assert opened(made, runtime).credentials["password"] == "new-one"


def test_a_token_that_is_issued_late_is_stored(app, authorised, tenant, runtime, toll, monkeypatch):
    """The request was answered before, with a reason."""
    monkeypatch.setattr(calls, "CONNECTION_SECONDS", 0.05)
    late, check = threading.Event(), toll.accounts.check
    monkeypatch.setattr(toll.accounts, "check", lambda c: (late.wait(30), check(c))[1])
    checked = accounts.check(tenant, authorised.id, runtime)
    late.set()
    for thread in threading.enumerate():
        if thread.name.startswith("call-toll"):
            thread.join()

    last = toll.authority.issued[authorised.account]
    assert (len(last), opened(authorised, runtime).credentials["refreshToken"]) == (2, last[-1])
    assert (checked.state, checked.reason) == ("active", "The network did not answer.")


def test_a_connection_is_used_by_one_call_at_a_time(made, tenant, runtime, toll, monkeypatch):
    monkeypatch.setattr(checks, "WAIT_SECONDS", 0.05)
    now = clock.now()
    assert stored.lease(tenant, made.id, "other", now, now + checks.LEASE)
    with pytest.raises(TooBusy):
        accounts.check(tenant, made.id, runtime)
    stored.release(made.id, "not the holder")
    with pytest.raises(TooBusy):
        accounts.check(tenant, made.id, runtime)
    stored.release(made.id, "other")

    assert accounts.check(tenant, made.id, runtime).reason is None


def test_the_plugin_is_called_outside_of_a_transaction(made, tenant, runtime, toll, monkeypatch):
    """Another connection can be added while the network thinks (SQLite has one writer)."""
    check = toll.station.check

    def slow(connection):
        if connection.id == made.id:
            accounts.create(tenant, new("RO 2"), runtime)
        return check(connection)

    monkeypatch.setattr(toll.station, "check", slow)
    accounts.check(tenant, made.id, runtime)

    assert len(accounts.page(tenant, {}, after=None, limit=10)) == 2


# -- consent in the browser ------------------------------------------------------------------------


def test_a_consent_makes_the_connection_active(authorised, toll):
    assert (authorised.state, authorised.consent_by) == ("active", "ann@example.com")
    assert authorised.expires_at is not None
    assert len(toll.authority.issued[authorised.account]) == 1


def test_a_state_is_used_once_and_only_in_its_browser(authorised, tenant, runtime, toll, ann):
    consent = consents.begin(tenant, authorised.id, runtime, ann)
    state = consent.url.partition("state=")[2].partition("&")[0]
    code = toll.authority.consent(authorised.account)
    for wrong_state, wrong_cookie in ((state, "other"), ("other", consent.browser), (state, "")):
        with pytest.raises(NotFound):
            consents.finish(wrong_state, wrong_cookie, code, runtime)
    consents.finish(state, consent.browser, code, runtime)
    with pytest.raises(NotFound):
        consents.finish(state, consent.browser, code, runtime)

    assert len(toll.authority.issued[authorised.account]) == 2


def test_a_state_expires(authorised, tenant, runtime, toll, ann, monkeypatch):
    consent = consents.begin(tenant, authorised.id, runtime, ann)
    state = consent.url.partition("state=")[2].partition("&")[0]
    monkeypatch.setattr(clock, "now", lambda at=clock.now(): at + consents.CONSENT_LASTS)
    with pytest.raises(NotFound):
        consents.finish(state, consent.browser, "code", runtime)


def test_a_new_consent_ends_the_one_before(authorised, tenant, runtime, toll, ann):
    first = consents.begin(tenant, authorised.id, runtime, ann)
    state = first.url.partition("state=")[2].partition("&")[0]
    consents.begin(tenant, authorised.id, runtime, ann)
    with pytest.raises(NotFound):
        consents.finish(state, first.browser, "code", runtime)


def test_consent_restores_a_connection_that_needs_a_person(authorised, tenant, runtime, toll, ann):
    toll.authority.withdrawn.add(authorised.account)
    lost = accounts.check(tenant, authorised.id, runtime)
    restored = give_consent(authorised, runtime, toll, ann)

    assert (lost.state, lost.reason) == ("needs-person", "The authority says invalid_grant for ….")
    assert (restored.state, restored.reason) == ("active", None)
    assert events() == ["connection.opened", "connection.needsPerson", "connection.restored"]


def test_a_call_whose_lease_ran_out_does_not_drop_the_consent_that_follows(
    app, tenant, runtime, toll, move
):
    """A worker that slept for minutes finds its token refused while a person consents anew."""
    made = accounts.create(tenant, new(), runtime)
    asleep = checks._lease(checks.find(tenant, made.id), "asleep")
    move(seconds=checks.LEASE.total_seconds())

    def consents(connection):
        refused = NeedsPerson(connection_id=made.id, reason="The token is not the last one.")
        checks.store(asleep, connection, refused, runtime.settings)
        return Works(connection_id=made.id, credentials={"key": "of the new consent"})

    found = checks.run(checks.find(tenant, made.id), consents, runtime, "Ann")

    assert (found.state, found.reason) == ("active", None)
    assert opened(found, runtime).credentials == {"key": "of the new consent"}


# -- renewals --------------------------------------------------------------------------------------


def renewals_of() -> list[int]:
    query = sa.select(Event.payload).where(Event.type == "connection.renewalDue")
    with db.reading() as connection:
        found = connection.execute(query.order_by(Event.sequence)).scalars()
        return [payload["daysLeft"] for payload in found]


def test_a_renewal_is_announced_30_7_and_1_days_before_the_end(app, tenant, runtime, toll):
    """Each once, however often relays look, and only the last of those that were missed."""
    start = clock.now()
    toll.station.expires_at = start + timedelta(days=40)
    made = accounts.create(tenant, new(), runtime)
    days = (0, 9.9, 10, 10.1, 32.9, 33, 38.9, 39, 39.5)
    counts = [renewals.announce(start + timedelta(days=day)) for day in days]

    assert counts == [0, 0, 1, 0, 0, 1, 0, 1, 0]
    assert renewals_of() == [30, 7, 1]
    assert accounts.get(tenant, made.id).state == "renewal-due"


def test_a_connection_that_was_renewed_meanwhile_is_not_announced(
    app, tenant, runtime, toll, monkeypatch
):
    """Its list was read before the lock."""
    now = clock.now()
    toll.station.expires_at = now + timedelta(days=5)
    made = accounts.create(tenant, new(), runtime)
    seen = renewals.stored.ending(now + timedelta(days=30))
    toll.station.expires_at = now + timedelta(days=400)
    accounts.check(tenant, made.id, runtime)
    monkeypatch.setattr(renewals.stored, "ending", lambda before: seen)

    assert [each.id for each in seen] == [made.id]
    assert renewals.announce(now) == 0
    assert accounts.get(tenant, made.id).state == "active"


def test_a_clock_that_jumps_over_a_renewal_announces_the_end_only(app, tenant, runtime, toll):
    start = clock.now()
    toll.station.expires_at = start + timedelta(days=40)
    made = accounts.create(tenant, new(), runtime)
    late = [renewals.announce(start + timedelta(days=day)) for day in (35, 41, 41, 20)]

    assert late == [1, 1, 0, 0]
    assert (renewals_of(), events()[-1]) == ([7], "connection.needsPerson")
    assert accounts.get(tenant, made.id).state == "needs-person"


def test_a_connection_that_ends_soon_is_due_at_once(app, tenant, runtime, toll):
    toll.station.expires_at = clock.now() + timedelta(days=5)
    made = accounts.create(tenant, new(), runtime)
    toll.station.expires_at = clock.now() + timedelta(days=90)
    renewed = accounts.check(tenant, made.id, runtime)
    toll.station.expires_at = clock.now() - timedelta(days=1)
    ended = accounts.check(tenant, made.id, runtime)

    assert [made.state, renewed.state, ended.state] == ["renewal-due", "active", "needs-person"]


# -- secrets ---------------------------------------------------------------------------------------


def test_no_secret_is_logged_or_shown(app, tenant, runtime, toll, ann, monkeypatch):
    """Of all outcomes; in the log, records, events, the audit log and their repr."""
    out, before = io.StringIO(), structlog.get_config()
    monkeypatch.setattr("sys.stderr", out)
    logging.configure("DEBUG", "json")
    monkeypatch.setattr(checks, "log", structlog.get_logger())
    made = accounts.create(tenant, new(), runtime, ann)
    for outcome in ("needs-person", "broken", "unanswered", "raises", "other", "huge"):
        toll.station.outcome = outcome
        made = accounts.check(tenant, made.id, runtime)
        print(repr(made), file=out)
    print(repr(toll.station.calls), repr(new()), file=out)
    structlog.configure(**before)
    with db.reading() as connection:
        for table in ("events", "audit_entries"):
            rows = connection.execute(sa.text(f"SELECT * FROM {table}")).mappings()
            print(json.dumps([dict(row) for row in rows], default=str), file=out)

    assert "outcome of another connection" in out.getvalue()
    assert "connection.created" in out.getvalue()
    assert PASSWORD not in out.getvalue()
