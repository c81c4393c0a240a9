"""Requests without a credential are counted by the network they come from, everywhere alike."""

from __future__ import annotations

import doctest

import pytest

from einvoice.network.endpoints import Endpoint, Response
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import INTERFACE_VERSION
from einvoice.store.resources import resources_of
from einvoice.web import limits, requests
from einvoice.web.oauth import views as oauth
from tests.web.dashboard import Dashboard

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

TOKEN, PUSH, VIEW = "/oauth/token", "/networks/push/", "/api/invoices/view/unknown"


class Plugin:
    EINVOICE_INTERFACE = INTERFACE_VERSION

    @hookimpl
    def einvoice_endpoints(self):
        yield Endpoint("push", lambda request: Response(204), per_minute=2)


@pytest.fixture
def call(make_app, redis_url, monkeypatch, own_budgets):
    """The status of a request from an address, of which each place takes two a minute."""
    monkeypatch.setattr(oauth, "MAX_REQUESTS_PER_MINUTE", 2)
    app = make_app(plugins=[Plugin()], redis_url=redis_url, limit_buyer=2)

    def _call(path, address):
        method = "GET" if path == VIEW else "POST"
        environ = {"REMOTE_ADDR": address} if address is not None else {}
        client = app.test_client()
        if address is None:
            client.environ_base = {}
        return client.open(path, method=method, environ_overrides=environ)

    yield _call
    with app.app_context():
        resources_of(app).close()


@pytest.mark.parametrize("path", [TOKEN, PUSH, VIEW])
@pytest.mark.parametrize(
    ("addresses", "beside"),
    [
        (["192.0.2.1"] * 3, "192.0.2.2"),
        ([f"2001:db8:0:1::{n}" for n in range(3)], "2001:db8:0:2::"),
        (["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1"], "2001:db8::"),
    ],
)
def test_a_network_has_one_budget_for_each_place(call, path, addresses, beside):
    """A household has a whole /64 of IPv6: it must not have 2^64 budgets."""
    statuses = [call(path, address).status_code for address in addresses]

    assert 429 not in statuses[:2]
    assert statuses[2] == 429
    assert call(path, beside).status_code != 429
    for place in {TOKEN, PUSH, VIEW} - {path}:
        assert call(place, addresses[0]).status_code != 429


@pytest.mark.parametrize("path", [TOKEN, PUSH, VIEW])
def test_without_an_address_nothing_is_counted(call, path):
    """Behind a proxy that does not forward it, all clients would share one budget."""
    responses = [call(path, None) for _ in range(4)]

    assert 429 not in {response.status_code for response in responses}
    assert not any("X-RateLimit-Limit" in response.headers for response in responses)


def test_a_refusal_states_the_budget(call):
    refused = [call(VIEW, "192.0.2.9") for _ in range(3)][-1]

    assert refused.headers["X-RateLimit-Remaining"] == "0"
    assert 0 < int(refused.headers["Retry-After"]) <= 60


def test_doctests_hold(database_url):
    assert doctest.testmod(requests).failed == 0


def test_flask_limiter_has_no_hooks_in_the_service(app):
    """Its check before each request takes 50 µs; credentials count requests themselves.

    If this fails after an update: flask_limiter.Limiter now registers hooks elsewhere than in the
    application it is given (web/limits).
    """
    hooks = [app.before_request_funcs, app.after_request_funcs, app.teardown_request_funcs]
    functions = [function for kind in hooks for found in kind.values() for function in found]

    assert functions
    assert not [f for f in functions if "flask_limiter" in repr(f) or "Limiter" in repr(f)]
    assert isinstance(limits.limiter.storage, limits.BudgetStorage)


def test_each_person_of_a_tenant_has_a_budget(make_app, redis_url, own_budgets):
    """One busy colleague must not lock the others out of the dashboard."""
    app = make_app(redis_url=redis_url, limit_session_get=1)
    ann = Dashboard(app)
    bob = Dashboard(app, ann.tenant, subject="bob")
    statuses = [who.call("GET", "/api/session").status_code for who in (ann, ann, bob)]
    with app.app_context():
        resources_of(app).close()

    assert statuses == [200, 429, 200]
