"""API keys at the dashboard (decisions 9)."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

import pytest

from einvoice import clock
from einvoice.domain.roles import Role
from einvoice.services.account import issuance
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

NEW = {"name": "ERP", "environment": "test"}


@pytest.fixture
def ann(service) -> Dashboard:
    return Dashboard(service, role=Role.ADMIN)


@pytest.fixture
def made(ann) -> dict:
    return ann.post("/api/keys", NEW).json


def works(service, key: str) -> bool:
    """Whether the key is accepted by a route of the public API."""
    runtime_of(service).caches.clear()
    answer = service.test_client().get("/api/invoices", headers={"x-api-key": key})
    return answer.status_code == 200


def test_a_key_is_shown_once_and_works(service, ann):
    answer = ann.post("/api/keys", NEW)
    key = answer.json["key"]

    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/api/keys/{answer.json['keyId']}"
    assert works(service, key)
    for path in ("/api/keys", answer.headers["Location"]):
        assert key not in ann.get(path).text


def test_the_metadata_of_a_key_lacks_only_the_key(ann, made):
    reported = ann.get(f"/api/keys/{made['keyId']}").json

    assert reported == {name: value for name, value in made.items() if name != "key"}
    assert made["key"].startswith(reported["prefix"])
    assert made["key"].endswith(reported["last4"])
    assert reported["createdBy"] == "ann@example.com"
    assert reported["rateLimits"] == {"get": 60, "post": 20}
    assert reported["scopes"] == [
        "participants:read", "invoices:send", "invoices:read", "artefacts:read",
    ]  # fmt: skip
    assert [reported[n] for n in ("expiresAt", "revokedAt", "lastUsedAt", "lastUsedIp")] == [
        None
    ] * 4


def test_a_key_has_the_requested_terms(ann):
    wanted = NEW | {
        "scopes": ["webhooks:manage"],
        "expiresAt": clock.timestamp(clock.now() + timedelta(days=1)),
        "allowedIps": ["192.0.2.0/24", "2001:db8::1"],
        "allowedReceivers": ["0088:9520000000004"],
    }
    reported = ann.post("/api/keys", wanted).json

    assert {name: reported[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("change", "pointers"),
    [
        ({"name": None}, ["/name"]),
        ({"name": " "}, ["/name"]),
        ({"name": "x" * 101}, ["/name"]),
        ({"environment": "production"}, ["/environment"]),
        ({"scopes": []}, ["/scopes"]),
        ({"scopes": ["all"]}, ["/scopes/0"]),
        ({"scopes": "invoices:read"}, ["/scopes"]),
        ({"expiresAt": "2020-01-01"}, ["/expiresAt"]),
        ({"expiresAt": 5}, ["/expiresAt"]),
        ({"allowedIps": ["192.0.2.1/24", "here"]}, ["/allowedIps/0", "/allowedIps/1"]),
        ({"allowedReceivers": ["buyer"]}, ["/allowedReceivers/0"]),
        ({"rateLimits": {"get": 1000}}, ["/rateLimits"]),
        ({"name": 5, "scopes": [5]}, ["/name", "/scopes/0"]),
    ],
)
def test_all_invalid_fields_are_reported(ann, change, pointers):
    """Rate limits too: only the operator sets them."""
    answer = ann.post("/api/keys", NEW | change)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [e["pointer"] for e in answer.json["errors"]] == pointers
    assert ann.get("/api/keys").json["items"] == []


def test_the_list_holds_all_keys_of_the_tenant_and_filters_by_environment(service, ann):
    for environment in ("test", "live", "test"):
        ann.post("/api/keys", NEW | {"environment": environment})
    Dashboard(service).post("/api/keys", NEW)

    def environments(query: str = "") -> list[str]:
        return [k["environment"] for k in ann.get(f"/api/keys{query}").json["items"]]

    assert environments() == ["test", "live", "test"]
    assert environments("?environment=live") == ["live"]
    assert ann.get("/api/keys?environment=all").status_code == 400


def test_a_change_holds_from_the_next_request(service, ann, made):
    path = f"/api/keys/{made['keyId']}"
    answer = ann.patch(path, {"name": "Shop", "scopes": ["participants:read"]})

    assert answer.status_code == 200
    assert (answer.json["name"], answer.json["scopes"]) == ("Shop", ["participants:read"])
    assert answer.json["allowedIps"] == made["allowedIps"]
    assert not works(service, made["key"])


@pytest.mark.parametrize(
    "change",
    [
        {"name": None},
        {"scopes": None},
        {"environment": "live"},
        {"expiresAt": "2999-01-01T00:00:00.000Z"},
        {"scopes": []},
    ],
)
def test_fixed_fields_of_a_key_cannot_be_changed(ann, made, change):
    answer = ann.patch(f"/api/keys/{made['keyId']}", change)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")


def test_an_empty_change_changes_nothing(ann, made):
    assert ann.patch(f"/api/keys/{made['keyId']}", {}).json["name"] == "ERP"


def test_a_rotated_key_works_beside_the_new_one_until_the_grace_ends(service, ann, made):
    answer = ann.post(f"/api/keys/{made['keyId']}/rotate", {"gracePeriodSeconds": 3600})
    assert answer.status_code == 201
    assert answer.json["key"] != made["key"]
    assert (answer.json["name"], answer.json["scopes"]) == (made["name"], made["scopes"])
    assert works(service, answer.json["key"])
    assert works(service, made["key"])
    ends = ann.get(f"/api/keys/{made['keyId']}").json["expiresAt"]

    assert ends <= clock.timestamp(clock.now() + timedelta(hours=1))


@pytest.mark.parametrize(
    ("body", "status"),
    [({}, 201), ({"gracePeriodSeconds": 0}, 201), ({"gracePeriodSeconds": 604_800}, 201),
     ({"gracePeriodSeconds": 604_801}, 400), ({"gracePeriodSeconds": -1}, 400),
     ({"gracePeriodSeconds": 1.5}, 400), ({"gracePeriodSeconds": "5"}, 400)],
)  # fmt: skip
def test_the_grace_is_up_to_a_week(ann, made, body, status):
    assert ann.post(f"/api/keys/{made['keyId']}/rotate", body).status_code == status


def test_a_key_until_the_end_of_the_calendar_is_followed_by_one_until_then(ann):
    """Programs write it for a key that does not end."""
    last = "9999-12-31T23:59:59.999Z"
    made = ann.post("/api/keys", {"name": "ERP", "environment": "test", "expiresAt": last}).json

    answer = ann.post(f"/api/keys/{made['keyId']}/rotate")

    assert (answer.status_code, answer.json["expiresAt"]) == (201, last)


@pytest.mark.parametrize("days", [None, 3])
def test_a_key_that_is_rotated_again_within_its_grace_has_a_successor_of_the_same_life(ann, days):
    """Such as when the first answer was lost: the end of the grace is not that of the key."""
    life = None if days is None else timedelta(days=days)
    ends = {} if life is None else {"expiresAt": clock.timestamp(clock.now() + life)}
    made = ann.post("/api/keys", {"name": "ERP", "environment": "test"} | ends).json
    first = ann.post(f"/api/keys/{made['keyId']}/rotate").json
    second = ann.post(f"/api/keys/{first['keyId']}/rotate").json
    third = ann.post(f"/api/keys/{made['keyId']}/rotate").json

    for successor in (first, second, third):
        if life is None:
            assert successor["expiresAt"] is None
        else:
            left = datetime.fromisoformat(successor["expiresAt"]) - clock.now()
            assert life - timedelta(minutes=1) < left <= life


def test_without_grace_the_old_key_ends_at_once(service, ann, made):
    ann.post(f"/api/keys/{made['keyId']}/rotate", {"gracePeriodSeconds": 0})

    assert not works(service, made["key"])


def test_a_revoked_key_is_refused_and_stays_in_the_list(service, ann, made):
    """Revoking again changes nothing; it can be neither changed nor rotated."""
    path = f"/api/keys/{made['keyId']}"
    assert ann.delete(path).status_code == 204
    first = ann.get(path).json["revokedAt"]
    assert ann.delete(path).status_code == 204
    assert not works(service, made["key"])
    assert ann.get(path).json["revokedAt"] == first is not None

    assert slug(ann.patch(path, {"name": "again"})) == "conflict"
    assert slug(ann.post(f"{path}/rotate")) == "conflict"


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE", "POST"])
def test_a_key_of_another_tenant_is_not_found(service, ann, made, method):
    """404, as for an unknown id."""
    stranger = Dashboard(service)
    for key_id in (made["keyId"], str(uuid.uuid4()), "x" * 300, "%00"):
        path = f"/api/keys/{key_id}" + ("/rotate" if method == "POST" else "")
        body = {"name": "mine"} if method == "PATCH" else None
        answer = stranger.call(method, path, body)
        assert (answer.status_code, slug(answer)) == (404, "not-found")

    assert works(service, made["key"])


@pytest.mark.parametrize("path", ["/api/keys", "/api/oauth-clients"])
def test_one_more_than_the_bound_is_a_conflict(ann, monkeypatch, path):
    """409 on creation, until one is revoked (decisions 20.10)."""
    monkeypatch.setattr(issuance, "MAX_ACTIVE", 2)
    first, _ = ann.post(path, NEW), ann.post(path, NEW)
    refused = ann.post(path, NEW)

    assert (refused.status_code, slug(refused)) == (409, "conflict")
    assert refused.json["detail"].startswith("There are 2 active ")
    assert len(ann.get(path).json["items"]) == 2
    assert ann.delete(first.headers["Location"]).status_code == 204
    assert ann.post(path, NEW).status_code == 201


@pytest.mark.parametrize("name", ["ApiKeyList", "OAuthClientList"])
def test_the_length_of_lists_is_documented(service, name):
    """A page has at most 200."""
    schemas = service.test_client().get("/openapi.json").json["components"]["schemas"]

    assert schemas[name]["properties"]["items"]["maxItems"] == 200


def test_a_key_cannot_manage_keys(service):
    """A key with every scope manages no keys (decisions 9)."""
    answer = Caller(service).get("/api/keys")

    assert (answer.status_code, slug(answer)) == (401, "token-required")


def test_a_key_sees_what_it_may_do(service):
    """Whatever its scopes are."""
    caller = Caller(service, scopes=["invoices:read"], allowed_receivers=["0088:9520000000004"])
    found = caller.get("/api/credential").json

    assert found.pop("provider")
    assert found == {
        "environment": "test",
        "scopes": ["invoices:read"],
        "allowedReceivers": ["0088:9520000000004"],
    }
    assert service.test_client().get("/api/credential").status_code == 401
