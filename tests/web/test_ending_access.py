"""Ending sessions, and closing an account (decisions 20.11)."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccountClosed, Conflict, SessionEnded
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.roles import Role
from einvoice.network import samples
from einvoice.network.types import NotServiced, Stored
from einvoice.services.account import closure, credentials, session_ends, tenants
from einvoice.services.caches import Caches
from einvoice.services.inbound import reception
from einvoice.services.webhooks import endpoints
from einvoice.store import outbox
from einvoice.store.account.tenants import TenantRecord
from einvoice.store.core import db
from einvoice.store.tables import Invoice
from einvoice.web.runtime import runtime_of
from tests.web.buyer.shop import Shop
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.oauth_client import Client

END, CLOSE = "/api/sessions/end", "/api/tenant/close"
INVOICES = "/api/invoices"


@pytest.fixture
def owner(service) -> Dashboard:
    return Dashboard(service)


def ask(app, token: str):
    answer = app.test_client().get(INVOICES, headers={"Authorization": f"Bearer {token}"})
    return answer.status_code, "" if answer.status_code == 200 else slug(answer)


OPEN, ENDED, CLOSED = (200, ""), (401, "session-ended"), (403, "account-closed")


# -- sessions --------------------------------------------------------------------------------------


def test_an_owner_ends_the_sessions_of_everyone(service, owner, later):
    """Their own, too, and access tokens; API keys and other accounts are not affected."""
    bob = Dashboard(service, owner.tenant, Role.MEMBER, subject="bob")
    client, stranger = Client(service, tenant=owner.tenant), Dashboard(service)
    key = Caller(service, tenant=owner.tenant)
    tokens = [owner.token, bob.token, client.token()]
    others = [stranger.token, Client(service).token()]
    answer = owner.post(END, {"everyone": True})

    assert answer.status_code == 200, answer.text
    assert answer.json.keys() == {"subject", "endedAt", "provider"}
    assert answer.json["subject"] is None
    assert [ask(service, token) for token in tokens] == [ENDED] * 3
    assert [ask(service, token) for token in others] == [OPEN] * 2
    assert key.get(INVOICES).status_code == 200
    later(1)
    assert [ask(service, one) for one in (owner.token, bob.token, client.token())] == [OPEN] * 3


def test_an_owner_ends_the_sessions_of_one_person_or_client(service, owner):
    bob = Dashboard(service, owner.tenant, Role.MEMBER, subject="bob")
    one, two = (Client(service, tenant=owner.tenant) for _ in range(2))
    namesake = Dashboard(service, subject="bob")
    tokens = [owner.token, bob.token, one.token(), two.token(), namesake.token]
    ended = [owner.post(END, {"subject": subject}) for subject in ("bob", one.id, "unknown")]

    assert [(a.status_code, a.json["subject"]) for a in ended] == [
        (200, "bob"), (200, one.id), (200, "unknown"),
    ]  # fmt: skip
    assert [ask(service, token) for token in tokens] == [OPEN, ENDED, ENDED, OPEN, OPEN]


def test_an_ended_session_is_challenged_as_a_token(service, owner):
    token = owner.token
    owner.post(END, {"everyone": True})
    answer = service.test_client().get("/api/session", headers={"Authorization": f"Bearer {token}"})

    assert (answer.status_code, slug(answer)) == ENDED
    assert answer.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'


MOMENT = 1_795_000_000.5


@pytest.mark.parametrize(
    ("ends", "issued_at", "refused"),
    [
        (None, 1.0, False),
        ({}, 1.0, False),
        ({"": MOMENT}, MOMENT, True),
        ({"": MOMENT}, MOMENT + 0.001, False),
        ({"": MOMENT}, MOMENT - 0.5, True),  # issuers round down: the same second
        ({"": MOMENT}, MOMENT + 0.5, False),
        ({"ann": MOMENT}, MOMENT - 1, True),
        ({"bob": MOMENT}, MOMENT - 1, False),
        ({"ann": MOMENT - 9, "": MOMENT}, MOMENT - 1, True),
        ({"ann": MOMENT, "": MOMENT - 9}, MOMENT - 1, True),
    ],
)
def test_a_token_is_refused_up_to_the_moment(ends, issued_at, refused):
    tenant = TenantRecord("t", "T", session_ends=ends)
    if refused:
        with pytest.raises(SessionEnded):
            session_ends.check(tenant, "ann", issued_at)
    else:
        session_ends.check(tenant, "ann", issued_at)


def test_the_remembered_moments_are_bounded_and_forgotten_after_a_day(service, owner, later):
    """A hundred people; then everyone still can be ended. A token of their last second is valid for
    a day and the two minutes that clocks may differ."""
    caches = runtime_of(service).caches
    with service.app_context():
        for number in range(session_ends.MAX_SUBJECTS):
            session_ends.end(owner.tenant, f"person {number}", caches)
        session_ends.end(owner.tenant, "person 1", caches)
        session_ends.end(owner.tenant, None, caches)
        with pytest.raises(Conflict):
            session_ends.end(owner.tenant, "one more", caches)
        later(24 * 3600 + 119)
        with pytest.raises(Conflict):
            session_ends.end(owner.tenant, "one more", caches)
        later(2)
        session_ends.end(owner.tenant, "one more", caches)
        ends = tenants.get(owner.tenant).session_ends

    assert ends is not None
    assert ends.keys() == {"one more"}


@pytest.mark.parametrize(
    "body", [{}, {"everyone": False}, {"subject": "ann", "everyone": True}, {"subject": ""}]
)
def test_whose_sessions_end_must_be_said(owner, body):
    """Nobody is logged out by an empty request."""
    answer = owner.post(END, body)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [error["pointer"] for error in answer.json["errors"]] == ["/subject"]
    assert owner.get("/api/session").status_code == 200


@pytest.mark.parametrize("path", [END, CLOSE])
@pytest.mark.parametrize("role", [Role.VIEWER, Role.MEMBER, Role.ADMIN])
def test_access_is_ended_by_owners_only(service, path, role):
    """Not by programs either."""
    person = Dashboard(service, role=role)
    key = Caller(service, tenant=person.tenant)
    body = {"everyone": True} if path == END else {"confirm": person.tenant}
    answer = person.post(path, body)

    assert (answer.status_code, slug(answer)) == (403, "forbidden")
    assert answer.json["requiredRole"] == "owner"
    assert key.bearer("POST", path, body).status_code == 401
    assert person.get("/api/session").status_code == 200


def test_ends_and_closings_by_people_are_in_the_audit_log(service, owner, later):
    owner.post(END, {"subject": "bob"})
    owner.post(END, {"everyone": True})
    later(1)
    items = owner.get("/api/audit?action=sessions.ended").json["items"]

    assert [(item["target"], item["detail"]) for item in items] == [
        (owner.tenant, {"subject": None}), ("bob", {"subject": "bob"}),
    ]  # fmt: skip


def test_another_process_notices_within_a_second(build, owner, monkeypatch):
    """Which is how long it caches a tenant."""
    other, token, monotonic = build(), owner.token, clock.monotonic
    assert ask(other, token) == OPEN
    owner.post(END, {"everyone": True})
    monkeypatch.setattr(clock, "monotonic", lambda: monotonic() + 1.01)

    assert ask(other, token) == ENDED


# -- closing ---------------------------------------------------------------------------------------


def close(owner: Dashboard):
    answer = owner.post(CLOSE, {"confirm": owner.tenant})
    assert answer.status_code == 200, answer.text
    return answer.json


def test_a_closed_account_lets_nobody_in(service, owner):
    """People, keys, clients and tokens; those of other accounts are not affected."""
    bob = Dashboard(service, owner.tenant, Role.MEMBER, subject="bob")
    key, live = (Caller(service, each, owner.tenant) for each in Environment)
    client, other = Client(service, tenant=owner.tenant), Caller(service)
    access = client.token()
    answer = close(owner)

    assert (answer["tenantId"], answer.keys()) == (
        owner.tenant, {"tenantId", "closedAt", "provider"},
    )  # fmt: skip
    assert [ask(service, token) for token in (owner.token, bob.token)] == [CLOSED] * 2
    for caller in (key, live):
        refused = caller.get(INVOICES)
        assert (refused.status_code, slug(refused)) == (401, "invalid-api-key")
    runtime_of(service).caches.oauth_clients.clear()  # a second later
    assert ask(service, access) == (401, "invalid-token")
    assert client.ask().json["error"] == "invalid_client"
    assert other.get(INVOICES).status_code == 200


def test_what_was_accepted_before_is_delivered_to_its_end(service, owner, later):
    """And its documents stay."""
    caller = Caller(service, tenant=owner.tenant)
    invoice = caller.sent()
    close(owner)
    for _ in range(2):
        caller.work()
        later(3)

    assert _status(service, invoice) == "Delivered"
    assert caller.count(Invoice) == 1


def _status(app, invoice_id: str) -> str:
    with app.app_context(), db.reading() as connection:
        query = (
            "SELECT t.status FROM transmissions t JOIN invoices i ON i.transmission_id = t.id"
            f" WHERE i.id = '{invoice_id}'"
        )
        return str(connection.exec_driver_sql(query).scalar_one())


def test_webhooks_of_a_closed_account_are_disabled_and_get_no_more_events(service, owner, later):
    caller = Caller(service, tenant=owner.tenant)
    hook = {"url": "https://receiver.example/hook", "environment": "test"}
    made = owner.post("/api/webhooks", hook).json["webhookId"]
    stranger = Dashboard(service)
    theirs = stranger.post("/api/webhooks", hook).json["webhookId"]
    caller.sent()
    close(owner)
    for _ in range(2):
        caller.work()
        later(3)
    with service.app_context():
        endpoint = endpoints.get(owner.tenant, made)
        due = outbox.claim(
            outbox.WEBHOOKS, owner.tenant, 10,
            token="t", now=clock.now(), lease=timedelta(seconds=9),
        )  # fmt: skip

    assert (endpoint.status, endpoint.disabled_reason) == ("disabled", "the account is closed")
    assert due == []
    assert stranger.get(f"/api/webhooks/{theirs}").json["status"] == "active"


def test_share_links_of_a_closed_account_are_not_found(service):
    shop = Shop(service)
    owner = Dashboard(service, shop.tenant)
    link = owner.post(f"/api/invoices/{shop.invoice()}/share").json["shareToken"]
    assert shop.open(link).status_code == 200
    close(owner)

    assert shop.open(link).status_code == 404


def test_nothing_is_received_for_a_closed_account(service, owner):
    """The network is answered that the receiver is not served; another tenant receives on."""
    runtime, other = runtime_of(service), Dashboard(service).tenant
    closed, served = (ParticipantId.parse(f"0088:{uuid.uuid4().int % 10**13:013}") for _ in "12")
    with service.app_context():
        tenants.own_participant(owner.tenant, Environment.TEST, closed)
        tenants.own_participant(other, Environment.TEST, served)
        before = [type(_receive(one, "C-1", runtime)) for one in (closed, served)]
        closure.close(owner.tenant, runtime.caches)
        runtime.caches.participant_owners.clear()  # a second later
        after = [type(_receive(one, "C-2", runtime)) for one in (closed, served)]

    assert (before, after) == ([Stored, Stored], [NotServiced, Stored])


def _receive(receiver, number, runtime):
    inbound = samples.inbound(number=number, receiver=receiver)
    return reception.receive(inbound, runtime.caches, runtime.computing, runtime.forms)


def test_a_closed_account_gets_no_new_keys_webhooks_or_participants(service, owner):
    """Not by the operator's commands either."""
    settings = runtime_of(service).settings
    close(owner)
    with service.app_context():
        for make in (
            lambda: credentials.create(API_KEY, owner.tenant, "k", Environment.TEST),
            lambda: endpoints.create(
                owner.tenant, Environment.TEST, url="https://a.example/h", settings=settings
            ),
            lambda: tenants.own_participant(
                owner.tenant, Environment.TEST, ParticipantId.parse("0088:1234567890123")
            ),
            lambda: session_ends.end(owner.tenant, None, Caches()),
        ):
            with pytest.raises(AccountClosed):
                make()


