"""Logging in to the console by the identity provider, which names operators in a claim."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
import requests

from einvoice import clock
from einvoice.security.jwt import OperatorClaim
from einvoice.services.account import tenants
from tests.web.console import COOKIE, OperatorPerson
from tests.web.pages import provider as providers

BASE = "http://localhost"


@pytest.fixture(scope="module")
def server():
    with providers.running() as one:
        yield one


@pytest.fixture
def provider(server):
    server.claims = {"sub": "otto", "email": "otto@operator.example"}
    server.claims["realm_access"] = {"roles": ["offline", "einvoice-operator"]}
    server.away, server.refusal, server.refreshes = False, None, True
    return server


@pytest.fixture
def app(make_app, provider):
    return make_app(
        base_url=BASE,
        operator_claim="realm_access.roles",
        operator_role="einvoice-operator",
        **provider.settings,
    )


def go(client, path, area="operator"):
    """Follow the browser from a page to the provider and back; the answer of the callback."""
    answer = client.get(path)
    while answer.status_code in {302, 303}:
        address = answer.headers["Location"]
        if address.startswith("http://127.0.0.1"):
            sent = requests.get(address, allow_redirects=False, timeout=30)
            back = urlsplit(sent.headers["Location"])
            assert f"{back.scheme}://{back.netloc}{back.path}" == f"{BASE}/{area}/login/callback"
            return client.get(f"{back.path}?{back.query}")
        answer = client.get(address)
    return answer


def test_an_operator_needs_no_tenant_and_comes_back_to_the_page(app):
    client = app.test_client()
    answer = go(client, "/operator/tenants?state=active")

    assert (answer.status_code, answer.headers["Location"]) == (
        303, "/operator/tenants?state=active",
    )  # fmt: skip
    assert "otto@operator.example" in client.get("/operator").text
    assert client.get("/dashboard").status_code == 303


@pytest.mark.parametrize(
    "roles", [None, [], ["operator"], "einvoice-operator2", {"einvoice-operator": True}, 1]
)
def test_a_person_whom_the_provider_does_not_name_is_refused(app, provider, roles):
    """Also an owner of a tenant."""
    with app.app_context():
        provider.claims |= {"tenant_id": tenants.create("Acme"), "role": "owner"}
    provider.claims["realm_access"] = {"roles": roles}
    client = app.test_client()
    answer = go(client, "/operator")

    assert answer.status_code == 401
    assert client.get_cookie(COOKIE) is None
    assert 'role="alert"' in answer.text


def test_an_operator_without_a_tenant_is_refused_by_the_dashboard(app):
    answer = go(app.test_client(), "/dashboard", "dashboard")

    assert answer.status_code == 401


def test_a_begun_login_of_the_dashboard_is_none_of_the_console(app):
    """Each has a cookie of its own, sealed for it."""
    client = app.test_client()
    begun = client.get("/dashboard/login").headers["Location"]
    sent = requests.get(begun, allow_redirects=False, timeout=30)
    back = urlsplit(sent.headers["Location"])
    cookie = client.get_cookie("einvoice-login")
    client.set_cookie("einvoice-operator-login", cookie.value)

    assert client.get(f"/operator/login/callback?{back.query}").status_code == 401


@pytest.mark.parametrize(("roles", "status"), [(["einvoice-operator"], 200), (["other"], 303)])
def test_a_session_ends_within_five_minutes_of_the_role(app, provider, monkeypatch, roles, status):
    client = app.test_client()
    go(client, "/operator")
    provider.claims["realm_access"] = {"roles": roles}
    assert client.get("/operator").status_code == 200
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(minutes=5))

    assert client.get("/operator").status_code == status


def test_a_session_ends_after_an_hour_without_a_request(app, provider, monkeypatch):
    provider.refreshes = False
    client = app.test_client()
    go(client, "/operator")
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=3599))
    assert client.get("/operator").status_code == 200
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=3599 + 3601))

    assert client.get("/operator").status_code == 303


def test_logging_out_ends_the_session_at_the_provider_too(app, provider):
    person = OperatorPerson(app, log_in=False)
    go(person.client, "/operator")
    answer = person.post("/logout")

    assert answer.headers["Location"].startswith(f"{provider.url}/end?")
    assert "operator%2Flogged-out" in answer.headers["Location"]
    assert person.get().status_code == 303


def test_production_has_no_local_login(make_app):
    app = make_app(
        mode="production", base_url="https://e.example", secret_key="a" * 43 + "=",
    )  # fmt: skip
    client = app.test_client()

    assert client.get("/operator/login/local?token=x").status_code == 404
    assert "EINVOICE_OPERATOR_ROLE" in client.get("/operator/login").text


def test_nobody_is_an_operator_where_no_role_is_set():
    for claims in ({"roles": [""]}, {"roles": ""}, {}):
        assert not OperatorClaim("roles", "").names(claims)
    assert OperatorClaim("https://e.example/roles", "op").names({"https://e.example/roles": "op"})
    assert OperatorClaim("roles", "op").names({"roles": "op"})
    assert not OperatorClaim("roles", "op").names({"roles": "operator"})
