"""Setting up tenants and platforms by operators, as JSON and at the console."""

from __future__ import annotations

import re
import uuid

import pytest

from einvoice.services.account import audit, tenants
from tests.web.caller import slug
from tests.web.dashboard import Dashboard
from tests.web.platform import Platform


def owned(service, tenant: str) -> list[tuple[str, str, str]]:
    with service.app_context():
        return [(o.environment, o.participant, o.status) for o in tenants.owned(tenant)]


def test_a_tenant_is_created_with_its_operator_in_its_log(service, program, person):
    answer = program.post("/tenants", {"name": "Brewery Ltd"})
    tenant = answer.json["tenantId"]
    page = person.post("/tenants/new", {"name": "Bakery"})

    assert (answer.status_code, answer.headers["Location"]) == (
        201, f"/api/operator/tenants/{tenant}",
    )  # fmt: skip
    assert "Bakery" in person.followed(page).text
    with service.app_context():
        [entry] = audit.page(tenant, before=None, limit=2, matching={})
    assert (entry.action, entry.detail["operator"]) == ("tenant.created", "night shift")


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "\x00"])
def test_a_tenant_needs_a_name(program, person, name):
    assert program.post("/tenants", {"name": name}).status_code == 400
    assert person.post("/tenants/new", {"name": name}).status_code == 400


def test_a_number_is_verified_with_the_claims_that_it_proves_and_removed(service, program, person):
    tenant = program.post("/tenants", {"name": "Numbers"}).json["tenantId"]
    claim = {"participantId": "0208:0123456749", "environment": "live"}
    Dashboard(service, tenant).post("/api/participants", claim)
    found = program.post(f"/tenants/{tenant}/numbers/add", {"number": "BE 0123.456.749"})

    assert found.json["verifiedNumbers"] == ["BE0123456749"]
    assert owned(service, tenant) == [("live", "0208:0123456749", "verified")]
    page = person.post(f"/tenants/{tenant}/numbers", {"number": "BE0123456749", "remove": "yes"})
    assert page.status_code == 303
    assert program.get(f"/tenants/{tenant}").json["verifiedNumbers"] == []
    for answer in (
        program.post(f"/tenants/{tenant}/numbers/add", {"number": "4711"}),
        program.post(f"/tenants/{tenant}/numbers/remove", {"number": "9999:1"}),
        person.post(f"/tenants/{tenant}/numbers", {"number": "4711"}),
    ):
        assert answer.status_code == 400


def test_a_participant_id_is_assigned_to_one_tenant(service, program, person):
    one, other = (program.post("/tenants", {"name": n}).json["tenantId"] for n in ("One", "Other"))
    body = {"participantId": "0208:0403.019.261", "environment": "live"}
    first = program.post(f"/tenants/{one}/participants", body)
    second = program.post(f"/tenants/{other}/participants", body)
    page = person.post(f"/tenants/{other}/participants", body)

    assert (first.status_code, slug(second), page.status_code) == (200, "conflict", 409)
    assert owned(service, one) == [("live", "0208:0403019261", "verified")]
    assert owned(service, other) == []
    wrong = program.post(f"/tenants/{other}/participants", body | {"participantId": "x"})
    assert slug(wrong) == "invalid-field"


def test_sessions_of_a_tenant_are_ended(service, program, person, monkeypatch):
    ann = Dashboard(service)
    token = ann.token
    assert program.post(f"/tenants/{ann.tenant}/sessions/end").status_code == 200
    page = person.followed(person.post(f"/tenants/{ann.tenant}/sessions/end"))
    answer = service.test_client().get("/api/session", headers={"Authorization": f"Bearer {token}"})

    assert "Its sessions have ended." in page.text
    assert (answer.status_code, slug(answer)) == (401, "session-ended")


def test_a_platform_is_trusted_and_gets_a_tenant(service, program, person):
    platform = Platform(service)
    tenant = program.post("/tenants", {"name": "Adopted"}).json["tenantId"]
    [listed] = [
        p for p in program.get("/platforms").json["items"] if p["platformId"] == platform.id
    ]
    trusted = program.call(
        "PUT", f"/api/operator/platforms/{platform.id}/trust", {"verifiesNumbers": True}
    )
    form = {"platformId": platform.id, "externalId": "customer-17"}
    page = person.followed(person.post(f"/tenants/{tenant}/platform", form))

    assert (listed["tenants"], listed["verifiesNumbers"]) == (0, False)
    assert trusted.json["verifiesNumbers"] is True
    assert "customer-17" in page.text
    assert program.get(f"/tenants?platformId={platform.id}").json["items"][0]["tenantId"] == tenant
    assert tenant in person.get(f"/tenants?platform={platform.id}").text
    again = program.post(
        f"/platforms/{platform.id}/tenants", {"tenantId": tenant, "externalId": "b"}
    )
    assert slug(again) == "conflict"
    shown = person.followed(person.post(f"/tenants/{platform.id}/trust"))
    assert re.search("does not verify numbers", shown.text)


def test_what_is_no_platform_or_tenant_is_not_found(program, person):
    tenant = program.post("/tenants", {"name": "None"}).json["tenantId"]
    path = f"/api/operator/platforms/{tenant}/trust"
    nothing = str(uuid.uuid4())

    assert slug(program.call("PUT", path, {"verifiesNumbers": True})) == "not-found"
    assert person.post(f"/tenants/{tenant}/trust").status_code == 404
    assert slug(program.post(f"/tenants/{nothing}/sessions/end")) == "not-found"
    assert person.post(f"/tenants/{nothing}/numbers", {"number": "BE0123456749"}).status_code == 404
