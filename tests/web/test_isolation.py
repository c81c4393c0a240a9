"""Data of another tenant or the other environment is not found (decisions 19.6)."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.security.api_keys import SCOPES
from einvoice.services.tenant_data import export_jobs, exporting
from einvoice.store import db
from einvoice.store.tables import Connection
from einvoice.web.fields import stored_id
from einvoice.web.openapi.document import Route, routes
from einvoice.web.runtime import runtime_of
from tests.builders import send_body
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.oauth_client import Client


class Owner:
    """A tenant with one object for every path parameter."""

    def __init__(self, service: Flask) -> None:
        self.caller = Caller(service, scopes=SCOPES)
        self.person = Dashboard(service, self.caller.tenant)
        self.ids: dict[str, str] = {}
        named = {name for route in routes(service) for name in route.ids}
        for name, make in MADE.items():
            if name in named:
                self.ids[name] = make(self)

    def made(self, path: str, named: str, /, **body: Any) -> str:
        """The id of what a POST makes."""
        answer = self.person.post(path, body)
        assert answer.status_code in {200, 201, 202}, answer.text
        found: str = answer.json[named]
        return found

    def batch(self) -> str:
        body = {"invoices": [{}]}
        bearer = partial(by_key, self.caller, "Authorization", "Bearer {}")
        return str(bearer("POST", "/v1/invoices/batch", body).json["batchId"])

    def participant(self) -> str:
        """An id of its own."""
        participant = f"0088:{secrets.randbelow(10**13):013}"
        self.caller.own(participant)
        return participant

    def connection(self) -> str:
        """A connection to a network that is not installed here: it can be read, not checked."""
        connection_id = str(uuid.uuid4())
        with self.person.app.app_context(), db.writing_session() as database:
            database.add(
                Connection(
                    id=connection_id, tenant_id=self.person.tenant, environment="test",
                    access_point="toll-test", network="toll", account="1", name="1",
                    state="active", version=1, created_at=clock.now(), updated_at=clock.now(),
                )
            )  # fmt: skip
        return connection_id

    def export(self) -> str:
        """One whose file can be downloaded."""
        export_id = self.made("/api/tenant/exports", "exportId")
        settings = runtime_of(self.person.app).settings
        path = settings.export_path / f"{export_id}.zip"
        path.parent.mkdir(exist_ok=True)
        with self.person.app.app_context():
            export = export_jobs.get(self.person.tenant, export_id)
            exporting.run(export, path, settings, lambda *_: None, kept=export_jobs.KEPT)
        return export_id

    def event(self) -> str:
        path = f"/api/webhooks/{self.ids['webhook_id']}/deliveries"
        return str(self.person.get(path).json["items"][0]["eventId"])

    def artefact(self) -> str:
        items = self.caller.get(f"/api/invoices/{self.ids['invoice_id']}/artefacts").json["items"]
        return str(items[0]["artefactId"])


# Name in a path → how its owner comes by one. A route with another name fails the tests below.
MADE: dict[str, Callable[[Owner], str]] = {
    "invoice_id": lambda owner: owner.caller.sent(),
    "artefact_id": Owner.artefact,
    "key_id": lambda owner: owner.made("/api/keys", "keyId", name="k", environment="test"),
    "webhook_id": lambda owner: owner.made(
        "/api/webhooks", "webhookId", url="https://receiver.example/hook", environment="test"
    ),
    "delivery_id": lambda owner: owner.made(
        f"/api/webhooks/{owner.ids['webhook_id']}/test", "deliveryId"
    ),
    "event_id": Owner.event,
    "client_id": lambda owner: owner.made(
        "/api/oauth-clients", "clientId", name="ERP", environment="test"
    ),
    "connection_id": Owner.connection,
    "customer_id": lambda owner: owner.made("/api/customers", "customerId", name="Buyer BV"),
    "supplier_id": lambda owner: owner.made(
        "/api/suppliers", "supplierId", name="Seller NV", countryCode="BE"
    ),
    "batch_id": Owner.batch,
    "environment": lambda owner: "test",
    "participant_id": Owner.participant,
    "export_id": Owner.export,
    "draft_id": lambda owner: owner.made("/api/drafts", "draftId", environment="test"),
    "hold_id": lambda owner: owner.made("/api/holds", "holdId", reason="lawsuit"),
}
NOTHING = {"environment": "test", "participant_id": "0088:0000000000000"}
# Bodies without which a route has nothing to look for.
LAST = "ffffffff-ffff-4fff-bfff-ffffffffffff"  # the id that is looked for after all others
MERGES = {
    "POST /api/customers/<customer_id>/merge": "customer_id",
    "POST /api/suppliers/<supplier_id>/merge": "supplier_id",
}
BODIES: dict[str, Any] = {
    **{merge: {"otherId": LAST} for merge in MERGES},
    "POST /api/webhooks/<webhook_id>/recover": {"since": clock.timestamp(clock.now())},
}


def label(route: Route) -> str:
    return f"{route.method.upper()} {route.rule.rule}"


@pytest.fixture(scope="module")
def owner(service) -> Owner:
    return Owner(service)


@pytest.fixture(scope="module")
def table(service) -> list[Route]:
    """Every route with a credential."""
    return [route for route in routes(service) if route.requirement.schemes]


Ask = Callable[[str, str, Any], TestResponse]


def by_key(caller: Caller, header: str, form: str, method: str, path: str, body: Any):
    """Call with the caller's key, in the header of the route."""
    headers = {header: form.format(caller.key), "X-Request-Id": "one"}
    return caller.client.open(path, method=method, json=body, headers=headers)


