"""The client credentials grant from end to end (decisions 11, 19.11)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.domain.roles import Role
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.oauth_client import Client
from tests.web.submission.documents import request_of, two_lines

VALIDATE = "/v1/invoices/validate"


@pytest.fixture
def client(service) -> Client:
    return Client(service)


# -- the token endpoint ----------------------------------------------------------------------------


@pytest.mark.parametrize("basic", [True, False], ids=["in the header", "in the form"])
def test_a_client_gets_a_token_for_its_secret(client, basic):
    """RFC 6749, section 5.1, with the headers against caching."""
    answer = client.ask(basic=basic)

    assert answer.status_code == 200
    assert answer.json.keys() == {"access_token", "token_type", "expires_in", "scope"}
    assert (answer.json["token_type"], answer.json["expires_in"]) == ("Bearer", 3600)
    assert answer.json["scope"] == ("artefacts:read invoices:read invoices:send participants:read")
    assert answer.headers["Cache-Control"] == "no-store"
    assert client.secret not in answer.text


def test_a_token_can_be_asked_for_with_less(client):
    assert client.ask(scope="invoices:read").json["scope"] == "invoices:read"


@pytest.mark.parametrize(
    ("changes", "status", "error"),
    [
        ({"client_secret": "cs_wrong"}, 401, "invalid_client"),
        ({"client_secret": None}, 401, "invalid_client"),
        ({"client_secret": ""}, 401, "invalid_client"),
        ({"client_id": None}, 401, "invalid_client"),
        ({"client_id": "ci_test_" + "x" * 22}, 401, "invalid_client"),
        ({"client_id": "nonsense"}, 401, "invalid_client"),
        ({"client_id": "ci_test_' OR 1=1 --"}, 401, "invalid_client"),
        ({"client_id": "\x00"}, 401, "invalid_client"),
        ({"grant_type": None}, 400, "invalid_request"),
        ({"grant_type": ""}, 400, "invalid_request"),
        ({"grant_type": "authorization_code"}, 400, "unsupported_grant_type"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"scope": "webhooks:manage"}, 400, "invalid_scope"),
        ({"scope": "invoices:send everything"}, 400, "invalid_scope"),
    ],
)
def test_a_refusal_has_oauths_own_form(client, changes, status, error):
    """RFC 6749, section 5.2: not a problem document, because OAuth's libraries read this."""
    answer = client.ask(**changes)

    assert (answer.status_code, answer.content_type) == (status, "application/json")
    assert answer.json.keys() == {"error", "error_description"}
    assert answer.json["error"] == error
    assert answer.headers["Cache-Control"] == "no-store"
    assert ("WWW-Authenticate" in answer.headers) is (status == 401)


def test_unknown_client_and_wrong_secret_get_the_same_response(client):
    """invalid_client with the same description."""
    wrong = client.ask(client_secret="cs_wrong")
    unknown = client.ask(client_id="ci_test_" + "x" * 22)

    assert wrong.data == unknown.data


@pytest.mark.parametrize(
    "data",
    [
        "grant_type=client_credentials&grant_type=client_credentials",
        "grant_type=client_credentials&client_id=a&client_id=b&client_secret=c",
        "", "=", "&&&", "%00", "grant_type", b"\xff\xfe", "{}",
    ],
)  # fmt: skip
def test_a_body_that_is_no_such_form_is_an_invalid_request(client, data):
    answer = client.ask(data=data)

    assert (answer.status_code, answer.json["error"]) == (400, "invalid_request")


def test_client_credentials_in_two_places_are_refused(client):
    answer = client.ask(basic=True, client_secret=client.secret)

    assert (answer.status_code, answer.json["error"]) == (400, "invalid_request")


@pytest.mark.parametrize("media", ["application/json", "text/plain", "multipart/form-data"])
def test_a_body_that_is_no_form_is_refused_as_oauth_does(client, media):
    """RFC 6749, section 5.2: libraries read `error`, and no problem document."""
    response = client.app.test_client().post(
        "/oauth/token", data='{"grant_type": "client_credentials"}', content_type=media
    )

    assert (response.status_code, response.content_type) == (400, "application/json")
    assert response.json["error"] == "invalid_request"
    assert media in response.json["error_description"]
    assert response.headers["Cache-Control"] == "no-store"


