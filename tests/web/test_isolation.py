"""Data of another tenant or the other environment is not found (decisions 19.6)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

import einvoice_loopback
from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.security.api_keys import SCOPES
from einvoice.web.fields import stored_id
from einvoice.web.openapi.document import Route, routes
from tests.builders import send_body
from tests.web import holding
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.oauth_client import Client
from tests.web.owner import MADE, TWINS, Ask, Owner, by_key, by_person, by_platform, rows_of
from tests.web.platform import Platform

UNLIMITED = dict.fromkeys(
    ("limit_get", "limit_post", "limit_session_get", "limit_session_post"), 100_000
)
NOTHING = {"environment": "test", "participant_id": "0088:0000000000000"}
# Bodies without which a route has nothing to look for.
LAST = "ffffffff-ffff-4fff-bfff-ffffffffffff"  # the id that is looked for after all others
# An export has the data of both environments, so the event of its end is in live.
OF_BOTH = {
    ("export_id", "the owner's live key"),
    ("export_id", "the owner's platform's live key"),
}
# The owner's platform has this tenant in both environments.
OF_PLATFORM = {
    ("tenant", "the owner's platform, for another tenant"),
    ("tenant", "the owner's platform's live key"),
}
LISTS_OF_PLATFORM = {("/api/audit", "the owner's platform's live key")}
MERGES = {
    "POST /api/customers/<customer_id>/merge": "customer_id",
    "POST /api/suppliers/<supplier_id>/merge": "supplier_id",
}
BODIES: dict[str, Any] = {
    **{merge: {"otherId": LAST} for merge in MERGES},
    "POST /api/participants/<environment>/<participant_id>/move-in": {
        "migrationKey": "Ab12#$cdEf34"
    },
    "POST /api/webhooks/<webhook_id>/recover": {"since": clock.timestamp(clock.now())},
    "POST /api/platform/webhooks/<webhook_id>/recover": {"since": clock.timestamp(clock.now())},
}


def label(route: Route) -> str:
    return f"{route.method.upper()} {route.rule.rule}"


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask]) -> Flask:
    """One whose limits are above what one caller asks here."""
    return build([einvoice_loopback, holding], **UNLIMITED)


@pytest.fixture(scope="module")
def owner(service) -> Owner:
    return Owner(service)


@pytest.fixture(scope="module")
def live_owner(service, owner) -> Owner:
    """The same tenant in the live environment."""
    return Owner(service, Environment.LIVE, owner.caller.tenant)


@pytest.fixture(scope="module")
def others(service, owner, live_owner) -> dict[str, Any]:
    """Callers who are not the owner, by what they are called in messages."""
    return {
        "another tenant's sandbox key": Caller(service, scopes=SCOPES),
        "another tenant's live key": Caller(service, Environment.LIVE, scopes=SCOPES),
        "the owner's sandbox key": owner.caller,
        "the owner's live key": live_owner.caller,
        "another tenant's access token": Client(service, scopes=SCOPES),
        "another tenant's person": Dashboard(service),
        "another platform": Platform(service),
        "another platform's live key": Platform(service, Environment.LIVE),
        "the owner's platform, for another tenant": owner.platform,
        "the owner's platform's live key": live_owner.platform,
    }


@pytest.fixture(scope="module")
def table(service) -> list[Route]:
    """Every route with a credential of a tenant or platform; operators: operator/test_isolation."""
    return [route for route in routes(service) if set(route.requirement.schemes) - {"operator"}]


def strangers(others: dict[str, Any], owner: Owner, route: Route) -> Iterator[tuple[str, Ask]]:
    """The callers whom the route accepts and who are not the owner in its environment."""
    schemes = route.requirement.schemes
    for who, caller in others.items():
        if isinstance(caller, Client) and "bearer" in schemes:
            yield who, partial(_by_token, caller)
        elif isinstance(caller, Dashboard) and "session" in schemes:
            yield who, partial(by_person, caller)
        elif isinstance(caller, Platform) and "platform" in schemes:
            yield from _by_platform(who, caller, owner, route)
        elif isinstance(caller, Caller) and caller is not owner.caller:
            if "apiKey" in schemes:
                yield who, partial(by_key, caller, "x-api-key", "{}")
            if "bearer" in schemes:
                yield who, partial(by_key, caller, "Authorization", "Bearer {}")


def _by_platform(
    who: str, platform: Platform, owner: Owner, route: Route
) -> Iterator[tuple[str, Ask]]:
    """A platform for a tenant of its own where the route is about one.

    For the owner itself it has the key of the other environment.
    """
    is_owners = platform.id == owner.platform.id
    is_other_environment = platform.environment is not owner.environment
    if "session" not in route.requirement.schemes:
        if not is_owners or (is_other_environment and _is_of_platform(route)):
            yield who, partial(by_platform, platform, None)
    elif is_other_environment and is_owners:
        yield who, partial(by_platform, platform, owner.caller.tenant)
    else:
        yield who, partial(by_platform, platform, platform.created("another"))


def _by_token(client: Client, method: str, path: str, body: Any) -> TestResponse:
    return client.call(method, path, json=body, X_Request_Id="one")


def own(owner: Owner, route: Route) -> Ask:
    """Call as the owner, with the credential of the route."""
    if route.requirement.schemes == ("platform",):
        return partial(by_platform, owner.platform, None)
    if "session" in route.requirement.schemes:
        return partial(by_person, owner.person)
    if "bearer" in route.requirement.schemes:
        return partial(by_key, owner.caller, "Authorization", "Bearer {}")
    return partial(by_key, owner.caller, "x-api-key", "{}")


def path_of(route: Route, ids: dict[str, str]) -> str:
    path = route.rule.rule
    for name in route.ids:
        path = path.replace(f"<{name}>", _twin(ids[name]) if _is_of_platform(route) else ids[name])
    return path


def _twin(one: str) -> str:
    """The platform's own object, in the spelling of the id."""
    twin = TWINS.get(one.lower(), one)
    return twin.upper() if one.isupper() else twin


