"""Refused credentials are in the log, in the audit log of a known tenant, and limited."""

from __future__ import annotations

import uuid

import pytest
import structlog
from structlog.testing import CapturingLogger

from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import (
    audit,
    closure,
    credentials,
    failures,
    session_ends,
    tenants,
)
from einvoice.services.account.failures import ACTION
from einvoice.services.caches import Caches
from einvoice.store.core.resources import resources_of
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.oauth_client import Client

PATH = "/api/invoices"
REVOKED = "sk_test_" + "a" * 43


def _as_it_is(_logger: object, _method: str, line: dict[str, object]) -> dict[str, object]:
    return line


def noted_of(app, tenant: str) -> list[tuple[str, str, dict[str, str]]]:
    with app.app_context():
        found = audit.page(tenant, before=None, limit=50, matching={"action": ACTION})
    return [(one.actor, one.actor_kind, one.detail) for one in found]


def test_a_revoked_key_is_in_the_audit_log_once_an_hour(service, caller: Caller):
    with service.app_context():
        (key,) = credentials.of_tenant(API_KEY, caller.tenant)
        credentials.revoke(API_KEY, caller.tenant, key.id)
    runtime_of(service).caches.clear()
    answers = [caller.get(PATH) for _ in range(3)]

    assert {slug(one) for one in answers} == {"invalid-api-key"}
    assert noted_of(service, caller.tenant) == [(key.id, "key", {"reason": "invalid-api-key"})]


def test_an_address_that_is_not_allowed_is_in_the_audit_log(service):
    caller = Caller(service, allowed_ips=["192.0.2.0/24"])
    answer = caller.get(PATH)

    assert slug(answer) == "ip-not-allowed"
    ((actor, kind, detail),) = noted_of(service, caller.tenant)
    assert (kind, detail) == ("key", {"reason": "ip-not-allowed"})
    assert actor


def test_a_wrong_secret_of_a_client_is_in_the_audit_log(service):
    client = Client(service)
    answer = client.ask(client_secret="wrong")

    assert answer.status_code == 401
    assert noted_of(service, client.tenant) == [(client.id, "key", {"reason": "invalid_client"})]


def test_ended_sessions_and_closed_accounts_are_in_the_audit_log(service):
    ann, caches = Dashboard(service, subject="ann"), runtime_of(service).caches
    token = ann.token
    with service.app_context():
        session_ends.end(ann.tenant, "ann", caches)
    ended = service.test_client().get(PATH, headers={"Authorization": f"Bearer {token}"})
    with service.app_context():
        closure.close(ann.tenant, caches)
    closed = service.test_client().get(PATH, headers={"Authorization": f"Bearer {token}"})

    assert [slug(ended), slug(closed)] == ["session-ended", "account-closed"]
    assert noted_of(service, ann.tenant) == [
        ("ann", "person", {"reason": "account-closed"}),
        ("ann", "person", {"reason": "session-ended"}),
    ]


def test_a_wrong_credential_is_one_line_a_minute_of_the_log(
    service, caller: Caller, monkeypatch: pytest.MonkeyPatch
):
    """Of each reason, with the address and never the credential."""
    lines = CapturingLogger()
    monkeypatch.setattr(
        failures,
        "log",
        structlog.wrap_logger(lines, wrapper_class=structlog.BoundLogger, processors=[_as_it_is]),
    )
    for _ in range(3):
        caller.get(PATH, x_api_key=f"sk_test_{uuid.uuid4().hex}")
    caller.get(PATH, x_api_key="", Authorization="Bearer no.token.at-all")
    noted = [call.kwargs for call in lines.calls]

    assert [one["reason"] for one in noted] == ["invalid-api-key", "invalid-token"]
    assert {one["address"] for one in noted} == {"127.0.0.1"}
    assert "sk_test_" not in str(noted)
    assert noted_of(service, caller.tenant) == []


def test_each_network_and_reason_has_a_line_of_its_own(service, monkeypatch):
    """One that floods the log does not hide another."""
    lines, now = CapturingLogger(), [clock.monotonic()]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    monkeypatch.setattr(
        failures,
        "log",
        structlog.wrap_logger(lines, wrapper_class=structlog.BoundLogger, processors=[_as_it_is]),
    )
    caches = Caches()
    steps = [
        (0, "invalid-token", "192.0.2.0/24", 1),
        (0, "invalid-token", "192.0.2.0/24", 1),
        (0, "invalid-token", "198.51.100.0/24", 2),
        (0, "invalid-api-key", "192.0.2.0/24", 3),
        (0, "invalid-token", None, 4),
        (59, "invalid-token", "192.0.2.0/24", 4),
        (2, "invalid-token", "192.0.2.0/24", 5),
    ]
    counted = []
    for seconds, reason, network, _ in steps:
        now[0] += seconds
        failures.note(reason, "192.0.2.7", network, None, caches)
        counted.append(len(lines.calls))

    assert counted == [expected for *_, expected in steps]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_address_that_fails_too_often_is_refused_with_429(make_app, redis_url, own_budgets):
    """Its requests with a valid credential are answered all the same."""
    app = make_app(redis_url=redis_url, limit_failures=2)
    with app.app_context():
        tenant = tenants.create("Acme")
        key = credentials.create(API_KEY, tenant, "tests", Environment.TEST).secret
    client = app.test_client()
    refused = [client.get(PATH, headers={"x-api-key": REVOKED}) for _ in range(3)]
    valid = client.get(PATH, headers={"x-api-key": key})
    elsewhere = client.get(
        PATH, headers={"x-api-key": REVOKED}, environ_base={"REMOTE_ADDR": "198.51.100.7"}
    )
    resources_of(app).close()

    assert [one.status_code for one in refused] == [401, 401, 429]
    assert slug(refused[2]) == "rate-limit-exceeded"
    assert 0 < int(refused[2].headers["Retry-After"]) <= 60
    assert "X-RateLimit-Limit" not in refused[1].headers
    assert valid.status_code == 200
    assert elsewhere.status_code == 401
