"""People log in to the pages at Keycloak, with the settings and the realm of docs/operators.md.

Not part of `make test`: `make keycloak-interop` downloads Keycloak, then runs this.
"""

from __future__ import annotations

import base64
import itertools
import json
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
import sqlalchemy as sa

from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.services.account import session_ends, tenants, web_sessions
from einvoice.store.core import db
from einvoice.store.installation import schema_revisions
from einvoice.store.tables import WebSession
from einvoice.web.runtime import runtime_of
from tests import databases
from tests.browser import Visit, serving, visiting
from tests.interop.keycloak import server
from tests.ports import free_port

pytestmark = pytest.mark.interop

CHECKED = web_sessions.REFRESH_AFTER
CALLBACK = "/dashboard/login/callback"
_names = itertools.count(1)


@pytest.fixture(scope="module")
def given() -> tuple[int, int, dict[str, str]]:
    """The ports of the service and of Keycloak, and the documented settings."""
    ours, theirs = free_port(), free_port()
    found = server.documented(f"http://127.0.0.1:{ours}", f"http://127.0.0.1:{theirs}")
    return ours, theirs, found


@pytest.fixture(scope="module")
def keycloak(given, tmp_path_factory):
    _, port, settings = given
    log = tmp_path_factory.mktemp("keycloak") / "log"
    with server.running(settings, port, log) as one:
        yield one


@pytest.fixture(scope="module")
def service(given, keycloak, tmp_path_factory):
    """The service with the documented settings."""
    directory = tmp_path_factory.mktemp("service")
    environment = given[2] | {
        "EINVOICE_DATA_DIR": str(directory),
        "EINVOICE_SEND_WAIT": "0",
        "EINVOICE_JWT_DEV_ISSUER": "false",
        "EINVOICE_LOG_LEVEL": "CRITICAL",
    }
    app = create_app(Settings.from_env(environment), plugins=[])
    with app.app_context():
        schema_revisions.upgrade()
    yield app
    databases.let_go(app)


@pytest.fixture(scope="module")
def origin(given, service):
    with serving(service, given[0]) as address:
        yield address


@dataclass
class Person:
    """Somebody at Keycloak."""

    id: str
    name: str
    tenants: list[str]


@pytest.fixture
def person(keycloak, service):
    """A function that adds a person with a new account for each given name."""

    def add(role: Any = "admin", accounts: tuple[str, ...] = ("Acme",)) -> Person:
        with service.app_context():
            ids = [tenants.create(account) for account in accounts]
        if not isinstance(role, str):
            role = dict(zip(ids, role, strict=True))
        name = f"ann{next(_names)}"
        return Person(keycloak.add(name, ids, role), name, ids)

    return add


@pytest.fixture
def visit(browser, origin):
    """`with visit() as one`: a fresh browser at the login form of Keycloak."""

    @contextmanager
    def _visit(path: str = "/dashboard"):
        with visiting(browser, origin, locale="en-GB") as one:
            one.page.goto(origin + path)
            yield one

    return _visit


def log_in(one: Visit, person: Person, password: str = server.PASSWORD) -> None:
    """Fill in the form of Keycloak."""
    one.page.fill("#username", person.name)
    one.page.fill("#password", password)
    one.page.click("#kc-login")
    one.page.wait_for_load_state()


def asks_for_a_password(one: Visit) -> bool:
    return one.page.locator("#password").count() == 1


def heading(one: Visit) -> str:
    return one.page.inner_text("h1")


@pytest.fixture
def age(service):
    """Let the sessions of a person be older: `age(person, refreshed_at=timedelta(minutes=5))`."""

    def _age(who: Person, **by: timedelta) -> None:
        with service.app_context(), db.writing() as connection:
            for found in connection.execute(
                sa.select(WebSession.__table__).where(WebSession.subject == who.id)
            ).all():
                moved = {name: getattr(found, name) - lapse for name, lapse in by.items()}
                connection.execute(
                    sa.update(WebSession).where(WebSession.id == found.id).values(**moved)
                )

    return _age


