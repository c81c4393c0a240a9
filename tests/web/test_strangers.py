"""Every route with an id, asked by those it is no business of: made from the routes themselves.

A new route is walked without a word here; one with an id of a new kind has to be given one.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator

import pytest
from flask import Flask

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.security.api_keys import SCOPES
from einvoice.web import credentials
from einvoice.web.openapi.document import Route, routes
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

# What a body must hold for a route to look for the id at all.
BODIES = {"webhooks.recover": {"since": clock.timestamp(clock.now())}}


@pytest.fixture
def owner(service) -> Caller:
    return Caller(service, scopes=SCOPES)


@pytest.fixture
def ids(owner) -> dict[str, str]:
    """One of everything, by the name it has in paths."""
    person = Dashboard(owner.app, owner.tenant)

    def made(path: str, wanted: str, **body: str) -> str:
        answer = person.post(path, body)
        assert answer.status_code == 201, answer.text
        return answer.json[wanted]

    invoice, participant = owner.sent(), f"0088:{uuid.uuid4().int % 10**13:013d}"
    artefacts = owner.get(f"/api/invoices/{invoice}/artefacts").json["items"]
    hook = made("/api/webhooks", "webhookId", url="https://a.example/", environment="test")
    return {
        "invoice_id": invoice,
        "artefact_id": artefacts[0]["artefactId"],
        "key_id": made("/api/keys", "keyId", name="erp", environment="test"),
        "webhook_id": hook,
        "delivery_id": person.post(f"/api/webhooks/{hook}/test").json["deliveryId"],
        "customer_id": made("/api/customers", "customerId", name="Buyer"),
        "supplier_id": made("/api/suppliers", "supplierId", name="Seller", countryCode="BE"),
        "client_id": made("/api/oauth-clients", "clientId", name="shop", environment="test"),
        "participant_id": made(
            "/api/participants", "participantId", participantId=participant, environment="test"
        ),
        "environment": "test",
        "batch_id": owner.bearer("POST", "/v1/invoices/batch", {"invoices": [1]}).json["batchId"],
    }


def guarded(app: Flask) -> Iterator[Route]:
    """Every route with an id that is not open to everybody."""
    for route in routes(app):
        if route.ids and route.family.credential is not credentials.nobody:
            yield route


def strangers(owner: Caller, route: Route) -> Iterator[dict[str, str]]:
    """Headers that open the route, each of somebody else."""
    for key in (
        Caller(owner.app, scopes=SCOPES).key,
        Caller(owner.app, Environment.LIVE, owner.tenant, scopes=SCOPES).key,
    ):
        if "apiKey" in route.demand.schemes:
            yield {"x-api-key": key}
        if "bearer" in route.demand.schemes:
            yield {"Authorization": f"Bearer {key}"}
    if "session" in route.demand.schemes:
        yield {"Authorization": f"Bearer {Dashboard(owner.app).token}"}


def test_no_stranger_finds_anything_at_any_address(service, owner, ids):
    """Another tenant's key or person, or a key of the other environment: 404, whatever the method,
    and nothing is changed by it."""
    walked = 0
    for route in guarded(service):
        path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: ids[found[1]], route.rule.rule)
        for headers in strangers(owner, route):
            body = BODIES.get(route.rule.endpoint, {}) if route.method != "get" else None
            answer = service.test_client().open(
                path, method=route.method.upper(), json=body, headers=headers
            )
            assert (answer.status_code, slug(answer)) == (404, "not-found"), (route, headers)
            walked += 1

    assert walked > 60


def test_the_owner_finds_all_of_it(service, owner, ids):
    """Else the walk above would pass for lack of anything to find."""
    person = Dashboard(service, owner.tenant)
    for route in guarded(service):
        if route.method == "get":
            path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: ids[found[1]], route.rule.rule)
            asking = {
                "apiKey": {"x-api-key": owner.key},
                "bearer": {"Authorization": f"Bearer {owner.key}"},
                "session": {"Authorization": f"Bearer {person.token}"},
            }
            for scheme in route.demand.schemes:
                answer = service.test_client().get(path, headers=asking[scheme])
                assert answer.status_code == 200, (path, scheme, answer.text)