def _is_of_platform(route: Route) -> bool:
    """Whether the route is about objects of the platform itself, as those of an account."""
    return route.family.name in {"platform_webhooks", "platform_events"}


def words(answer: TestResponse, ids: dict[str, str]) -> tuple[int, str, str]:
    """The text of the response, without the requested ids."""
    detail = answer.json["detail"]
    for one in ids.values():
        detail = detail.replace(one, "…").replace(TWINS.get(one, one), "…")
    return answer.status_code, slug(answer), detail


def test_every_path_parameter_has_a_sample_object(table):
    """A new path parameter needs a row in MADE; then its routes are tested too."""
    names = {name for route in table for name in route.ids}

    assert names - set(MADE) == set()


@pytest.mark.parametrize("whose", ["owner", "live_owner"])
def test_others_get_the_same_404_as_for_unknown_ids(request, service, others, table, whose):
    """Other tenants, and the tenant's key of the other environment; nothing changes."""
    owner = request.getfixturevalue(whose)
    kept = rows_of(service, owner.caller.tenant)
    nothing = {name: str(uuid.uuid4()) for name in MADE} | NOTHING
    leaks = []
    for route in (route for route in table if route.ids):
        body = None if route.method == "get" else BODIES.get(label(route), {})
        for who, ask in strangers(others, owner, route):
            reported = ask(route.method.upper(), path_of(route, owner.ids), body)
            of_nothing = ask(route.method.upper(), path_of(route, nothing), body)
            if reported.status_code != 404:
                leaks.append(
                    f"{label(route)} → {reported.status_code} for {who}: {reported.text[:200]}"
                )
            elif words(reported, owner.ids) != words(of_nothing, nothing):
                leaks.append(f"{label(route)} shows {who} that the id exists")

    assert leaks == []
    assert rows_of(service, owner.caller.tenant) == kept


@pytest.mark.parametrize("whose", ["owner", "live_owner"])
def test_lists_contain_only_data_of_the_caller(request, others, table, whose):
    """No id of the owner is in responses to others."""
    owner = request.getfixturevalue(whose)
    for route in (route for route in table if not route.ids and route.method == "get"):
        for who, ask in strangers(others, owner, route):
            if (route.rule.rule, who) in LISTS_OF_PLATFORM:
                continue
            reported = ask("GET", route.rule.rule, None).get_data()
            found = [
                n
                for n, one in owner.ids.items()
                if one.encode() in reported
                and n not in NOTHING
                and (n, who) not in OF_PLATFORM | OF_BOTH
            ]

            assert found == [], (label(route), who)


