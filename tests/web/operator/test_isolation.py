"""Operators and tenants have nothing of each other: by every route of the map of addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from einvoice.domain.environments import Environment
from einvoice.domain.operators import DEFAULT_SCOPES, READ, SCOPES
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.security.api_keys import SCOPES as KEY_SCOPES
from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.operator import pages
from einvoice.web.operator.api import OperatorFamily
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime_of
from einvoice.web.security_requirements import requirement_of
from tests.web.caller import Caller, slug
from tests.web.console import COOKIE, OperatorPerson, OperatorProgram, filled
from tests.web.dashboard import Dashboard
from tests.web.oauth_client import Client
from tests.web.pages.visitor import Visitor
from tests.web.platform import Platform

UNLIMITED = dict.fromkeys(
    ("limit_session_get", "limit_session_post", "limit_get", "limit_post", "limit_failures"),
    100_000,
)


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask]) -> Flask:
    return build(**UNLIMITED)


@pytest.fixture(scope="module")
def program(service: Flask) -> OperatorProgram:
    return OperatorProgram(service)


def calls(service: Flask, wanted: Callable[[Family], bool]) -> Iterator[tuple[str, str]]:
    """(method, address) of every route of these families."""
    for rule in service.url_map.iter_rules():
        family = service.blueprints.get(rule.endpoint.partition(".")[0])
        if isinstance(family, Family) and wanted(family):
            for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
                yield method, filled(rule.rule)


def of_programs(service: Flask) -> list[tuple[str, str]]:
    return list(calls(service, lambda family: isinstance(family, OperatorFamily)))


def of_people(service: Flask) -> list[tuple[str, str]]:
    return list(
        calls(service, lambda f: isinstance(f, OperatorPages) and f.credential is pages.person)
    )


def credentials_of_others(service: Flask) -> dict[str, dict[str, str]]:
    """The headers of each kind of credential that a tenant or a platform has."""
    person = Dashboard(service, role=Role.OWNER)
    sandbox = Caller(service, scopes=KEY_SCOPES)
    live = Caller(service, Environment.LIVE, scopes=KEY_SCOPES)
    token = Client(service, scopes=KEY_SCOPES).token
    return {
        "nothing": {},
        "a sandbox key": {"x-api-key": sandbox.key},
        "a live key": {"x-api-key": live.key},
        "a key as bearer": {"Authorization": f"Bearer {live.key}"},
        "an access token": {"Authorization": f"Bearer {token}"},
        "a platform's key": {"x-api-key": Platform(service).key},
        "a platform's live key": {"x-api-key": Platform(service, Environment.LIVE).key},
        "a platform's key, for an operator": {
            "x-api-key": Platform(service, Environment.LIVE).key,
            "X-Tenant": "operator",
        },
        "an owner's session token": {"Authorization": f"Bearer {person.token}"},
        "an operator's login token": {
            "Authorization": "Bearer "
            + dev_issuer.mint_for_operator(runtime_of(service).settings, subject="otto")
        },
        "a key of an operator that is none": {"x-api-key": "ok_" + "A" * 49},
    }


def test_no_credential_of_a_tenant_or_platform_opens_a_route_of_operators(service):
    client, opened = service.test_client(), []
    for who, headers in credentials_of_others(service).items():
        for method, path in of_programs(service):
            answer = client.open(path, method=method, headers=headers, json={})
            if (answer.status_code, slug(answer)) not in {
                (401, "invalid-api-key"),
                (401, "api-key-required"),
            }:
                opened.append(f"{method} {path} → {answer.status_code} for {who}")

    assert len(of_programs(service)) > 8
    assert opened == []


def test_no_session_of_a_tenant_opens_a_page_of_operators(service):
    """Neither its cookie, nor its token under the name of the operators' cookie."""
    visitor = Visitor(service)
    cookie = visitor.client.get_cookie("einvoice")
    assert cookie is not None
    disguised = service.test_client()
    disguised.set_cookie(COOKIE, cookie.value)
    for client in (visitor.client, disguised, service.test_client()):
        for method, path in of_people(service):
            answer = client.open(path, method=method)
            assert answer.status_code == 303, f"{method} {path}"
            assert answer.headers["Location"].startswith("/operator/login?next="), path