@pytest.fixture
def sessions(service):
    """A function that returns the sessions of a person that are stored."""

    def _sessions(who: Person) -> list[WebSession]:
        with service.app_context(), db.reading_session() as database:
            return list(database.scalars(sa.select(WebSession).filter_by(subject=who.id)))

    return _sessions


def test_a_login_leads_to_the_page_that_was_asked_for(visit, person, origin):
    ann = person()
    with visit("/dashboard/invoices?networkStatus=Failed") as one:
        log_in(one, ann)

        assert one.page.url == f"{origin}/dashboard/invoices?networkStatus=Failed"
        assert "Ann" in one.page.inner_text(".foot")
        assert "Acme" in one.page.inner_text(".brand")


def test_a_wrong_password_is_no_login(visit, person, sessions):
    ann = person()
    with visit() as one:
        log_in(one, ann, "wrong")

        assert asks_for_a_password(one)
    assert sessions(ann) == []


def test_keycloak_requires_pkce(keycloak, given):
    """A login without a challenge goes back with an error, before anyone is asked."""
    settings = given[2]
    query = {
        "client_id": settings["EINVOICE_OIDC_CLIENT_ID"],
        "response_type": "code",
        "scope": "openid",
        "redirect_uri": settings["EINVOICE_BASE_URL"] + CALLBACK,
    }
    endpoint = f"{keycloak.realm}/protocol/openid-connect/auth"
    answer = requests.get(endpoint, query, allow_redirects=False, timeout=60)

    back = parse_qs(urlsplit(answer.headers["Location"]).query)
    assert back["error"] == ["invalid_request"]
    assert "code_challenge" in back["error_description"][0]


def test_a_code_goes_to_no_other_address(keycloak, given):
    query = {
        "client_id": "einvoice",
        "response_type": "code",
        "redirect_uri": given[2]["EINVOICE_BASE_URL"] + "/elsewhere",
    }
    endpoint = f"{keycloak.realm}/protocol/openid-connect/auth"
    answer = requests.get(endpoint, query, allow_redirects=False, timeout=60)

    assert answer.status_code == 400


def test_another_role_counts_five_minutes_after_the_last_check(visit, person, keycloak, age):
    ann = person("admin")
    with visit("/dashboard/developers/keys") as one:
        log_in(one, ann)
        assert heading(one) == "Developers"
        keycloak.change(ann.id, role="viewer")
        age(ann, refreshed_at=CHECKED - timedelta(seconds=20))
        one.page.reload()
        assert heading(one) == "Developers"
        age(ann, refreshed_at=timedelta(seconds=20))
        refused = one.page.reload()

        assert refused.status == 403
        assert one.page.get_by_text("yours is “viewer”").count() == 1


def test_a_logout_ends_both_sessions_and_comes_back(visit, person, origin, sessions):
    ann = person()
    with visit() as one:
        log_in(one, ann)
        cookies = one.page.context.cookies(origin)
        one.page.click("text=Log out")
        one.page.wait_for_url(f"{origin}/dashboard/logged-out")
        assert sessions(ann) == []
        one.page.context.add_cookies([each for each in cookies if each["name"] == "einvoice"])
        one.page.goto(f"{origin}/dashboard")

        assert asks_for_a_password(one)


def test_a_logout_with_an_id_token_that_has_expired_comes_back_too(visit, person, origin, keycloak):
    """ID tokens last five minutes; the session's is as old as its last check."""
    ann = person()
    realm = {"realm": "einvoice", "accessTokenLifespan": 1}
    assert keycloak.admin("PUT", "", realm).status_code == 204
    try:
        with visit() as one:
            log_in(one, ann)
            one.page.wait_for_timeout(2_500)
            one.page.click("text=Log out")
            one.page.wait_for_url(f"{origin}/dashboard/logged-out")
    finally:
        keycloak.admin("PUT", "", realm | {"accessTokenLifespan": 300})


EXPIRED = {
    "idle": {"seen_at": timedelta(seconds=3_601)},
    "absolute": {"expires_at": timedelta(seconds=43_201)},
}