def test_keys_and_session_tokens_are_not_interchangeable(service, owner, table):
    """The dashboard's routes take no key, those for keys no session token (decisions 9)."""
    wrong = []
    for route in table:
        for header, form, scheme in (
            ("x-api-key", owner.caller.key, "apiKey"),
            ("Authorization", f"Bearer {owner.caller.key}", "bearer"),
            ("Authorization", f"Bearer {owner.person.token}", "session"),
            ("Authorization", "Bearer nonsense", "none"),
            ("x-api-key", "sk_test_nonsense", "none"),
        ):
            if scheme not in route.requirement.schemes:
                answer = service.test_client().open(
                    path_of(route, owner.ids), method=route.method, headers={header: form}
                )
                if answer.status_code != 401:
                    wrong.append(f"{label(route)} → {answer.status_code} for {scheme} in {header}")

    assert wrong == []


def test_the_owner_can_reach_every_route(service, owner, table):
    """So that the 404s above are meaningful. It runs last, because it deletes."""
    order = ["get", "put", "patch", "post", "delete"]
    lost = []
    for route in sorted((r for r in table if r.ids), key=lambda r: order.index(r.method)):
        ids = Owner(service) if route.method == "delete" else owner
        body = None if route.method == "get" else BODIES.get(label(route), {})
        if label(route) in MERGES:
            body = {"otherId": MADE[MERGES[label(route)]](ids)}
        answer = own(ids, route)(route.method.upper(), path_of(route, ids.ids), body)
        if answer.status_code == 404:
            lost.append(label(route))

    assert lost == []


def test_an_id_in_capitals_is_the_same_id(owner, table):
    """Some languages and databases return UUIDs in upper case."""
    for route in (route for route in table if route.ids and route.method == "get"):
        ask = own(owner, route)
        capitals = {
            name: text.upper()
            for name, text in owner.ids.items()
            if stored_id(text.upper()) == text
        }
        answers = [
            ask("GET", path_of(route, owner.ids | spelt), None).status_code
            for spelt in ({}, capitals)
        ]
        assert answers[1] == answers[0], label(route)


def test_a_filter_takes_an_id_in_capitals(owner):
    receiver = owner.caller.body()["routing"]["receiverParticipantId"]
    customer = owner.made("/api/customers", "customerId", name="Any", peppolId=receiver)
    for path, one in (
        ("/api/invoices?customerId=", customer),
        ("/api/audit?target=", owner.ids["key_id"]),
    ):
        given, capitals = (owner.person.get(path + spelt) for spelt in (one, one.upper()))
        assert given.json["items"], path
        assert capitals.json == given.json, path


def test_a_reference_in_capitals_is_the_same_reference(caller):
    answer = caller.send(send_body(caller.reference().upper()))

    assert answer.status_code == 200, answer.text


def test_an_artefact_is_found_under_its_own_invoice_only(owner):
    other = owner.caller.sent()
    answer = owner.caller.get(f"/api/invoices/{other}/artefacts/{owner.ids['artefact_id']}")

    assert (answer.status_code, slug(answer)) == (404, "not-found")


def test_a_reference_of_another_tenant_is_unknown(service, caller):
    stranger = Caller(service)
    answer = stranger.send(send_body(caller.reference()))

    assert (answer.status_code, slug(answer)) == (400, "unknown-access-point-ref")
    assert stranger.stored() == 0


def test_idempotency_keys_are_separate_per_tenant(service, caller):
    """Another tenant's key of the same text is independent."""
    first = caller.send(Idempotency_Key="one")
    second = Caller(service).send(Idempotency_Key="one")

    assert first.json["invoiceId"] != second.json["invoiceId"]
    assert second.headers["Idempotency-Replay"] == "false"


@pytest.mark.parametrize("text", ["x", "%00", "%FF", "a" * 3000, "%27%20OR%201=1", "é", "..%2F"])
def test_a_malformed_id_is_not_found(text, owner, table):
    """404 for any text in the path; the database raises no error."""
    for route in (route for route in table if route.ids and route.method == "get"):
        for name in route.ids:
            answer = own(owner, route)("GET", path_of(route, owner.ids | {name: text}), None)
            assert (answer.status_code, slug(answer)) == (404, "not-found"), label(route)