def test_a_session_of_an_operator_opens_no_page_and_no_route_of_a_tenant(service):
    """Nor does its token under the name of the dashboard's cookie."""
    person = OperatorPerson(service)
    cookie = person.client.get_cookie(COOKIE)
    assert cookie is not None
    disguised = service.test_client()
    disguised.set_cookie("einvoice", cookie.value)
    for client in (person.client, disguised):
        answer = client.get("/dashboard")
        assert (answer.status_code, answer.headers["Location"]) == (
            303, "/dashboard/login?next=%2Fdashboard",
        )  # fmt: skip
        assert client.get("/api/session").status_code == 401


def test_the_key_of_an_operator_opens_no_route_of_a_tenant(service, program):
    """In either header, on every route that takes a credential."""
    client, opened = service.test_client(), []

    def is_for_tenants(family: Family) -> bool:
        schemes = requirement_of(family.credential).schemes
        return bool(schemes) and "operator" not in schemes

    named = list(calls(service, is_for_tenants))
    for headers in ({"x-api-key": program.key}, {"Authorization": f"Bearer {program.key}"}):
        for method, path in named:
            status = client.open(path, method=method, headers=headers).status_code
            if status not in {401, 405}:
                opened.append(f"{method} {path} → {status}")

    assert len(named) > 100
    assert opened == []


def test_a_token_of_a_tenant_s_person_does_not_log_in_to_the_console(service):
    tenant = Dashboard(service)
    answer = service.test_client().get(f"/operator/login/local?token={tenant.token}")

    assert answer.status_code == 401
    assert "Set-Cookie" not in answer.headers


def test_a_token_of_an_operator_does_not_log_in_to_the_dashboard(service):
    token = dev_issuer.mint_for_operator(runtime_of(service).settings, subject="otto")
    answer = service.test_client().get(f"/dashboard/login/local?token={token}")

    assert answer.status_code == 401
    assert "Set-Cookie" not in answer.headers


def test_a_key_does_what_its_scopes_say(service):
    """A route that changes something is refused to a key that reads."""
    reader = OperatorProgram(service, DEFAULT_SCOPES)
    manager = OperatorProgram(service, tuple(set(SCOPES) - {READ}))
    for method, path in of_programs(service):
        with_read = reader.call(method, path, {} if method != "GET" else None)
        with_others = manager.call(method, path, {} if method != "GET" else None)
        refused = with_others if method == "GET" else with_read
        accepted = with_read if method == "GET" else with_others
        assert (refused.status_code, slug(refused)) == (403, "insufficient-scope"), path
        assert accepted.status_code != 403, path


def test_a_revoked_key_ends_at_once(service):
    ended = OperatorProgram(service)
    assert ended.get("/tenants").status_code == 200
    with service.app_context():
        credentials.operators.revoke_key(ended.key_id)

    assert ended.get("/tenants").status_code == 401


@pytest.mark.parametrize(
    ("given", "headers"),
    [
        ("", {}),
        ("wrong", {}),
        ("of another session", {}),
        ("right", {"Sec-Fetch-Site": "cross-site"}),
        ("right", {"Origin": "https://evil.example"}),
    ],
)
def test_a_form_that_is_not_of_this_session_is_refused(service, given, headers):
    person = OperatorPerson(service)
    token = {"right": person.csrf, "of another session": OperatorPerson(service).csrf}
    posts = [path for method, path in of_people(service) if method == "POST"]
    for path in posts:
        answer = person.client.post(
            path, data={"csrf": token.get(given, given), "reason": "r"}, headers=headers
        )
        assert answer.status_code == 403, path
    assert posts


def test_a_logout_ends_the_session_and_only_this_one(service):
    person, other = OperatorPerson(service), OperatorPerson(service)
    kept = person.client.get_cookie(COOKIE)
    assert kept is not None
    answer = person.post("/logout")
    again = service.test_client()
    again.set_cookie(COOKIE, kept.value)

    assert answer.headers["Location"] == "/operator/logged-out"
    assert again.get("/operator").status_code == 303
    assert other.get().status_code == 200
