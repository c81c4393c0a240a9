"""Routes for people at the dashboard: a session token, and the role each of them demands."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey

from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.security.api_keys import SCOPES
from einvoice.web import credentials, roles
from einvoice.web.api import Family
from einvoice.web.runtime import runtime_of
from einvoice.web.security_requirements import requirement_of
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

SESSION = "/api/session"


@pytest.fixture
def ann(service) -> Dashboard:
    return Dashboard(service)


def ask(service, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return service.test_client().get(SESSION, headers=named)


def test_the_session_names_person_role_and_tenant(ann):
    answer = ann.get(SESSION)

    assert answer.status_code == 200
    assert answer.json["tenantId"] == ann.tenant
    assert (answer.json["subject"], answer.json["role"]) == ("ann", "owner")
    assert answer.json["email"] == "ann@example.com"


@pytest.mark.parametrize(
    ("header", "expected", "challenge"),
    [
        (None, "token-required", "Bearer"),
        ("", "token-required", "Bearer"),
        ("Bearer", "token-required", "Bearer"),
        ("Basic YTpi", "token-required", "Bearer"),
        ("Bearer nonsense", "invalid-token", 'Bearer error="invalid_token"'),
        ("bearer nonsense", "invalid-token", 'Bearer error="invalid_token"'),
    ],
)
def test_an_invalid_token_is_refused_with_a_challenge(service, header, expected, challenge):
    answer = ask(service, **({} if header is None else {"Authorization": header}))

    assert (answer.status_code, slug(answer)) == (401, expected)
    assert answer.headers["WWW-Authenticate"] == challenge


def test_an_expired_token_has_its_own_slug(service, ann):
    """Then a new token can be fetched without the person."""
    old = dev_issuer.mint(
        runtime_of(service).settings, tenant_id=ann.tenant, role=Role.OWNER, subject="ann",
        lifetime=timedelta(seconds=-61),
    )  # fmt: skip
    answer = ask(service, Authorization=f"Bearer {old}")

    assert (answer.status_code, slug(answer)) == (401, "token-expired")
    assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]


def test_an_api_key_is_no_session(service):
    """It is ignored in its own header and refused as a bearer token (decisions 9)."""
    key = Caller(service, scopes=list(SCOPES)).key
    own, bearer = ask(service, x_api_key=key), ask(service, Authorization=f"Bearer {key}")

    assert (own.status_code, slug(own)) == (401, "token-required")
    assert (bearer.status_code, slug(bearer)) == (401, "invalid-token")


def test_a_token_of_another_issuer_is_not_a_session(service, ann):
    """Access tokens are signed by another issuer."""
    key = ECKey.generate_key("P-256", {"kid": "x"})
    for issuer in ("https://oauth.example", runtime_of(service).settings.base_url):
        token = jwt.encode(
            {"alg": "ES256", "kid": "x"},
            {"iss": issuer, "client_id": "ci_test_1", "tenant_id": ann.tenant, "scope": "a"},
            key,
        )
        answer = ask(service, Authorization=f"Bearer {token}")
        assert (answer.status_code, slug(answer)) == (401, "invalid-token")


def test_a_token_of_an_unknown_tenant_is_refused(service):
    answer = Dashboard(service, tenant=str(uuid.uuid4())).get(SESSION)

    assert (answer.status_code, slug(answer)) == (401, "invalid-token")


def test_a_person_has_a_budget(service, ann):
    """The headers state it as for a key; each person has one. Without Redis nothing is counted."""
    answer = ann.get(SESSION)

    assert answer.headers["X-RateLimit-Limit"] == "600"
    assert answer.headers["X-RateLimit-Remaining"] in ("599", "600")


# -- roles, for every route there is ---------------------------------------------------------------


def guarded(app) -> dict[str, tuple[str, str]]:
    """Endpoint → (method, path) of every route a session token opens."""
    found = {}
    for rule in app.url_map.iter_rules():
        blueprint = app.blueprints.get(rule.endpoint.partition(".")[0])
        if (
            isinstance(blueprint, Family)
            and "session" in requirement_of(blueprint.credential).schemes
        ):
            method = min(rule.methods - {"HEAD", "OPTIONS"})
            path = re.sub(r"<[^>]+>", "00000000-0000-4000-8000-000000000000", rule.rule)
            found[rule.endpoint, method] = (method, path)
    return found


def test_every_route_requires_the_role_that_it_declares(service):
    """Generated from the routes, so new ones are tested too."""
    tenant = Dashboard(service).tenant
    for role in Role:
        person = Dashboard(service, tenant, role)
        for (endpoint, _), (method, path) in guarded(service).items():
            answer = person.call(method, path)
            least = roles.LEAST[endpoint]
            if role < least:
                assert (answer.status_code, slug(answer)) == (403, "forbidden"), endpoint
                assert answer.json["requiredRole"] == least.value
            else:
                assert answer.status_code not in (401, 403), endpoint


def test_every_route_demands_a_token(service):
    for (endpoint, _), (method, path) in guarded(service).items():
        answer = service.test_client().open(path, method=method)
        assert answer.status_code == 401, endpoint
        assert slug(answer) in ("token-required", "api-key-required"), endpoint


def view():
    """A view."""


def test_a_route_that_lets_people_in_cannot_be_declared_without_a_role():
    """Nor can one have a role where nobody is let in with a session token."""
    for credential, least in (
        (credentials.session, None),
        (credentials.key_or_session, None),
        (credentials.api_key, Role.ADMIN),
        (credentials.public, Role.VIEWER),
    ):
        family = Family("trial", __name__, credential=credential, tag="Account")
        with pytest.raises(roles.RoleUndeclared, match="trial"):
            family.route("/trial", least=least)(view)


def test_a_route_outside_the_document_lets_no_people_in():
    family = Family("trial", __name__, credential=credentials.session, tag="Account")
    with pytest.raises(roles.RoleUndeclared, match="trial"):
        family.unlisted("/trial")(view)


def test_each_route_of_people_has_declared_its_role(service):
    assert {endpoint for endpoint, _ in guarded(service)} == set(roles.LEAST)
