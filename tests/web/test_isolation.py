"""Nobody sees what is another tenant's or the other environment's (decisions 19.6)."""

from __future__ import annotations

import uuid

import pytest

from einvoice.domain.environments import Environment
from tests.builders import send_body
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

ROUTES = (
    "/api/invoices/{invoice}",
    "/api/invoices/{invoice}/artefacts",
    "/api/invoices/{invoice}/artefacts/{artefact}",
)

# Of the /v1 family, whose credential is Bearer.
V1_ROUTES = (
    "/v1/invoices/{invoice}",
    "/v1/invoices/{invoice}/pdf",
    "/v1/invoices/batch/{batch}",
)


@pytest.fixture
def ids(caller) -> dict[str, str]:
    """An invoice and one of its artefacts."""
    invoice = caller.sent()
    items = caller.get(f"/api/invoices/{invoice}/artefacts").json["items"]
    return {"invoice": invoice, "artefact": items[0]["artefactId"]}


@pytest.fixture(params=["another tenant", "the other environment", "a person of another tenant"])
def stranger(request, service, caller) -> Caller | Dashboard:
    if request.param == "another tenant":
        return Caller(service)
    if request.param == "the other environment":
        return Caller(service, Environment.LIVE, caller.tenant)
    return Dashboard(service)


@pytest.mark.parametrize("route", ROUTES)
def test_a_stranger_is_told_what_he_is_told_of_nothing(route, ids, caller, stranger):
    """404, and in the very words of an id that never was."""
    assert caller.get(route.format(**ids)).status_code == 200
    answer = stranger.get(route.format(**ids))
    nothing = stranger.get(route.format(invoice=uuid.uuid4(), artefact=ids["artefact"]))

    assert (answer.status_code, slug(answer)) == (404, "not-found")
    assert answer.json["detail"].replace(ids["invoice"], "") == nothing.json["detail"].replace(
        nothing.json["instance"].split("/")[3], ""
    )


@pytest.mark.parametrize("route", V1_ROUTES)
def test_a_stranger_learns_nothing_at_the_v1_family(route, caller, stranger):
    """404 with a key of another tenant or environment; a session token is no token there."""
    batch = caller.bearer("POST", "/v1/invoices/batch", {"invoices": [1]}).json["batchId"]
    path = route.format(invoice=caller.sent(), batch=batch)
    assert caller.bearer("GET", path).status_code == 200
    if isinstance(stranger, Dashboard):
        assert slug(stranger.get(path)) == "invalid-token"
    else:
        assert slug(stranger.bearer("GET", path)) == "not-found"


@pytest.mark.parametrize("text", ["x", "%00", "%FF", "a" * 3000, "%27%20OR%201=1", "..%2F"])
@pytest.mark.parametrize("route", V1_ROUTES)
def test_what_is_no_id_is_not_found_at_the_v1_family(route, text, caller):
    answer = caller.bearer("GET", route.format(invoice=text, batch=text))

    assert (answer.status_code, slug(answer)) == (404, "not-found")


def test_an_artefact_is_found_under_its_own_invoice_only(caller, ids):
    other = caller.sent()
    answer = caller.get(f"/api/invoices/{other}/artefacts/{ids['artefact']}")

    assert (answer.status_code, slug(answer)) == (404, "not-found")


def test_a_reference_is_worth_nothing_to_another_tenant(service, caller):
    stranger = Caller(service)
    answer = stranger.send(send_body(caller.reference()))

    assert (answer.status_code, slug(answer)) == (400, "unknown-access-point-ref")
    assert stranger.stored() == 0


def test_a_key_of_idempotency_is_the_tenants_own(service, caller):
    """The same word means something else to everybody else."""
    first = caller.send(Idempotency_Key="one")
    second = Caller(service).send(Idempotency_Key="one")

    assert first.json["invoiceId"] != second.json["invoiceId"]
    assert second.headers["Idempotency-Replay"] == "false"


@pytest.mark.parametrize("text", ["x", "%00", "%FF", "a" * 3000, "%27%20OR%201=1", "é", "..%2F"])
@pytest.mark.parametrize("route", ROUTES)
def test_what_is_no_id_is_not_found(route, text, caller, ids):
    """Whatever stands in the path, a database never chokes on it."""
    for name in ("invoice", "artefact"):
        if f"{{{name}}}" in route:
            answer = caller.get(route.format(**(ids | {name: text})))
            assert (answer.status_code, slug(answer)) == (404, "not-found")
