"""What a key may not do: other receivers, other addresses, other scopes, after its time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials
from einvoice.web.runtime import runtime_of
from tests.builders import RECEIVER
from tests.web.caller import Caller, slug

ELSEWHERE = "0088:9520000000011"


def test_a_key_reaches_the_receivers_it_names_and_no_others(service):
    """403 receiver-not-allowed and nothing is stored; case makes no difference."""
    caller = Caller(service, allowed_receivers=[RECEIVER, "9925:BE0123456749"])
    allowed = caller.send(caller.body(RECEIVER))
    upper, lower = (
        caller.send(caller.body(f"9925:{spelling}0123456749")) for spelling in ("BE", "be")
    )
    stored = caller.stored()
    refused = caller.send(caller.body(ELSEWHERE))

    assert allowed.status_code == 200, allowed.text
    assert "receiver-not-allowed" not in (upper.json.get("type"), lower.json.get("type"))
    assert (refused.status_code, slug(refused)) == (403, "receiver-not-allowed")
    assert caller.stored() == stored


@pytest.mark.parametrize(
    ("allowed", "address", "status"),
    [
        (["192.0.2.7"], "192.0.2.7", 200),
        (["192.0.2.7"], "192.0.2.8", 403),
        (["198.51.100.0/24", "192.0.2.0/30"], "192.0.2.3", 200),
        (["198.51.100.0/24", "192.0.2.0/30"], "192.0.2.4", 403),
        (["2001:db8::/32"], "2001:db8::1", 200),
        (["2001:db8::/32"], "2001:db9::1", 403),
        (["192.0.2.7"], "::ffff:192.0.2.7", 200),
        (["192.0.2.7"], "::ffff:192.0.2.8", 403),
        ([], "203.0.113.9", 200),
    ],
)
def test_a_key_works_from_its_addresses_only(service, allowed, address, status):
    """403 ip-not-allowed from elsewhere; an IPv4 address is the same inside IPv6."""
    caller = Caller(service, allowed_ips=allowed)
    answer = caller.app.test_client().get(
        "/api/invoices",
        headers={"x-api-key": caller.key},
        environ_overrides={"REMOTE_ADDR": address},
    )

    assert answer.status_code == status, answer.text
    if status == 403:
        assert slug(answer) == "ip-not-allowed"


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Real-IP", "Forwarded"])
def test_forwarded_headers_are_ignored_without_a_trusted_proxy(service, header):
    """Headers about the client's address are not used."""
    caller = Caller(service, allowed_ips=["192.0.2.7"])
    answer = caller.call("GET", "/api/invoices", **{header.replace("-", "_"): "192.0.2.7"})

    assert slug(answer) == "ip-not-allowed"


ROUTES = {
    "participants:read": ("GET", "/api/participants/lookup?participantId=0088:9520000000004"),
    "invoices:send": ("POST", "/api/invoices/send"),
    "invoices:read": ("GET", "/api/invoices"),
    "artefacts:read": ("GET", "/api/invoices/x/artefacts"),
}


@pytest.mark.parametrize("scope", ROUTES)
def test_each_scope_grants_its_routes_only(service, scope):
    """403 insufficient-scope wherever another scope is needed."""
    caller = Caller(service, scopes=[scope])
    refused = {
        needed: (answer := caller.call(*route)).is_json and answer.json.get("type", "")
        for needed, route in ROUTES.items()
    }

    assert {s for s, kind in refused.items() if not kind.endswith("/insufficient-scope")} == {scope}


def test_an_expired_key_is_refused(service, monkeypatch):
    """200 until its time, then 401 invalid-api-key."""
    caller = Caller(service)
    end = clock.now() + timedelta(hours=1)
    with service.app_context():
        key = credentials.create(
            API_KEY, caller.tenant, "x", Environment.TEST, expires_at=end
        ).secret

    def ask():
        runtime_of(service).caches.clear()
        return caller.app.test_client().get("/api/invoices", headers={"x-api-key": key})

    monkeypatch.setattr(clock, "now", lambda: end - timedelta(milliseconds=1))
    assert ask().status_code == 200
    monkeypatch.setattr(clock, "now", lambda: end)
    answer = ask()
    assert (answer.status_code, slug(answer)) == (401, "invalid-api-key")
