"""The pages of API keys and OAuth clients."""

from __future__ import annotations

import re

import pytest

from einvoice.domain.roles import Role
from einvoice.web.runtime import runtime_of
from tests.web.pages.visitor import Visitor

KEYS, CLIENTS = "/dashboard/developers/keys", "/dashboard/developers/clients"
FORM = {"name": "ERP", "scopes": ["invoices:send", "invoices:read"]}


@pytest.fixture
def visitor(app) -> Visitor:
    one = Visitor(app)
    one.post("/dashboard/preferences", {"environment": "test"})
    return one


def secret_of(answer) -> str:
    assert answer.status_code == 200, answer.text
    return re.search(r'id="secret" readonly value="([^"]+)"', answer.text)[1]


def id_of(visitor, path=KEYS) -> str:
    return re.search(rf"{path}/([\w-]+)/rotate", visitor.get(path).text)[1]


def status_with(app, key) -> int:
    return app.test_client().get("/api/invoices", headers={"x-api-key": key}).status_code


@pytest.mark.parametrize("path", [KEYS, CLIENTS])
def test_a_secret_is_shown_once(visitor, path):
    secret = secret_of(visitor.followed(visitor.post(path, FORM)))
    page = visitor.get(path).text

    assert "ERP" in page
    assert secret not in page


def test_a_key_works_until_it_is_revoked(app, visitor):
    key = secret_of(visitor.followed(visitor.post(KEYS, FORM)))
    assert key.startswith("sk_test_")
    assert status_with(app, key) == 200
    done = visitor.post(f"{KEYS}/{id_of(visitor)}/revoke")

    assert "It is revoked." in visitor.get(done.headers["Location"]).text
    runtime_of(app).caches.clear()  # without Redis a process notices it within a second
    assert status_with(app, key) == 401


def test_a_rotated_key_is_followed_by_another_and_both_work(app, visitor):
    first = secret_of(visitor.followed(visitor.post(KEYS, FORM)))
    second = secret_of(visitor.followed(visitor.post(f"{KEYS}/{id_of(visitor)}/rotate")))

    assert first != second
    assert [status_with(app, key) for key in (first, second)] == [200, 200]


def test_scopes_addresses_and_receivers_are_kept(app, visitor):
    given = {"allowedIps": "192.0.2.0/24 198.51.100.7", "allowedReceivers": "0208:0123456749"}
    visitor.post(KEYS, FORM | given)
    (key,) = visitor.person.get("/api/keys").json["items"]

    assert key["scopes"] == FORM["scopes"]
    assert key["allowedIps"] == ["192.0.2.0/24", "198.51.100.7"]
    assert key["allowedReceivers"] == ["0208:0123456749"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"expiresAt": "2020-01-01"}, "expiresAt"),
        ({"allowedIps": "somewhere"}, "allowedIps"),
    ],
)
def test_a_wrong_form_keeps_what_was_typed_and_makes_no_key(visitor, change, field):
    answer = visitor.post(KEYS, FORM | {"expiresAt": "2031-05-05"} | change)

    assert answer.status_code == 409
    assert re.search(rf'id="{field}(-error)?"|id="{field}[.\d]*-error"', answer.text)
    assert 'value="invoices:send" checked' in answer.text
    assert 'value="webhooks:manage" checked' not in answer.text
    assert visitor.person.get("/api/keys").json["items"] == []


def test_keys_are_for_administrators_of_the_account(app, visitor):
    visitor.post(KEYS, FORM)
    key = id_of(visitor)
    stranger, member = Visitor(app), Visitor(app, visitor.tenant, Role.MEMBER)

    assert member.get(KEYS).status_code == 403
    assert member.post(KEYS, FORM).status_code == 403
    for action in ("rotate", "revoke"):
        assert stranger.post(f"{KEYS}/{key}/{action}").status_code == 404
    assert "ERP" not in stranger.get(f"{KEYS}?environment=test").text