@pytest.mark.parametrize("limit", EXPIRED)
def test_after_an_expired_session_keycloak_decides_about_the_password(
    visit, person, keycloak, age, limit
):
    """While its session lasts it asks for none; therefore both have the same limits."""
    ann = person()
    with visit() as one:
        log_in(one, ann)
        before = one.page.context.cookies(one.origin)
        age(ann, **EXPIRED[limit])
        one.page.reload()
        assert heading(one) == "Overview"
        assert one.page.context.cookies(one.origin) != before
        age(ann, **EXPIRED[limit])
        keycloak.end_session(ann.id)
        one.page.reload()

        assert asks_for_a_password(one)


def test_the_realm_has_the_limits_of_the_service(keycloak, service):
    found, settings = keycloak.admin("GET", "").json(), runtime_of(service).settings

    assert found["ssoSessionIdleTimeout"] == settings.session_idle
    assert found["ssoSessionMaxLifespan"] == settings.session_lifetime


REVOCATIONS = {
    "disabled": lambda keycloak, ann: keycloak.change(ann.id, enabled=False),
    "deleted": lambda keycloak, ann: keycloak.remove(ann.id),
    "without accounts": lambda keycloak, ann: keycloak.change(ann.id, tenants=[]),
    "logged out": lambda keycloak, ann: keycloak.end_session(ann.id),
}


@pytest.mark.parametrize("how", REVOCATIONS)
def test_a_person_who_is_revoked_is_logged_out_at_the_next_check(
    visit, person, keycloak, age, sessions, how
):
    ann, bob = person(), person()
    with visit() as one, visit() as other:
        log_in(one, ann)
        log_in(other, bob)
        REVOCATIONS[how](keycloak, ann)
        age(ann, refreshed_at=CHECKED - timedelta(seconds=20))
        one.page.reload()
        assert heading(one) == "Overview"
        for each in (ann, bob):
            age(each, refreshed_at=timedelta(seconds=20))
        one.page.reload()
        other.page.reload()

        assert sessions(ann) == []
        assert heading(other) == "Overview"


def test_a_disabled_person_cannot_log_in(visit, person, keycloak, sessions):
    ann = person()
    keycloak.change(ann.id, enabled=False)
    with visit() as one:
        log_in(one, ann)

        assert one.page.get_by_text("Account is disabled").count() == 1
    assert sessions(ann) == []


def test_a_person_without_accounts_is_refused(visit, person, keycloak, sessions):
    ann = person()
    keycloak.change(ann.id, tenants=[])
    with visit() as one:
        log_in(one, ann)

        assert one.page.get_by_text("tenant_id has no tenant").count() == 1
    assert sessions(ann) == []


def test_sessions_that_an_owner_ends_are_over_at_once(visit, person, service, sessions):
    """Also those that Keycloak would renew; the new login is a session of its own."""
    ann = person()
    with visit() as one:
        log_in(one, ann)
        with service.app_context():
            session_ends.end(ann.tenants[0], ann.id, runtime_of(service).caches)
        answer = one.page.request.get(f"{one.origin}/dashboard", max_redirects=0)

        assert (answer.status, answer.headers["location"][:16]) == (303, "/dashboard/login")


def test_a_person_with_several_accounts_has_the_role_of_each(visit, person, keycloak, age):
    ann = person(("owner", "viewer"), ("Acme", "Brew"))
    with visit() as one:
        log_in(one, ann)
        assert one.page.url.endswith("/dashboard/accounts")
        one.page.get_by_role("button", name="Acme").click()
        assert one.page.goto(f"{one.origin}/dashboard/developers/keys").status == 200
        one.page.goto(f"{one.origin}/dashboard/accounts")
        one.page.get_by_role("button", name="Brew").click()
        assert one.page.goto(f"{one.origin}/dashboard/developers/keys").status == 403
        keycloak.change(ann.id, tenants=ann.tenants[:1])
        age(ann, refreshed_at=CHECKED)
        one.page.goto(f"{one.origin}/dashboard")

        assert one.page.url.endswith("/dashboard/accounts")
        assert one.page.get_by_text("Brew").count() == 0


