"""Requests without a credential are counted by the network they come from, everywhere alike."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from flask_limiter.util import get_qualified_name

from einvoice.network.endpoints import Endpoint, Response
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import INTERFACE_VERSION
from einvoice.store.core.resources import resources_of
from einvoice.web import credentials, limits
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
    """The status of a request from an address; each place allows two a minute."""
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


def test_the_page_of_a_buyer_states_no_budget_until_it_is_used_up(call):
    """The other places state it in every answer."""
    seen = [call(VIEW, "192.0.2.7") for _ in range(3)]

    assert ["X-RateLimit-Limit" in answer.headers for answer in seen] == [False, False, True]
    assert call(TOKEN, "192.0.2.7").headers["X-RateLimit-Remaining"] == "1"
    assert call(PUSH, "192.0.2.7").headers["X-RateLimit-Remaining"] == "1"


def test_a_refusal_states_the_budget(call):
    refused = [call(VIEW, "192.0.2.9") for _ in range(3)][-1]

    assert refused.headers["X-RateLimit-Remaining"] == "0"
    assert 0 < int(refused.headers["Retry-After"]) <= 60


def test_flask_limiter_evaluates_no_limits_for_a_send(app, api_key, monkeypatch):
    """Looking for limits costs 27 us; a send counts with its credential."""
    asked = []
    resolve = limits.limiter.limit_manager.resolve_limits

    def _resolve(*given):
        asked.append(given)
        return resolve(*given)

    monkeypatch.setattr(limits.limiter.limit_manager, "resolve_limits", _resolve)
    client = app.test_client()
    for path in ("/api/invoices/send", "/v1/invoices"):
        refused = client.post(path, headers={"x-api-key": api_key}, data=b"[]")
        assert refused.status_code == 400
    assert asked == []

    client.get("/api/session")  # refused before the person is counted
    assert asked == []
    client.post(TOKEN)
    assert len(asked) == 1


def test_families_that_flask_limiter_leaves_out_count_with_their_credential(app):
    """A limit of a route in such a family would never be evaluated."""
    families = [app.blueprints[name] for name in limits.COUNTED_BY_CREDENTIAL]
    views = [
        view
        for endpoint, view in app.view_functions.items()
        if endpoint.partition(".")[0] in limits.COUNTED_BY_CREDENTIAL
    ]
    decorated = limits.limiter.limit_manager.decorated_limits

    assert {family.credential for family in families} == {credentials.api_key, credentials.bearer}
    assert len(views) > 5
    assert [view for view in views if decorated(get_qualified_name(view))] == []
    assert isinstance(limits.limiter.storage, limits.BudgetStorage)


def test_each_route_of_a_person_counts_against_one_budget(make_app, redis_url, own_budgets):
    """And headers state what is left of it; GET and POST are counted apart."""
    app = make_app(redis_url=redis_url, limit_session_get=2, limit_session_post=1)
    ann = Dashboard(app)
    seen = [ann.get(path) for path in ("/api/session", "/api/keys", "/api/audit")]
    posted = [ann.post("/api/keys", {}) for _ in range(2)]
    with app.app_context():
        resources_of(app).close()

    assert [response.status_code for response in seen] == [200, 200, 429]
    assert [response.headers["X-RateLimit-Remaining"] for response in seen] == ["1", "0", "0"]
    assert {response.headers["X-RateLimit-Limit"] for response in seen} == {"2"}
    assert ["Retry-After" in response.headers for response in seen] == [False, False, True]
    assert [response.status_code for response in posted] == [400, 429]
    assert seen[2].json["detail"].startswith("You may make 2 GET requests a minute: try again in ")
    words = "You may make 1 POST, PUT, PATCH and DELETE requests a minute"
    assert posted[1].json["detail"].startswith(words)


def test_concurrent_people_are_counted_apart(make_app, redis_url, own_budgets):
    """The definition of the limit is shared by all threads; whose it is comes from the request."""
    app = make_app(redis_url=redis_url, limit_session_get=5)
    people = [Dashboard(app, subject=f"p{n}") for n in range(8)]

    def _ask(who):
        return [who.get("/api/session").status_code for _ in range(6)]

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(_ask, people))
    with app.app_context():
        resources_of(app).close()

    assert statuses == [[200] * 5 + [429]] * 8


def test_each_person_of_a_tenant_has_a_budget(make_app, redis_url, own_budgets):
    """The requests of one person do not use up the limit of others."""
    app = make_app(redis_url=redis_url, limit_session_get=1)
    ann = Dashboard(app)
    bob = Dashboard(app, ann.tenant, subject="bob")
    statuses = [who.call("GET", "/api/session").status_code for who in (ann, ann, bob)]
    with app.app_context():
        resources_of(app).close()

    assert statuses == [200, 429, 200]