def strangers(service: Flask, owner: Owner, route: Route) -> Iterator[tuple[str, Ask]]:
    """The callers whom the route accepts and who are not the owner in its environment."""
    others = {
        "another tenant's key": Caller(service, scopes=SCOPES),
        "the live key": Caller(service, Environment.LIVE, owner.caller.tenant, scopes=SCOPES),
    }
    for who, caller in others.items():
        if "apiKey" in route.requirement.schemes:
            yield who, partial(by_key, caller, "x-api-key", "{}")
        if "bearer" in route.requirement.schemes:
            yield who, partial(by_key, caller, "Authorization", "Bearer {}")
    if "bearer" in route.requirement.schemes:
        client = Client(service, scopes=SCOPES)
        yield "another tenant's access token", partial(_by_token, client)
    if "session" in route.requirement.schemes:
        person = Dashboard(service)
        yield "another tenant's person", partial(_by_person, person)


def _by_token(client: Client, method: str, path: str, body: Any) -> TestResponse:
    return client.call(method, path, json=body, X_Request_Id="one")


def _by_person(person: Dashboard, method: str, path: str, body: Any) -> TestResponse:
    return person.call(method, path, body, X_Request_Id="one")


def own(owner: Owner, route: Route) -> Ask:
    """Call as the owner, with the credential of the route."""
    if "session" in route.requirement.schemes:
        return partial(_by_person, owner.person)
    if "bearer" in route.requirement.schemes:
        return partial(by_key, owner.caller, "Authorization", "Bearer {}")
    return partial(by_key, owner.caller, "x-api-key", "{}")


def path_of(route: Route, ids: dict[str, str]) -> str:
    path = route.rule.rule
    for name in route.ids:
        path = path.replace(f"<{name}>", ids[name])
    return path


def words(answer: TestResponse, ids: dict[str, str]) -> tuple[int, str, str]:
    """The text of the response, without the requested ids."""
    detail = answer.json["detail"]
    for one in ids.values():
        detail = detail.replace(one, "…")
    return answer.status_code, slug(answer), detail


def test_every_path_parameter_has_a_sample_object(table):
    """A new path parameter needs a row in MADE; then its routes are tested too."""
    names = {name for route in table for name in route.ids}

    assert names - set(MADE) == set()


def test_other_tenants_get_the_same_404_as_for_unknown_ids(service, owner, table):
    """404 with the same text as for unknown ids; nothing changes."""
    states(owner, table)  # what is made on first sight, such as a PDF, is made now
    kept = states(owner, table)
    nothing = {name: str(uuid.uuid4()) for name in MADE} | NOTHING
    leaks = []
    for route in (route for route in table if route.ids):
        body = None if route.method == "get" else BODIES.get(label(route), {})
        for who, ask in strangers(service, owner, route):
            reported = ask(route.method.upper(), path_of(route, owner.ids), body)
            of_nothing = ask(route.method.upper(), path_of(route, nothing), body)
            if reported.status_code != 404:
                leaks.append(
                    f"{label(route)} → {reported.status_code} for {who}: {reported.text[:200]}"
                )
            elif words(reported, owner.ids) != words(of_nothing, nothing):
                leaks.append(f"{label(route)} shows {who} that the id exists")

    assert leaks == []
    assert states(owner, table) == kept


def states(owner: Owner, table: list[Route]) -> dict[str, bytes]:
    return {label(r): state(owner, r) for r in table if r.method == "get" and r.ids}


def state(owner: Owner, route: Route) -> bytes:
    """The response to the owner."""
    reported = own(owner, route)("GET", path_of(route, owner.ids), None)
    assert reported.status_code == 200, (label(route), reported.text)
    return reported.data


def test_lists_contain_only_data_of_the_caller(service, owner, table):
    """No id of the owner is in responses to others."""
    for route in (route for route in table if not route.ids and route.method == "get"):
        for who, ask in strangers(service, owner, route):
            reported = ask("GET", route.rule.rule, None).get_data()
            found = [
                n for n, one in owner.ids.items() if one.encode() in reported and n not in NOTHING
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
