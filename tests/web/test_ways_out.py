"""A refusal is read by somebody who wants to go on: it names the place and says what to do."""

from __future__ import annotations

import pytest

from einvoice.web.headers import Preference, preference
from tests.web.caller import slug
from tests.web.dashboard import Dashboard

HOOK = {"url": "https://example.com/hook", "environment": "test"}
LONG = "0088:" + "1" * 131


@pytest.fixture
def ann(service) -> Dashboard:
    return Dashboard(service)


@pytest.mark.parametrize(
    ("method", "path", "words"),
    [
        ("GET", "/nowhere", "There is nothing at this address; /docs lists what there is."),
        ("GET", "/api/invoices/", "/docs lists what there is. Try it without the / at the end."),
        ("GET", "/api/invoices/send", "This address takes POST, not GET."),
        ("POST", "/api/participants/lookup", "This address takes GET, not POST."),
        ("DELETE", "/api/webhooks", "This address takes GET and POST, not DELETE."),
        ("GET", f"/api/participants/lookup?participantId={LONG}", "(136 characters, at most 135)"),
        ("GET", "/api/invoices?currency=eur", "an ISO 4217 currency code; write it in capitals"),
        ("GET", "/api/invoices?currency=eux", "'eux' is not an ISO 4217 currency code"),
        ("GET", "/api/invoices?page=2", "/page: is not a parameter of this address, which knows"),
    ],
)
def test_a_refusal_says_what_the_address_accepts(caller, method, path, words):
    answer = caller.call(method, path)

    assert 400 <= answer.status_code < 500
    assert words in answer.json["detail"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/api/keys", "This is an API key: here only people who logged in are answered."),
        ("/api/customers", "This is an API key: here only people who logged in are answered."),
    ],
)
def test_a_key_on_a_route_of_people_is_refused_with_the_reason(caller, path, words):
    """Routes of programs accept keys as Bearer; here the refusal names what is sent."""
    answer = caller.bearer("GET", path)

    assert (answer.status_code, slug(answer)) == (401, "invalid-token")
    assert answer.json["detail"] == words


@pytest.mark.parametrize("body", [{"name": ""}, {"name": " \t"}])
@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("/api/tenant", None),
        ("/api/keys", {"name": "ERP", "environment": "test"}),
        ("/api/oauth-clients", {"name": "ERP", "environment": "test"}),
        ("/api/customers", {"name": "Buyer"}),
        ("/api/suppliers", {"name": "Seller", "countryCode": "BE"}),
    ],
)
def test_required_values_cannot_be_removed(ann, path, new, body):
    """A merge patch may omit or change a name, but not null or blank it."""
    place = ann.post(path, new).headers["Location"] if new else path
    before = ann.get(place).json
    answer = ann.patch(place, body)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert answer.json["detail"] == "/name: must not be blank"
    assert ann.get(place).json == before


@pytest.mark.parametrize("path", ["/api/keys", "/api/oauth-clients"])
def test_repeated_values_of_a_key_are_stored_once(ann, path):
    twice = {
        "scopes": ["invoices:read", "invoices:send", "invoices:read"],
        "allowedIps": ["192.0.2.7", "192.0.2.7"],
        "allowedReceivers": ["0088:9520000000004", "0088:9520000000004"],
    }
    made = ann.post(path, {"name": "ERP", "environment": "test", **twice})
    changed = ann.patch(made.headers["Location"], {"scopes": ["invoices:send"] * 2})

    assert made.json["scopes"] == ["invoices:read", "invoices:send"]
    assert made.json["allowedIps"] == ["192.0.2.7"]
    assert made.json["allowedReceivers"] == ["0088:9520000000004"]
    assert changed.json["scopes"] == ["invoices:send"]


@pytest.mark.parametrize(
    ("network", "words"),
    [
        ("10.0.0.1/8", "10.0.0.1/8 is an address inside a network: write 10.0.0.0/8"),
        ("2001:db8::1/32", "write 2001:db8::/32"),
        ("office", "office is neither an address nor a network like 192.0.2.0/24"),
    ],
)
def test_an_invalid_allowed_address_is_explained(ann, network, words):
    answer = ann.post("/api/keys", {"name": "ERP", "environment": "test", "allowedIps": [network]})

    assert answer.status_code == 400
    assert words in answer.json["detail"]


def test_a_key_ends_with_its_last_day(ann):
    """As on the command line, the day is included."""
    new = {"name": "ERP", "environment": "test", "expiresAt": "2099-12-31"}

    assert ann.post("/api/keys", new).json["expiresAt"] == "2099-12-31T23:59:59.999Z"


@pytest.mark.parametrize(
    ("period", "words"),
    [
        ({"since": "2026-01-02", "until": "2026-01-01"}, "/since: must be before until"),
        ({"since": "2099-01-01"}, "/since: must be in the past"),
        ({"since": "2020-01-01"}, "/since: must be at most 30 days ago"),
    ],
)
def test_an_invalid_period_is_explained(ann, period, words):
    place = ann.post("/api/webhooks", HOOK).headers["Location"]

    assert ann.post(f"{place}/recover", period).json["detail"] == words


@pytest.mark.parametrize(
    ("wish", "seconds"), [("wait=25", 25), ("wait=26", 25), ("wait=99999", 25)]
)
def test_a_longer_wait_than_allowed_is_reduced(service, wish, seconds):
    """A preference that cannot be met is no error (RFC 7240, section 2): what was made of it stands
    in Preference-Applied."""
    with service.test_request_context(headers={"Prefer": wish}):
        assert preference(2.0) == Preference(float(seconds), f"wait={seconds}")


def test_an_empty_response_has_no_content_type(ann):
    place = ann.post("/api/customers", {"name": "Buyer"}).headers["Location"]
    answer = ann.delete(place)

    assert (answer.status_code, answer.data) == (204, b"")
    assert "Content-Type" not in answer.headers


def test_the_refusal_of_a_person_names_the_counted_methods(build, redis_url):
    """Changes and deletions share the budget that is called post."""
    ann = Dashboard(build(limit_session_post=1, redis_url=redis_url))
    ann.patch("/api/tenant", {})

    words = "You may make 1 POST, PUT, PATCH and DELETE requests a minute: try again in "
    assert words in ann.patch("/api/tenant", {}).json["detail"]


def test_the_root_of_the_host_redirects_to_the_documentation(service):
    answer = service.test_client().get("/")

    assert (answer.status_code, answer.headers["Location"]) == (302, "/docs")


def test_participants_can_be_listed_by_environment(ann):
    for environment in ("test", "live"):
        ann.post("/api/participants", {"participantId": "0192:1", "environment": environment})
    listed = ann.get("/api/participants?environment=live").json["items"]

    assert [one["environment"] for one in listed] == ["live"]
    assert ann.get("/api/participants?environment=sandbox").status_code == 400