def test_closing_twice_changes_nothing(service, owner, later):
    first = close(owner)["closedAt"]
    later(5)
    with service.app_context():
        again = closure.close(owner.tenant, Caches())

    assert clock.timestamp(again) == first


@pytest.mark.parametrize("confirm", ["", "yes", "00000000-0000-4000-8000-000000000000", None])
def test_closing_needs_the_tenant_id_as_confirmation(owner, confirm):
    answer = owner.post(CLOSE, {} if confirm is None else {"confirm": confirm})

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [error["pointer"] for error in answer.json["errors"]] == ["/confirm"]
    assert owner.get("/api/session").status_code == 200


def test_of_a_key_made_while_the_account_is_closed_nothing_works(service, owner):
    """Creation and closing lock the tenant: the key is revoked, or not made."""
    made: list[str] = []

    def create() -> None:
        with service.app_context():
            try:
                new = credentials.create(API_KEY, owner.tenant, "k", Environment.TEST)
                made.append(new.secret)
            except AccountClosed:
                pass

    def shut() -> None:
        with service.app_context():
            closure.close(owner.tenant, Caches())

    with ThreadPoolExecutor(6) as pool:
        for job in [pool.submit(job) for job in (create, create, shut, create, create)]:
            job.result()
    runtime_of(service).caches.clear()

    for key in made:
        assert service.test_client().get(INVOICES, headers={"x-api-key": key}).status_code == 401