def test_a_body_too_large_is_refused_as_everywhere(client):
    large = client.ask(scope="x" * 20_000)

    assert (large.status_code, slug(large)) == (413, "payload-too-large")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_tokens_are_issued_for_post_only(client, method):
    """So that secrets are not in URLs."""
    answer = client.app.test_client().open("/oauth/token", method=method)

    assert (answer.status_code, slug(answer)) == (405, "method-not-allowed")


# -- tokens at /v1 ---------------------------------------------------------------------------------


def test_a_token_is_accepted_at_v1_and_counted_like_a_key(client):
    """The headers state its budget, as for a key."""
    answer = client.call("POST", VALIDATE, data=two_lines("O-1"))

    assert answer.status_code == 200, answer.text
    assert answer.headers["X-RateLimit-Limit"] == "20"


def test_a_send_by_token_is_idempotent_with_the_keys_of_the_tenant(service, client):
    """Idempotency belongs to tenant and environment, whatever the credential."""
    caller = Caller(service, tenant=client.tenant)
    body = request_of(two_lines("O-2"))
    given = {"Idempotency_Key": "k", "Prefer": "respond-async"}
    first = client.call("POST", "/v1/invoices", json=body, **given)
    second = client.call("POST", "/v1/invoices", token=caller.key, json=body, **given)

    assert first.status_code in (200, 202), first.text
    assert second.json["id"] == first.json["id"]
    assert second.headers["Idempotency-Replay"] == "true"


def test_a_token_of_one_environment_finds_nothing_of_the_other(service, client):
    """404 for a test client on a live invoice of the same tenant."""
    live = Client(service, Environment.LIVE, client.tenant)
    body = request_of(two_lines("O-9"))
    made = client.call("POST", "/v1/invoices", json=body, Prefer="respond-async").json["id"]

    assert client.call("GET", f"/v1/invoices/{made}").status_code == 200
    answer = live.call("GET", f"/v1/invoices/{made}")
    assert (answer.status_code, slug(answer)) == (404, "not-found")


def test_a_token_does_what_its_scopes_allow(client):
    token = client.token(scope="invoices:read")
    answer = client.call("POST", VALIDATE, token, data=two_lines("O-3"))

    assert (answer.status_code, slug(answer)) == (403, "insufficient-scope")


def test_scopes_taken_from_a_client_are_taken_from_its_tokens(client):
    token = client.token()
    client.service("change", {"scopes": ["invoices:read"]}, None)
    answer = client.call("POST", VALIDATE, token, data=two_lines("O-4"))

    assert (answer.status_code, slug(answer)) == (403, "insufficient-scope")


def test_scopes_given_to_a_client_are_not_given_to_its_older_tokens(service):
    client = Client(service, scopes=["invoices:read"])
    token = client.token()
    client.service("change", {"scopes": ["invoices:send", "invoices:read"]}, None)
    answer = client.call("POST", VALIDATE, token, data=two_lines("O-5"))

    assert (answer.status_code, slug(answer)) == (403, "insufficient-scope")


def test_a_revoked_client_gets_no_token_and_loses_those_it_has(client):
    token = client.token()
    client.service("revoke")
    refused = client.call("POST", VALIDATE, token, data=two_lines("O-6"))

    assert client.ask().json["error"] == "invalid_client"
    assert (refused.status_code, slug(refused)) == (401, "invalid-token")
    assert refused.headers["WWW-Authenticate"].startswith('Bearer error="invalid_token"')


def test_after_a_rotation_both_secrets_count_until_the_grace_is_over(client):
    old = client.secret
    made = client.service("rotate", 3600)
    both = [client.ask(client_secret=secret).status_code for secret in (old, made.secret)]
    ended = client.service("rotate", 0)

    assert both == [200, 200]
    reported = [client.ask(client_secret=s).status_code for s in (old, made.secret, ended.secret)]
    assert reported == [401, 401, 200]


