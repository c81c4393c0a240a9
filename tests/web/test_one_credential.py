"""An API key as x-api-key or Bearer, or an access token, on every route of programs (20.4)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from flask import Flask
from joserfc import jwt
from joserfc.jwk import ECKey
from werkzeug.test import TestResponse

from einvoice.security import dev_issuer
from einvoice.security.api_keys import SCOPES
from einvoice.web.openapi.document import Route, routes, shown
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.oauth_client import Client

NO_ID = "00000000-0000-4000-8000-000000000000"
INVOICES, COUNTRIES = "/api/invoices", "/v1/compliance/countries"


class Program:
    """A program of one tenant with a key and a client of the same scopes."""

    def __init__(self, app: Flask, *scopes: str) -> None:
        self.app = app
        self.caller = Caller(app, scopes=scopes)
        self.client = Client(app, tenant=self.caller.tenant, scopes=scopes)
        self.key, self.token = self.caller.key, self.client.token()

    def ways(self) -> dict[str, dict[str, str]]:
        return {
            "x-api-key": {"x-api-key": self.key},
            "Bearer key": {"Authorization": f"Bearer {self.key}"},
            "Bearer token": {"Authorization": f"Bearer {self.token}"},
        }

    def ask(self, route: Route) -> Iterator[tuple[str, TestResponse]]:
        path = route.rule.rule
        for name in route.ids:
            path = path.replace(f"<{name}>", NO_ID)
        for way, headers in self.ways().items():
            yield way, self.app.test_client().open(path, method=route.method, headers=headers)


def label(route: Route) -> str:
    return f"{route.method.upper()} {shown(route.rule)}"


@pytest.fixture(scope="module")
def table(service) -> list[Route]:
    """Every route of programs."""
    return [route for route in routes(service) if "bearer" in route.requirement.schemes]


def test_every_route_of_programs_takes_all_three_credentials(service, table):
    """Generated from the routes, under /api and /v1 alike."""
    program = Program(service, *SCOPES)
    refused = [
        f"{label(route)} → {answer.status_code} for {way}"
        for route in table
        for way, answer in program.ask(route)
        if answer.status_code in (401, 403)
    ]

    assert len(table) > 30
    assert refused == []


def test_no_route_takes_a_key_in_one_header_only(service):
    """A route with one of the two schemes has both."""
    halves = [
        label(route)
        for route in routes(service)
        if len({"apiKey", "bearer"} & set(route.requirement.schemes)) == 1
    ]

    assert halves == []


def test_every_scope_opens_routes_and_keys_and_tokens_open_the_same_ones(service, table):
    """So no credential can have a scope that opens nothing; each route needs at most one scope."""
    opened: dict[str, set[str]] = {}
    for scope in SCOPES:
        program = Program(service, scope)
        for route in table:
            passed = [answer.status_code != 403 for _, answer in program.ask(route)]
            assert len(set(passed)) == 1, (label(route), scope)
            if passed[0]:
                opened.setdefault(label(route), set()).add(scope)

    assert opened.keys() == {label(route) for route in table}
    free = {name for name, scopes in opened.items() if scopes == set(SCOPES)}
    assert free == {"GET /api/credential", "GET /v1/compliance/countries"}
    needed = {name: scopes for name, scopes in opened.items() if name not in free}
    assert all(len(scopes) == 1 for scopes in needed.values()), needed
    assert set.union(*needed.values()) == set(SCOPES)


def test_a_refusal_names_the_scope_that_a_token_lacks(service):
    client = Client(service, scopes=["invoices:read"])
    answer = client.call("GET", "/api/webhooks")

    assert (answer.status_code, slug(answer)) == (403, "insufficient-scope")
    assert "webhooks:manage" in answer.json["detail"]
    assert answer.headers["WWW-Authenticate"].startswith('Bearer error="insufficient_scope", ')


@pytest.mark.parametrize(
    ("path", "headers", "expected", "challenge"),
    [
        (INVOICES, {}, "api-key-required", "Bearer resource_metadata="),
        (INVOICES, {"x-api-key": " "}, "api-key-required", "Bearer resource_metadata="),
        (INVOICES, {"x-api-key": "sk_test_x"}, "invalid-api-key", "Bearer resource_metadata="),
        (INVOICES, {"Authorization": "Basic YTpi"}, "api-key-required", "Bearer resource_m"),
        (INVOICES, {"Authorization": "Bearer sk_test_x"}, "invalid-api-key", "Bearer error="),
        (INVOICES, {"Authorization": "Bearer x"}, "invalid-token", "Bearer error="),
        ("/api/participants/lookup", {"Authorization": "Bearer x"}, "invalid-token", "Bearer er"),
        (COUNTRIES, {}, "token-required", "Bearer resource_metadata="),
        (COUNTRIES, {"x-api-key": " "}, "token-required", "Bearer resource_metadata="),
        (COUNTRIES, {"x-api-key": "sk_test_x"}, "invalid-api-key", "Bearer resource_metadata="),
    ],
)  # fmt: skip
def test_a_refusal_names_the_missing_or_wrong_header(service, path, headers, expected, challenge):
    """Without any credential the header is that of the family; the challenge names no error."""
    answer = service.test_client().get(path, headers=headers)

    assert (answer.status_code, slug(answer)) == (401, expected)
    assert answer.headers["WWW-Authenticate"].startswith(challenge)


@pytest.mark.parametrize(
    ("path", "decisive"), [(INVOICES, "x-api-key"), (COUNTRIES, "Authorization")]
)
def test_of_two_credentials_the_header_of_the_family_counts(service, path, decisive):
    """The other one is not read, whether it is right or wrong."""
    program = Program(service, *SCOPES)
    right = {"x-api-key": program.key, "Authorization": f"Bearer {program.token}"}
    wrong = {"x-api-key": "sk_test_x", "Authorization": "Bearer nonsense"}
    other = next(name for name in right if name != decisive)
    ask = service.test_client().get
    passed = ask(path, headers={decisive: right[decisive], other: wrong[other]})
    refused = ask(path, headers={decisive: wrong[decisive], other: right[other]})

    assert (passed.status_code, refused.status_code) == (200, 401)


def test_a_blank_key_header_leaves_the_bearer_credential(service):
    program = Program(service, *SCOPES)
    headers = {"x-api-key": "", "Authorization": f"Bearer {program.token}"}

    assert service.test_client().get(INVOICES, headers=headers).status_code == 200


def test_an_expired_access_token_has_its_slug_beside_people(service, monkeypatch):
    """On a route of programs and people, it is not taken for a session token."""
    monkeypatch.setattr("einvoice.security.oauth.LIFETIME_SECONDS", -1)
    answer = Client(service).call("GET", INVOICES)

    assert (answer.status_code, slug(answer)) == (401, "token-expired")


def test_a_session_token_with_the_type_of_access_tokens_is_a_persons(service):
    """Identity providers write `at+jwt`, too (RFC 9068); theirs are not signed with a MAC."""
    person = Dashboard(service)
    settings = runtime_of(service).settings
    claims = jwt.decode(person.token, _key(settings), algorithms=["ES256"]).claims
    key = _key(settings)
    token = jwt.encode({"alg": "ES256", "kid": key.kid, "typ": "at+jwt"}, claims, key)
    answer = service.test_client().get(INVOICES, headers={"Authorization": f"Bearer {token}"})

    assert answer.status_code == 200


def _key(settings) -> ECKey:
    return ECKey.import_key(json.loads(dev_issuer.key_file(settings).read_text()))


@pytest.mark.parametrize("path", ["/api/keys", "/api/customers", "/api/session"])
def test_routes_of_people_take_no_credential_of_programs(service, path):
    """Directory, sharing and the account stay with people."""
    program = Program(service, *SCOPES)
    for headers in program.ways().values():
        answer = service.test_client().get(path, headers=headers)

        assert (answer.status_code, slug(answer)) in {
            (401, "token-required"), (401, "invalid-token"),
        }  # fmt: skip


def test_a_client_sends_follows_and_manages_webhooks_by_oauth_alone(service):
    """From token to receipt, without an API key."""
    client = Client(service, scopes=SCOPES)
    token = client.token()
    body = Caller(service).body()
    found = client.call("GET", "/api/participants/lookup?participantId=0088:9520000000004", token)
    body["routing"]["accessPointRef"] = found.json["accessPointRef"]
    data = json.dumps(body).encode()
    sent = client.call("POST", "/api/invoices/send", token, data=data, Prefer="respond-async")
    path = f"/api/invoices/{sent.json['invoiceId']}"
    hook = {"url": "https://receiver.example/hook"}
    made = client.call("POST", "/api/webhooks", token, json=hook)
    advanced = client.call("POST", path.replace("/api/", "/api/sandbox/", 1) + "/advance", token)

    assert [a.status_code for a in (found, sent, made)] == [200, 200, 201]
    assert (made.json["environment"], advanced.status_code) == ("test", 409)
    assert client.call("GET", path, token).json["networkStatus"] == "Processing"
    assert client.call("GET", f"{path}/artefacts", token).json["items"] != []
    assert client.call("GET", f"/v1/invoices/{sent.json['invoiceId']}", token).status_code == 200
    assert client.call("GET", "/api/events", token).status_code == 200