def test_people_cannot_give_themselves_an_account(keycloak, person):
    """Keycloak's account API neither shows nor takes tenant_id and role from the person."""
    ann = person("viewer")
    client = {"clientId": "own-profile", "publicClient": True, "directAccessGrantsEnabled": True,
              "fullScopeAllowed": True, "protocolMappers": [_audience("account")]}  # fmt: skip
    keycloak.admin("POST", "/clients", client)
    headers = {
        "Authorization": f"Bearer {_token(keycloak, 'own-profile', ann)}",
        "Accept": "application/json",
    }
    place = f"{keycloak.realm}/account"
    shown = requests.get(place, headers=headers, timeout=60).json()
    assert not {"tenant_id", "role"} & set(shown.get("attributes", {}))
    shown["attributes"] = {"tenant_id": ["stolen"], "role": ['"owner"']}
    requests.post(place, json=shown, headers=headers, timeout=60)

    now = keycloak.admin("GET", f"/users/{ann.id}").json()["attributes"]
    assert (now["tenant_id"], now["role"]) == (ann.tenants, ['"viewer"'])


@pytest.mark.parametrize("role", ["king", {"ten": "king"}, ["admin"]], ids=str)
def test_keycloak_refuses_a_role_that_there_is_not(keycloak, role):
    refused = keycloak.admin("POST", "/users", server.person("eve", ["t"], role))

    assert refused.status_code == 400
    assert refused.json()["field"] == "role"


def test_the_api_accepts_tokens_of_an_application_of_its_own(keycloak, person, service, origin):
    """As documented: an audience mapper, and tenant_id as one text. They outlive a revocation."""
    ann = person("viewer")
    realm = json.loads(server.REALM.read_text())
    mappers = realm["clients"][0]["protocolMappers"]
    for each in mappers:
        each["config"] |= {"access.token.claim": "true", "multivalued": "false"}
    client = {"clientId": "own-app", "publicClient": True, "directAccessGrantsEnabled": True,
              "protocolMappers": [*mappers, _audience("einvoice-api")]}  # fmt: skip
    assert keycloak.admin("POST", "/clients", client).status_code == 201
    token = _token(keycloak, "own-app", ann)

    def status() -> int:
        headers = {"Authorization": f"Bearer {token}"}
        return requests.get(f"{origin}/api/session", headers=headers, timeout=60).status_code

    assert status() == 200
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    assert claims["exp"] - claims["iat"] == 300
    keycloak.change(ann.id, enabled=False)
    assert status() == 200
    with service.app_context():
        session_ends.end(ann.tenants[0], ann.id, runtime_of(service).caches)
    assert status() == 401


def test_the_api_refuses_the_tokens_of_the_pages(keycloak, person, given, origin):
    ann = person()
    client = keycloak.admin("GET", "/clients?clientId=einvoice").json()[0]
    changed = client | {"directAccessGrantsEnabled": True}
    keycloak.admin("PUT", f"/clients/{client['id']}", changed)
    secret = given[2]["EINVOICE_OIDC_CLIENT_SECRET"]
    try:
        token = _token(keycloak, "einvoice", ann, client_secret=secret)
    finally:
        keycloak.admin("PUT", f"/clients/{client['id']}", client)
    headers = {"Authorization": f"Bearer {token}"}
    answer = requests.get(f"{origin}/api/session", headers=headers, timeout=60)

    assert answer.status_code == 401


def _audience(name: str) -> dict[str, Any]:
    return {
        "name": "audience", "protocol": "openid-connect",
        "protocolMapper": "oidc-audience-mapper",
        "config": {"included.custom.audience": name, "access.token.claim": "true"},
    }  # fmt: skip


def _token(keycloak: server.Keycloak, client: str, person: Person, **more: str) -> str:
    """An access token of the person for this client."""
    form = {"client_id": client, "grant_type": "password", "username": person.name,
            "password": server.PASSWORD, "scope": "openid", **more}  # fmt: skip
    endpoint = f"{keycloak.realm}/protocol/openid-connect/token"
    answer = requests.post(endpoint, form, timeout=60)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["access_token"])
