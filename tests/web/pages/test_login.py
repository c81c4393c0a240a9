"""Logging in to the pages of the dashboard, by the identity provider and locally, and out again."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import requests
import sqlalchemy as sa
from flask import Response
from prometheus_client import REGISTRY

from einvoice import clock
from einvoice.cli.doctor_checks import check_identity_provider
from einvoice.services.account import closure, session_ends, tenants, web_sessions
from einvoice.store.core import db
from einvoice.store.tables import WebSession
from einvoice.web.dashboard import cookies
from einvoice.web.runtime import runtime_of
from tests.web.pages import provider as providers
from tests.web.pages.visitor import Visitor, titles

BASE = "http://localhost"


@pytest.fixture(scope="module")
def server():
    with providers.running() as one:
        yield one


@pytest.fixture
def provider(server):
    server.claims, server.away, server.nonce, server.refreshed = {}, False, None, 0
    server.refusal, server.refreshes = None, True
    return server


@pytest.fixture
def app(make_app, provider):
    return make_app(base_url=BASE, **provider.settings)


@pytest.fixture
def tenant(app):
    with app.app_context():
        return tenants.create("Acme")


@pytest.fixture
def at_provider(provider, tenant):
    """Ann is logged in at the provider, as an administrator of the tenant."""
    provider.claims = {
        "sub": "ann",
        "email": "ann@example.com",
        "name": "Ann Other",
        "tenant_id": tenant,
        "role": "admin",
    }
    return provider


def go(client, path="/dashboard"):
    """Follow the browser from a page to the provider and back; the answer of the callback."""
    answer = client.get(path)
    while answer.status_code in {302, 303}:
        address = answer.headers["Location"]
        if address.startswith("http://127.0.0.1"):
            sent = requests.get(address, allow_redirects=False, timeout=30)
            assert sent.status_code == 302, sent.text
            back = urlsplit(sent.headers["Location"])
            assert f"{back.scheme}://{back.netloc}{back.path}" == f"{BASE}/dashboard/login/callback"
            return client.get(f"{back.path}?{back.query}")
        answer = client.get(address)
    return answer


def sessions(app) -> list[WebSession]:
    with app.app_context(), db.reading_session() as database:
        return list(database.scalars(sa.select(WebSession)))


def test_the_provider_leads_back_to_the_page_that_was_asked_for(app, at_provider):
    client = app.test_client()
    answer = go(client, "/dashboard?environment=test")

    assert (answer.status_code, answer.headers["Location"]) == (303, "/dashboard?environment=test")
    page = client.get("/dashboard")
    assert (page.status_code, titles(page)) == (200, ["Overview"])
    assert "Ann Other" in page.text
    assert "Acme" in page.text


@pytest.mark.parametrize(
    ("headers", "then"),
    [
        ({"Referer": f"{BASE}/dashboard/customers/new"}, "/dashboard/customers/new"),
        ({"Referer": f"{BASE}/dashboard/invoices?q=a"}, "/dashboard/invoices?q=a"),
        ({"Referer": "https://evil.example/dashboard/customers/new"}, "/dashboard"),
        ({"Referer": "http://[evil/dashboard"}, "/dashboard"),
        ({}, "/dashboard"),
    ],
)
def test_a_form_of_a_session_that_has_ended_leads_back_to_its_page(app, at_provider, headers, then):
    client = app.test_client()
    answer = client.post("/dashboard/customers/new", headers=headers, base_url=BASE)

    assert answer.status_code == 303
    assert answer.headers["Location"] == f"/dashboard/login?next={quote(then, safe='')}"


def test_a_part_of_a_page_whose_session_has_ended_leaves_the_page_as_it_is(app, at_provider):
    """The page then says what to do: what was typed on it is there."""
    headers = {"HX-Request": "true", "HX-Current-URL": f"{BASE}/dashboard/invoices/new"}
    answer = app.test_client().post("/dashboard/invoices/new/check", headers=headers, base_url=BASE)

    assert (answer.status_code, answer.headers["Einvoice-Session"]) == (401, "none")
    assert not [name for name, _ in answer.headers if name.startswith("HX-")]


def test_nothing_is_stored_before_somebody_has_logged_in(app, at_provider):
    client = app.test_client()
    for _ in range(5):
        client.get("/dashboard/login")

    assert sessions(app) == []


def test_the_database_has_neither_the_cookie_nor_the_provider_s_tokens(app, at_provider):
    client = app.test_client()
    go(client)
    (session,) = sessions(app)
    cookie = client.get_cookie("einvoice").value

    stored = repr(vars(session))
    assert cookie not in stored
    (refresh,) = at_provider.refresh_tokens
    assert refresh not in stored


def test_the_cookies_are_for_this_host_and_no_script(make_app, at_provider):
    """In production browsers take them over HTTPS only."""
    app = make_app(
        mode="production", base_url="https://example.com", secret_key="A" * 43 + "=",
        **(at_provider.settings | {"jwt_jwks_url": "https://idp.example/keys"}),
    )  # fmt: skip
    with app.test_request_context():
        response = Response()
        cookies.keep_session(response, "token")
    (cookie,) = response.headers.getlist("Set-Cookie")
    assert cookie == "__Host-einvoice=token; Secure; HttpOnly; Path=/; SameSite=Lax"


def test_a_login_that_began_in_another_browser_is_refused(app, at_provider):
    victim = app.test_client()
    begun = app.test_client().get("/dashboard/login").headers["Location"]
    sent = requests.get(begun, allow_redirects=False, timeout=30)
    back = urlsplit(sent.headers["Location"])
    answer = victim.get(f"{back.path}?{back.query}")

    assert answer.status_code == 401
    assert "another browser" in answer.text
    assert sessions(app) == []


def test_a_code_is_used_once(app, at_provider):
    client = app.test_client()
    begun = client.get("/dashboard/login")
    sent = requests.get(begun.headers["Location"], allow_redirects=False, timeout=30)
    back = urlsplit(sent.headers["Location"])
    cookie = client.get_cookie("einvoice-login").value
    assert client.get(f"{back.path}?{back.query}").status_code == 303
    client.set_cookie("einvoice-login", cookie)

    assert client.get(f"{back.path}?{back.query}").status_code == 401


def test_an_id_token_for_another_login_is_refused(app, at_provider):
    at_provider.nonce = "another"

    assert go(app.test_client()).status_code == 401
    assert sessions(app) == []


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another-client"},
        {"iss": "http://127.0.0.1:1"},
        {"exp": 1},
        {"sub": ""},
        {"tenant_id": "ten_unknown"},
        {"tenant_id": []},
        {"tenant_id": ["x"] * 101},
        {"role": "king"},
    ],
    ids=str,
)
def test_an_id_token_that_is_wrong_is_no_login(app, at_provider, claims):
    at_provider.claims |= claims
    answer = go(app.test_client())

    assert answer.status_code == 401
    assert sessions(app) == []


def test_a_provider_that_is_away_is_503_and_says_so(make_app, provider):
    with providers.running() as other:
        app = make_app(base_url=BASE, **other.settings)
        other.away = True
        answer = app.test_client().get("/dashboard/login")

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "identity provider does not answer" in answer.text


@pytest.mark.parametrize(
    "given",
    [
        "https://evil.example/dashboard",
        "//evil.example/dashboard",
        "/dashboard//evil.example",
        "/dashboard/../api/keys",
        "/dashboard/%2E%2e/api/keys",
        "/\\evil.example",
        "/dashboard/../../evil",
        "javascript:alert(1)",
        "/dashboardevil",
        "/dashboard\r\nSet-Cookie: a=b",
    ],
)
def test_a_login_leads_to_no_other_place(app, at_provider, given):
    client = app.test_client()
    begun = client.get("/dashboard/login", query_string={"next": given})
    sent = requests.get(begun.headers["Location"], allow_redirects=False, timeout=30)
    back = urlsplit(sent.headers["Location"])
    place = client.get(f"{back.path}?{back.query}").headers["Location"]

    assert place == "/dashboard"


def test_somebody_with_several_accounts_chooses_one_and_may_change(app, at_provider, tenant):
    with app.app_context():
        other = tenants.create("Brew")
        stranger = tenants.create("Strange")
    at_provider.claims |= {"tenant_id": [tenant, other], "role": {tenant: "owner", other: "viewer"}}
    visitor = Visitor(app, tenant, log_in=False)
    go(visitor.client)
    chosen = visitor.get("/dashboard")
    assert (chosen.status_code, chosen.headers["Location"]) == (303, "/dashboard/accounts")
    page = visitor.get("/dashboard/accounts").text
    assert "Acme" in page
    assert "Brew" in page
    assert "Strange" not in page

    wrong = visitor.post("/dashboard/accounts", {"account": stranger})
    assert wrong.status_code == 404
    visitor.post("/dashboard/accounts", {"account": other})
    assert '<small dir="auto">Brew</small>' in visitor.get("/dashboard").text
    visitor.post("/dashboard/accounts", {"account": tenant})
    assert '<small dir="auto">Acme</small>' in visitor.get("/dashboard").text


@pytest.fixture
def at(app, at_provider, monkeypatch):
    """The status of a page so many seconds after the login; the session is not renewed."""
    client, began = app.test_client(), clock.now()
    go(client)
    with app.app_context(), db.writing() as connection:
        connection.execute(sa.update(WebSession).values(secrets=None))

    def status(seconds: float) -> int:
        monkeypatch.setattr(clock, "now", lambda: began + timedelta(seconds=seconds))
        return client.get("/dashboard").status_code

    return status


def test_a_session_ends_twelve_hours_after_the_login(at):
    assert {at(seconds) for seconds in range(0, 43_200, 3_000)} == {200}
    assert at(43_199) == 200
    assert at(43_201) == 303


@pytest.mark.parametrize(("pause", "status"), [(3_590, 200), (3_610, 303)])
def test_a_session_ends_after_an_hour_without_a_request(at, pause, status):
    assert at(3_000) == 200
    assert at(3_000 + pause) == status


@pytest.fixture
def later(monkeypatch):
    """Six minutes later: the provider is asked again."""
    moment = clock.now() + timedelta(minutes=6)
    return lambda: monkeypatch.setattr(clock, "now", lambda: moment)


def test_a_person_whom_the_provider_revokes_is_logged_out(app, at_provider, later):
    client = app.test_client()
    go(client)
    at_provider.refresh_tokens = set()
    assert client.get("/dashboard").status_code == 200
    later()

    assert client.get("/dashboard").status_code == 303
    assert sessions(app) == []


def test_a_session_without_a_refresh_token_lasts(app, at_provider, later):
    """There is nothing to ask the provider with."""
    client, at_provider.refreshes = app.test_client(), False
    go(client)
    later()

    assert client.get("/dashboard").status_code == 200
    assert at_provider.refreshed == 0


def test_one_of_two_requests_at_once_asks_the_provider(app, at_provider, later, monkeypatch):
    """The other one goes on with the session as it was."""
    client = app.test_client()
    go(client)
    later()
    monkeypatch.setattr(web_sessions.stored, "claim_refresh", lambda *_: False)

    assert client.get("/dashboard").status_code == 200
    assert at_provider.refreshed == 0


def test_a_session_that_the_provider_gives_to_another_person_ends(app, at_provider, later):
    client = app.test_client()
    go(client)
    at_provider.claims["sub"] = "ben"
    later()

    assert client.get("/dashboard").status_code == 303
    assert sessions(app) == []


def test_another_role_at_the_provider_counts_after_minutes(app, at_provider, tenant, later):
    client = app.test_client()
    go(client)
    at_provider.claims["role"] = "viewer"
    later()

    assert client.get("/dashboard").status_code == 200
    (session,) = sessions(app)
    assert session.roles == {tenant: "viewer"}
    assert at_provider.refreshed == 1


def test_a_provider_that_is_away_ends_no_session(app, at_provider, later):
    client = app.test_client()
    go(client)
    at_provider.away = True
    later()

    assert client.get("/dashboard").status_code == 200


def refused(reason: str) -> float:
    labels = {"reason": reason}
    return REGISTRY.get_sample_value("einvoice_identity_provider_failures_total", labels) or 0


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (401, '{"error": "invalid_client"}', "client-refused"),
        (400, '{"error": "invalid_client"}', "client-refused"),
        (401, '{"error": "unauthorized_client"}', "client-refused"),
        (400, '{"error": "invalid_request"}', "client-refused"),
        (400, '{"error": "temporarily_unavailable"}', "unavailable"),
        (401, "{}", "unavailable"),
        (403, '{"message": "Forbidden"}', "unavailable"),
        (403, "<html>", "unavailable"),
        (500, '{"error": "invalid_grant"}', "unavailable"),
    ],
)
def test_a_provider_that_refuses_our_client_ends_no_session_and_is_counted(
    app, at_provider, later, status, body, reason
):
    """Nobody's session ended: an operator has to correct the client's secret."""
    client = app.test_client()
    go(client)
    at_provider.refusal, before = (status, body), refused(reason)
    later()

    assert client.get("/dashboard").status_code == 200
    assert len(sessions(app)) == 1
    assert refused(reason) == before + 1


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, "invalid_grant"), (403, "invalid_grant"), (400, "access_denied"), (400, "unheard_of")],
)
def test_a_provider_that_refuses_the_person_ends_the_session(
    app, at_provider, later, status, error
):
    client = app.test_client()
    go(client)
    at_provider.refusal = (status, f'{{"error": "{error}"}}')
    later()

    assert client.get("/dashboard").status_code == 303
    assert sessions(app) == []


def test_a_session_whose_provider_refuses_our_client_ends_at_its_own_end(
    app, at_provider, monkeypatch
):
    client, began = app.test_client(), clock.now()
    go(client)
    at_provider.refusal = (401, '{"error": "invalid_client"}')

    answers = []
    for seconds in (*range(0, 43_200, 3_000), 43_199, 43_201):
        moment = began + timedelta(seconds=seconds)
        monkeypatch.setattr(clock, "now", lambda moment=moment: moment)
        answers.append(client.get("/dashboard").status_code)

    assert answers == [200] * (len(answers) - 1) + [303]


def test_a_login_with_a_wrong_secret_is_the_operator_s_fault(app, at_provider):
    at_provider.refusal = (401, '{"error": "invalid_client"}')
    answer = go(app.test_client())

    assert answer.status_code == 503
    assert "its operator has to correct the settings" in answer.text
    assert sessions(app) == []


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (None, []),
        ((401, '{"error": "invalid_client"}'), ["refuses the client of this service"]),
        ((503, ""), ["does not answer now"]),
    ],
    ids=["right", "wrong secret", "away"],
)
def test_doctor_asks_the_provider_whether_it_knows_the_client(app, at_provider, refusal, words):
    at_provider.refusal = refusal
    found = list(check_identity_provider(runtime_of(app).identity_provider))

    assert len(found) == len(words)
    assert all(word in each.message for each, word in zip(found, words, strict=True))


def test_logging_out_ends_the_session_here_and_at_the_provider(app, at_provider, tenant):
    visitor = Visitor(app, tenant, log_in=False)
    go(visitor.client)
    cookie = visitor.client.get_cookie("einvoice").value
    answer = visitor.post("/dashboard/logout")

    place = urlsplit(answer.headers["Location"])
    assert f"{place.scheme}://{place.netloc}{place.path}" == f"{at_provider.url}/end"
    query = parse_qs(place.query)
    assert query["post_logout_redirect_uri"] == [f"{BASE}/dashboard/logged-out"]
    assert query["id_token_hint"][0].count(".") == 2
    visitor.client.set_cookie("einvoice", cookie)
    assert visitor.get("/dashboard").status_code == 303
    assert sessions(app) == []


def test_the_cookie_before_a_login_is_worth_nothing_after_it(app, tenant):
    """Session fixation: each login has a new token, and ends the one before."""
    visitor = Visitor(app, tenant)
    first = visitor.client.get_cookie("einvoice").value
    visitor.get(visitor.link)
    second = visitor.client.get_cookie("einvoice").value

    assert first != second
    visitor.client.set_cookie("einvoice", first)
    assert visitor.get("/dashboard").status_code == 303
    visitor.client.set_cookie("einvoice", second)
    assert visitor.get("/dashboard").status_code == 200


def test_sessions_that_an_owner_ends_are_over(app, tenant):
    visitor = Visitor(app, tenant)
    with app.app_context():
        session_ends.end(tenant, "ann", runtime_of(app).caches)

    assert visitor.get("/dashboard").status_code == 303


def test_a_closed_account_has_no_pages(app, tenant):
    visitor = Visitor(app, tenant)
    with app.app_context():
        closure.close(tenant, runtime_of(app).caches)
    runtime_of(app).caches.tenants.drop(tenant)

    answer = visitor.get("/dashboard")
    assert answer.status_code == 403
    assert "was closed" in answer.text


def test_the_oldest_of_twenty_one_sessions_ends(app, tenant):
    first = Visitor(app, tenant)
    for _ in range(19):
        Visitor(app, tenant)
    assert first.get("/dashboard").status_code == 200
    Visitor(app, tenant)

    assert first.get("/dashboard").status_code == 303
    assert len(sessions(app)) == 20


def test_production_has_no_local_login(make_app, at_provider, app, tenant):
    token = Visitor(app, tenant, log_in=False).link
    production = make_app(
        mode="production", base_url="https://example.com", secret_key="A" * 43 + "=",
        **(at_provider.settings | {"jwt_jwks_url": "https://idp.example/keys"}),
    )  # fmt: skip

    assert production.test_client().get(token).status_code == 404


def test_a_login_is_in_the_audit_log(app, tenant):
    visitor = Visitor(app, tenant)
    entries = visitor.person.get("/api/audit").json["items"]

    assert [(entry["action"], entry["actor"]) for entry in entries] == [("session.opened", "ann")]


def test_without_a_provider_the_login_says_what_is_missing(make_app):
    app = make_app(jwt_dev_issuer=False)
    answer = app.test_client().get("/dashboard/login")

    assert answer.status_code == 200
    assert "EINVOICE_OIDC_CLIENT_ID" in answer.text