def test_of_two_rotations_each_old_secret_is_accepted_to_the_end_of_its_grace(client, monkeypatch):
    """Such as when the first answer was lost; a third one has to wait for the end of one of them,
    unless it ends all old secrets at once."""
    begun, first = clock.now(), client.secret
    second, third = (client.service("rotate", grace).secret for grace in (7_200, 3_600))
    with pytest.raises(Conflict, match="Two old secrets are still valid, one of them until"):
        client.service("rotate", 60)

    def _accepted(*secrets):
        return [client.ask(client_secret=each).status_code == 200 for each in secrets]

    assert _accepted(first, second, third) == [True, True, True]
    monkeypatch.setattr(clock, "now", lambda: begun + timedelta(seconds=3_700))
    assert _accepted(first, second, third) == [True, False, True]
    fourth = client.service("rotate", 60).secret
    assert _accepted(first, second, third, fourth) == [True, False, True, True]
    last = client.service("rotate", 0).secret
    assert _accepted(first, third, fourth, last) == [False, False, False, True]


def test_allowed_addresses_apply_to_the_client_and_its_tokens(service):
    """The allow list of the client applies to its tokens."""
    client = Client(service, allowed_ips=["127.0.0.1"])
    token = client.token()
    client.service("change", {"allowed_ips": ["192.0.2.0/24"]}, None)
    asked = client.ask()
    used = client.call("POST", VALIDATE, token, data=two_lines("O-7"))

    assert [(a.status_code, slug(a)) for a in (asked, used)] == [(403, "ip-not-allowed")] * 2


def test_an_operators_policy_holds_for_a_client(client):
    client.service("limit", 7, 9)
    answer = client.call("POST", VALIDATE, data=two_lines("O-8"))

    assert answer.headers["X-RateLimit-Limit"] == "9"


def test_an_access_token_is_accepted_as_bearer_but_not_by_routes_of_people(client):
    """Routes of people refuse keys and access tokens (decisions 9, 20.4)."""
    token = client.token()
    public = client.call("GET", "/api/invoices", token)
    header = client.app.test_client().get("/api/invoices", headers={"x-api-key": token})
    dashboard = client.call("GET", "/api/keys", token)

    assert public.status_code == 200
    assert (header.status_code, slug(header)) == (401, "invalid-api-key")
    assert (dashboard.status_code, slug(dashboard)) == (401, "invalid-token")


def test_a_session_token_is_no_access_token(service, client):
    answer = client.call("POST", VALIDATE, Dashboard(service, client.tenant).token, data=b"x")

    assert (answer.status_code, slug(answer)) == (401, "invalid-token")


# -- two hosts and metadata ------------------------------------------------------------------------

LIVE_HOST, TEST_HOST = "https://api.example.com", "https://sandbox.example.com"


@pytest.fixture(scope="module")
def two_hosts(build):
    return build(base_url=LIVE_HOST, sandbox_base_url=TEST_HOST)


@pytest.mark.parametrize(
    ("environment", "right", "wrong"),
    [(Environment.TEST, TEST_HOST, LIVE_HOST), (Environment.LIVE, LIVE_HOST, TEST_HOST)],
)
def test_a_client_and_its_tokens_belong_to_one_host(two_hosts, environment, right, wrong):
    client = Client(two_hosts, environment)
    token = client.token(host=right)
    used = [
        client.call("POST", VALIDATE, token, data=two_lines("O-10"), host=host)
        for host in (right, wrong)
    ]

    assert client.ask(host=wrong).json["error"] == "invalid_client"
    assert used[0].status_code == 200
    assert (used[1].status_code, slug(used[1])) == (401, "invalid-token")


@pytest.mark.parametrize("host", [LIVE_HOST, TEST_HOST])
def test_each_host_describes_itself(two_hosts, host):
    """RFC 8414 and 9728: the issuer is the address where the document was found."""
    asked = two_hosts.test_client()
    server = asked.get("/.well-known/oauth-authorization-server", base_url=host)
    resource = asked.get("/.well-known/oauth-protected-resource", base_url=host)

    assert server.json["issuer"] == host
    assert server.json["token_endpoint"] == f"{host}/oauth/token"
    assert server.json["grant_types_supported"] == ["client_credentials"]
    assert server.json["response_types_supported"] == []
    assert set(server.json["token_endpoint_auth_methods_supported"]) == {
        "client_secret_basic", "client_secret_post",
    }  # fmt: skip
    assert resource.json["resource"] == host
    assert resource.json["authorization_servers"] == [server.json["issuer"]]
    assert resource.json["bearer_methods_supported"] == ["header"]
    assert "invoices:send" in server.json["scopes_supported"]
    assert "max-age=3600" in server.headers["Cache-Control"]


