"""Keys, OAuth clients, webhooks and connections of tenants, and their end, by operators."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask

import einvoice_loopback
from einvoice.domain.operators import DEFAULT_SCOPES
from einvoice.services.account import audit
from einvoice.web.runtime import runtime_of
from tests.networks.toll.accounts import TollAccountsPlugin
from tests.web.caller import Caller, slug
from tests.web.console import OperatorPerson, OperatorProgram
from tests.web.dashboard import Dashboard

UNKNOWN = "0193a1c2-0000-7000-8000-000000000000"
STATION = {
    "environment": "test",
    "network": "toll-station",
    "account": "RO 1",
    "credentials": {"user": "toll", "password": "hunter2-secret"},
}


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask]) -> Flask:
    return build([einvoice_loopback, TollAccountsPlugin()])


def actions(service: Flask, tenant: str) -> list[tuple[str, str]]:
    """What was done to a tenant, and by which operator, the newest first."""
    with service.app_context():
        found = audit.page(tenant, before=None, limit=50, matching={})
    done = [one for one in found if one.action != "authentication.failed"]
    return [(one.action, one.detail.get("operator", "")) for one in done]


def works(service: Flask, key: str) -> bool:
    """Whether the key is answered by a process that has not seen it before."""
    runtime_of(service).caches.clear()
    answer = service.test_client().get("/api/invoices", headers={"x-api-key": key})
    return answer.status_code == 200


def secret_of(page) -> str:
    [found] = re.findall(r'<p class="mono">([^<]+)</p>', page.text)
    return str(found)


def test_a_key_is_issued_limited_rotated_and_revoked(service, program, tenant):
    path = f"/tenants/{tenant}/credentials"
    made = program.post(path, {"kind": "key", "name": "ERP", "environment": "test"})
    one = f"{path}/{made.json['credentialId']}"
    limited = program.call("PUT", f"/api/operator{one}/limits", {"get": 7})
    [shown] = program.get(path).json["items"]
    rotated = program.post(f"{one}/rotate")
    before = works(service, made.json["secret"]), works(service, rotated.json["secret"])
    ended = program.post(f"{path}/{rotated.json['credentialId']}/revoke")

    assert (made.status_code, limited.status_code, ended.status_code) == (201, 204, 204)
    assert (shown["get"], shown["post"], shown["kind"]) == (7, None, "key")
    assert made.json["secret"] not in program.get(path).text
    assert before == (True, True)
    assert not works(service, rotated.json["secret"])
    done = ["key.revoked", "key.rotated", "key.limited", "key.created"]
    assert actions(service, tenant)[:4] == [(action, "night shift") for action in done]


def test_a_client_is_issued_on_the_page_and_its_secret_is_shown_once(service, person, tenant):
    form = {"kind": "oauth-client", "name": "Cloud", "environment": "test"}
    page = person.post(f"/tenants/{tenant}/credentials", form | {"scopes": "invoices:read"})
    secret, again = secret_of(page), person.get(f"/tenants/{tenant}/access")

    assert page.headers["Cache-Control"] == "no-store"
    assert "Cloud" in again.text
    assert "invoices:read" in again.text
    assert secret not in again.text
    assert actions(service, tenant)[0] == ("oauthClient.created", "otto@operator.example")


def test_a_key_is_revoked_and_limited_on_the_page(service, program, person, tenant):
    path = f"/tenants/{tenant}/credentials"
    made = program.post(path, {"kind": "key", "name": "ERP", "environment": "test"}).json
    one = f"{path}/{made['credentialId']}"
    saved = person.followed(person.post(one, {"get": "30", "post": ""}))
    refused = person.post(one, {"get": "many"})
    gone = person.followed(person.post(one, {"do": "revoke"}))

    assert 'value="30"' in saved.text
    assert refused.status_code == 400
    assert "It is revoked." in gone.text
    assert not works(service, made["secret"])


def test_a_webhook_is_tested_disabled_and_enabled(service, program, person):
    ann = Dashboard(service)
    hook = ann.post("/api/webhooks", {"url": "https://erp.example/h", "environment": "test"})
    path = f"/tenants/{ann.tenant}/webhooks/{hook.json['webhookId']}"
    tested = program.post(f"{path}/test")
    disabled = program.post(f"{path}/disable").json["status"]
    enabled = person.followed(person.post(path, {"do": "enable"}))

    assert tested.status_code == 200, tested.text
    assert disabled == "disabled"
    assert "active" in enabled.text
    listed = program.get(f"/tenants/{ann.tenant}/webhooks")
    assert [one["status"] for one in listed.json["items"]] == ["active"]
    assert hook.json["secret"] not in listed.text + enabled.text


def test_a_connection_is_checked_gets_a_link_and_is_revoked(service, program, person):
    ann = Dashboard(service)
    made = ann.post("/api/connections", STATION).json["connectionId"]
    path = f"/tenants/{ann.tenant}/connections"
    checked = program.post(f"{path}/{made}/check")
    page = person.post(f"{path}/{made}", {"do": "link"})
    link = secret_of(page)
    opened = service.test_client().get("/connect/" + link.rpartition("/")[2])
    ended = person.followed(person.post(f"{path}/{made}", {"do": "revoke"}))

    assert checked.json["state"] == "active"
    assert (opened.status_code, "RO1" in opened.text) == (200, True)
    assert "It is revoked." in ended.text
    [shown] = program.get(path).json["items"]
    assert (shown["connectionId"], shown["state"]) == (made, "revoked")
    assert service.test_client().get("/connect/" + link.rpartition("/")[2]).status_code == 404


def test_a_link_is_made_for_a_network(service, program, person, tenant):
    body = {"environment": "test", "network": "toll-station", "account": "RO 5"}
    made = program.post(f"/tenants/{tenant}/connection-links", body)
    page = person.post(
        f"/tenants/{tenant}/connection-links", {"network": "toll-station-test", "account": "RO 6"}
    )
    wrong = person.post(f"/tenants/{tenant}/connection-links", {"network": "nowhere"})

    assert made.status_code == 201
    assert "/connect/" in made.json["url"]
    assert "/connect/" in secret_of(page)
    assert wrong.status_code == 400
    assert [one[0] for one in actions(service, tenant)[:2]] == ["connectionLink.created"] * 2


def test_name_and_switches_are_changed(service, program, person, tenant):
    path = f"/api/operator/tenants/{tenant}"
    body = {"name": "Brewery and Sons", "strictIdempotency": True}
    changed = program.call("PATCH", path, body)
    page = person.followed(
        person.post(f"/tenants/{tenant}/change", {"name": "B & S", "rejectDuplicateNumbers": "yes"})
    )

    assert changed.json["name"] == "Brewery and Sons"
    assert "B &amp; S" in page.text
    assert 'name="rejectDuplicateNumbers" value="yes" checked' in page.text
    assert 'name="strictIdempotency" value="yes">' in page.text
    assert program.call("PATCH", path, {"name": None}).status_code == 400


def test_a_tenant_is_closed_by_its_id_only(service, program, person, tenant):
    key = program.post(
        f"/tenants/{tenant}/credentials", {"kind": "key", "name": "k", "environment": "test"}
    ).json["secret"]
    refused = [
        program.post(f"/tenants/{tenant}/close", {"confirm": "Brewery Ltd"}),
        person.post(f"/tenants/{tenant}/close", {"confirm": ""}),
    ]
    still = works(service, key)
    page = person.followed(person.post(f"/tenants/{tenant}/close", {"confirm": tenant}))
    again = program.post(f"/tenants/{tenant}/close", {"confirm": tenant})

    assert ([one.status_code for one in refused], still) == ([400, 400], True)
    assert "The tenant is closed." in page.text
    assert (again.status_code, again.json["state"]) == (200, "closed")
    assert not works(service, key)
    assert actions(service, tenant)[0] == ("tenant.closed", "otto@operator.example")


def test_a_person_is_erased_once_it_was_shown_what_that_is(service, program, person):
    ann = Dashboard(service)
    ann.post("/api/keys", {"name": "k", "environment": "test"})
    path = f"/tenants/{ann.tenant}/erase"
    shown = program.post(path, {"subject": "ann@example.com"})
    page = person.post(path, {"subject": "ann@example.com"})
    wrong = person.post(path, {"subject": "ann@example.com", "confirm": "x"})
    before = actions(service, ann.tenant)
    done = program.post(path, {"subject": "ann@example.com", "confirm": ann.tenant})

    assert shown.json["pseudonym"] is None
    assert shown.json["auditEntries"] == 1
    assert "What would be erased" in page.text
    assert (wrong.status_code, len(before)) == (400, 1)
    assert done.json["pseudonym"].startswith("erased-")
    assert actions(service, ann.tenant)[0] == ("person.erased", "night shift")


def test_a_key_that_reads_changes_nothing(service, tenant):
    reader = OperatorProgram(service, DEFAULT_SCOPES)
    path = f"/tenants/{tenant}"
    listed = [reader.get(f"{path}/{name}") for name in ("credentials", "webhooks", "connections")]
    refused = [
        reader.post(f"{path}/credentials", {"kind": "key", "name": "k", "environment": "test"}),
        reader.post(f"{path}/close", {"confirm": tenant}),
        reader.post(f"{path}/erase", {"subject": "ann"}),
        reader.call("PATCH", f"/api/operator{path}", {"name": "x"}),
    ]

    assert [answer.status_code for answer in listed] == [200] * 3
    assert [slug(answer) for answer in refused] == ["insufficient-scope"] * 4


def test_what_another_tenant_has_is_not_found_below_this_one(service, program, person, tenant):
    other = Dashboard(service)
    key = other.post("/api/keys", {"name": "k", "environment": "test"}).json["keyId"]
    hook = other.post("/api/webhooks", {"url": "https://e.example/h", "environment": "test"})
    connection = other.post("/api/connections", STATION).json["connectionId"]
    for path in (
        f"credentials/{key}/revoke",
        f"credentials/{UNKNOWN}/rotate",
        f"webhooks/{hook.json['webhookId']}/disable",
        f"connections/{connection}/revoke",
    ):
        assert program.post(f"/tenants/{tenant}/{path}").status_code == 404, path
    for path in (f"credentials/{key}", f"connections/{connection}"):
        assert person.post(f"/tenants/{tenant}/{path}", {"do": "revoke"}).status_code == 404
    assert person.get(f"/tenants/{UNKNOWN}/access").status_code == 404
    assert other.get(f"/api/connections/{connection}").json["state"] == "active"


def test_hostile_names_are_shown_as_text(service, program, person, tenant):
    hostile = "<script>alert(1)</script>"
    program.post(
        f"/tenants/{tenant}/credentials", {"kind": "key", "name": hostile, "environment": "test"}
    )
    program.call("PATCH", f"/api/operator/tenants/{tenant}", {"name": hostile})
    page = person.get(f"/tenants/{tenant}/access")

    assert page.status_code == 200
    assert "<script>alert" not in page.text
    long = person.post(f"/tenants/{tenant}/erase", {"subject": "x" * 100_000})
    assert long.status_code == 400


def test_a_closed_tenant_gets_no_key_and_no_link(service, program, tenant):
    program.post(f"/tenants/{tenant}/close", {"confirm": tenant})
    body = {"kind": "key", "name": "k", "environment": "test"}
    refused = (
        program.post(f"/tenants/{tenant}/credentials", body),
        program.post(
            f"/tenants/{tenant}/connection-links",
            {"environment": "test", "network": "toll-station"},
        ),
    )

    assert [slug(answer) for answer in refused] == ["account-closed"] * 2
    assert OperatorPerson(service).get(f"/tenants/{tenant}/access").status_code == 200
    assert Caller(service).get("/api/invoices").status_code == 200
