"""Each address takes its own methods and answers in its own media types, and says so."""

from __future__ import annotations

import re
import uuid

import pytest

from einvoice.web.addresses import offers
from einvoice.web.openapi.document import routes
from tests.web.caller import slug

METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}


def test_a_named_path_is_not_read_as_an_id(service):
    """GET /api/invoices/send is 405 with Allow, not a 404 about an invoice called send."""
    named: dict[str, set[str]] = {}
    for rule in service.url_map.iter_rules():
        if not rule.arguments:
            named.setdefault(rule.rule, set()).update(rule.methods)
    assert "/api/invoices/send" in named
    client = service.test_client()

    for path, allowed in named.items():
        for method in sorted(METHODS - allowed):
            answer = client.open(path, method=method)
            # Where a family takes ids, it first asks who it is: by 401, or on pages by the login.
            if answer.status_code not in {401, 303}:
                assert (answer.status_code, slug(answer)) == (405, "method-not-allowed"), path
                assert set(answer.headers["Allow"].split(", ")) == allowed


@pytest.mark.parametrize("path", ["/api/invoices/send", "/v2/invoices/send", "/api/v2/lookup/"])
def test_requests_to_unknown_paths_are_counted(caller, path):
    """With rate limit headers, as on every response to a known key."""
    answer = caller.get(path)

    assert answer.status_code in {404, 405}
    assert "X-RateLimit-Remaining" in answer.headers


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/operator/", "/operator"),
        ("/operator/tenants/?state=open&text=a%20b", "/operator/tenants?state=open&text=a%20b"),
        ("/dashboard/", "/dashboard"),
        ("/dashboard/invoices/", "/dashboard/invoices"),
        ("/docs/", "/docs"),
        ("/status/", "/status"),
        ("/errors/not-found/", "/errors/not-found"),
        ("/nothing/", None),
        ("/", "/docs"),
        ("/dashboard//invoices/", None),
        ("/docs//", None),
        ("/api/invoices/", None),
        ("/v1/invoices/", None),
        ("/healthz/x/", None),
    ],
)
def test_a_page_is_read_with_a_slash_at_the_end_too(service, path, location):
    """Programs have one address for each request, and get a 404 that names the slash."""
    answer = service.test_client().get(path)

    assert answer.headers.get("Location") == location
    assert answer.status_code in ({404} if location is None else {302, 308})


def test_a_form_is_sent_to_its_own_address_only(service):
    assert service.test_client().post("/dashboard/preferences/").status_code == 404


def test_the_path_of_a_send_accepts_post_only(caller):
    answer = caller.get("/api/invoices/send")

    assert (answer.status_code, slug(answer)) == (405, "method-not-allowed")
    assert answer.headers["Allow"] == "OPTIONS, POST"


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/api/invoices/send", {"OPTIONS", "POST"}),
        ("/v2/invoices/send", {"OPTIONS", "POST"}),
        ("/v1/invoices", {"GET", "HEAD", "OPTIONS", "POST"}),
        (f"/api/invoices/{uuid.UUID(int=1)}", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_options_states_the_methods_that_are_not_refused(caller, path, methods):
    """GET of a send is refused, so OPTIONS does not list it. The answer has no body and no type."""
    answer = caller.call("OPTIONS", path)

    assert (answer.status_code, answer.data) == (200, b"")
    assert set(answer.headers["Allow"].split(", ")) == methods
    assert "Content-Type" not in answer.headers


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json", 200), ("*/*", 200), ("application/*", 200), ("", 200), ("?", 406),
        ("text/html;q=0.9, application/json;q=0.1", 200), ("application/xml, */*;q=0.1", 200),
        ("text/html", 406), ("application/xml, text/plain", 406), ("application/json;q=0", 406),
        ("application/problem+json", 200),
    ],
)  # fmt: skip
def test_a_caller_that_does_not_accept_json_gets_406(caller, accept, status):
    answer = caller.get("/api/invoices", Accept=accept)

    assert answer.status_code == status
    if status == 406:
        assert slug(answer) == "not-acceptable"
        assert "application/json" in answer.json["detail"]


def test_a_send_whose_response_is_not_acceptable_is_not_stored(caller):
    """406 is answered before anything is stored, and after the credential was checked."""
    answer = caller.send(Accept="text/html")

    assert (answer.status_code, slug(answer)) == (406, "not-acceptable")
    assert caller.stored() == 0
    assert caller.send(Accept="text/html", x_api_key="sk_test_no").status_code == 401


def test_pages_and_files_are_returned_for_their_media_types(service, caller):
    invoice = caller.sent()
    found = caller.get(f"/api/invoices/{invoice}/artefacts").json["items"][0]
    path = f"/api/invoices/{invoice}/artefacts/{found['artefactId']}"

    assert caller.get(path, Accept=found["contentType"]).status_code == 200
    assert caller.get("/errors", Accept="text/html").content_type.startswith("text/html")
    assert caller.get("/docs", Accept="application/json").status_code == 406


def test_every_route_documents_its_media_types(service):
    """A view without one would answer 200 to callers that do not accept its type."""
    silent = [route for route in routes(service) if not offers(route.view)]
    codes = {route.rule.rule: route.view._apidoc["success_status_codes"] for route in silent}

    assert {rule for rule, found in codes.items() if found != [204]} == set()


def test_a_path_with_a_doubled_slash_is_not_found(service):
    """Slashes are not merged: no redirect, no credential asked for, nothing about the route.

    Those at the beginning are one to Werkzeug: the path of a URL without a host begins with two.
    """
    client = service.test_client()
    paths = {re.sub(r"<[^>]+>", "x", route.rule.rule) for route in routes(service)}
    doubled = {
        f"{path[:place]}/{path[place:]}"
        for path in paths
        for place in (match.start() for match in re.finditer("(?<=.)/", path))
    }

    assert len(doubled) > 100
    for path in sorted(doubled):
        response = client.get(path)
        assert response.status_code == 404, path
        assert response.json["type"].endswith("/errors/not-found")


@pytest.mark.parametrize(("length", "words"), [(140, "There is no invoice"), (141, "named")])
def test_ids_in_paths_share_one_length_limit(caller, length, words):
    response = caller.get(f"/api/invoices/{'x' * length}")

    assert response.status_code == 404
    assert words in response.json["detail"]