@pytest.mark.parametrize(
    ("token", "said"),
    [
        (None, "Bearer "),
        ("wrong", 'Bearer error="invalid_token", '),
        ("narrow", 'Bearer error="insufficient_scope", '),
    ],
)
def test_a_refusal_names_the_metadata_of_the_token_endpoint(two_hosts, token, said):
    """RFC 9728, section 5.1: a program can find the token endpoint by itself."""
    client = Client(two_hosts)
    if token == "narrow":
        token = client.token(host=TEST_HOST, scope="artefacts:read")
    given = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = two_hosts.test_client().post(
        VALIDATE, data=two_lines("O-11"), headers=given, base_url=TEST_HOST
    )
    reported = answer.headers["WWW-Authenticate"]

    where = f"{TEST_HOST}/.well-known/oauth-protected-resource"
    assert reported == f'{said}resource_metadata="{where}"'
    found = two_hosts.test_client().get("/.well-known/oauth-protected-resource", base_url=TEST_HOST)
    assert found.json["authorization_servers"] == [TEST_HOST]


# -- clients at the dashboard ----------------------------------------------------------------------

NEW = {"name": "ERP", "environment": "test"}


@pytest.fixture
def ann(service) -> Dashboard:
    return Dashboard(service, role=Role.ADMIN)


def test_a_client_made_at_the_dashboard_is_shown_once_and_gets_tokens(service, ann):
    answer = ann.post("/api/oauth-clients", NEW)
    made = answer.json

    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/api/oauth-clients/{made['clientId']}"
    assert made["clientId"].startswith("ci_test_")
    reported = ann.get(answer.headers["Location"]).json
    assert reported == {name: value for name, value in made.items() if name != "clientSecret"}
    assert ann.get("/api/oauth-clients").json["items"][0]["clientId"] == made["clientId"]
    assert made["clientSecret"] not in ann.get("/api/oauth-clients").text
    token = service.test_client().post(
        "/oauth/token",
        data={"grant_type": "client_credentials"},
        auth=(made["clientId"], made["clientSecret"]),
    )
    assert token.status_code == 200
    assert ann.get(answer.headers["Location"]).json["lastUsedIp"] == "127.0.0.1"


def test_a_client_is_changed_rotated_and_revoked_and_each_is_noted(ann):
    """A revoked one cannot be changed."""
    made = ann.post("/api/oauth-clients", NEW).json
    path = f"/api/oauth-clients/{made['clientId']}"
    changed = ann.patch(path, {"name": "Other", "scopes": ["invoices:read"]})
    rotated = ann.post(f"{path}/rotate", {"gracePeriodSeconds": 60})
    gone = ann.delete(path)

    assert (changed.status_code, changed.json["name"]) == (200, "Other")
    assert changed.json["scopes"] == ["invoices:read"]
    assert rotated.json["clientSecret"] != made["clientSecret"]
    assert rotated.json["oldSecretUntil"] is not None
    assert (gone.status_code, ann.get(path).json["revokedAt"] is not None) == (204, True)
    for again in (ann.patch(path, {"name": "x"}), ann.post(f"{path}/rotate")):
        assert (again.status_code, slug(again)) == (409, "conflict")
    assert ann.delete(path).status_code == 204


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"environment": "moon"}, "/environment"),
        ({"scopes": ["no:such"]}, "/scopes/0"),
        ({"allowedIps": ["300.1.1.1"]}, "/allowedIps/0"),
        ({"clientSecret": "mine"}, "/clientSecret"),
    ],
)
def test_a_wrong_field_is_named(ann, change, pointer):
    answer = ann.post("/api/oauth-clients", NEW | change)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MEMBER])
def test_clients_are_for_administrators(service, role):
    answer = Dashboard(service, role=role).post("/api/oauth-clients", NEW)

    assert (answer.status_code, slug(answer)) == (403, "forbidden")


@pytest.mark.parametrize("method", ["get", "patch", "delete"])
def test_a_client_of_another_tenant_is_not_found(service, ann, method):
    """404, and nothing changes."""
    path = f"/api/oauth-clients/{ann.post('/api/oauth-clients', NEW).json['clientId']}"
    stranger = Dashboard(service)
    answer = getattr(stranger, method)(path, {"name": "x"} if method == "patch" else None)

    assert (answer.status_code, slug(answer)) == (404, "not-found")
    assert stranger.post(f"{path}/rotate").status_code == 404
    assert ann.get(path).json["revokedAt"] is None
