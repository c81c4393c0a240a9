"""Tenants and decisions: the same as JSON and at the console, in the audit log by name."""

from __future__ import annotations

import uuid

import pytest

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import audit, claims, tenants
from einvoice.services.caches import Caches
from tests.web.caller import Caller, slug
from tests.web.console import OperatorProgram
from tests.web.platform import Platform

IDENTIFICATION = {
    "method": "register-extract",
    "numbers": ["0208:0123456749"],
    "identifiedAt": "2026-11-20T09:00:00Z",
    "identifiedBy": "ann@erp.example",
    "files": [{"name": "extract <1>.html", "contentType": "text/html", "content": "PGI+aGk8L2I+"}],
}


def made(service, name: str) -> str:
    with service.app_context():
        return tenants.create(name)


def newest(service, tenant: str):
    with service.app_context():
        return audit.page(tenant, before=None, limit=1, matching={})[0]


def claimed(service, tenant: str, participant: str) -> None:
    with service.app_context():
        claims.claim(tenant, Environment.LIVE, ParticipantId.parse(participant), Caches())


def test_a_tenant_is_found_by_a_part_of_its_name_or_by_its_id(service, program, person):
    mark = uuid.uuid4().hex[:8]
    one, other = made(service, f"Brewery {mark} 100%"), made(service, f"Bakery {mark}")
    for text in (f"brewery {mark}", f"{mark} 100%", one):
        items = program.get(f"/tenants?q={text.replace('%', '%25')}").json["items"]
        assert [item["tenantId"] for item in items] == [one]
        page = person.get(f"/tenants?q={text.replace('%', '%25')}").text
        assert one in page
        assert other not in page


def test_a_list_of_tenants_pages_without_repeating_one(service, program):
    mark = uuid.uuid4().hex[:8]
    ids = {made(service, f"{mark} {number}") for number in range(5)}
    seen, cursor = [], ""
    while True:
        answer = program.get(f"/tenants?q={mark}&limit=2{cursor}").json
        seen += [item["tenantId"] for item in answer["items"]]
        if not answer["hasMore"]:
            break
        cursor = f"&cursor={answer['nextCursor']}"

    assert len(seen) == 5
    assert set(seen) == ids


def test_what_a_tenant_has_sent_this_month_is_shown(service, program, person):
    caller = Caller(service)
    caller.sent()
    months = {
        one["environment"]: one for one in program.get(f"/tenants/{caller.tenant}").json["months"]
    }

    assert months["test"] == {"environment": "test", "sent": 1, "failed": 0, "received": 0}
    assert months["live"]["sent"] == 0
    assert "1 sent" in person.get(f"/tenants/{caller.tenant}").text


def test_a_tenant_is_suspended_with_a_reason_and_resumed(service, program):
    caller = Caller(service)
    answer = program.post(f"/tenants/{caller.tenant}/suspend", {"reason": "May is unpaid"})
    entry = newest(service, caller.tenant)

    assert (answer.status_code, answer.json["state"]) == (200, "suspended")
    assert answer.json["suspensionReason"] == "May is unpaid"
    assert (entry.action, entry.actor, entry.actor_kind) == (
        "tenant.suspended", "operator", "operator",
    )  # fmt: skip
    assert entry.detail == {"reason": "May is unpaid", "operator": "night shift"}
    assert program.post(f"/tenants/{caller.tenant}/resume").json["state"] == "active"


def test_the_console_does_the_same_under_the_name_of_the_person(service, person):
    tenant = made(service, "Suspended at the console")
    page = person.followed(person.post(f"/tenants/{tenant}/suspend", {"reason": "May <b>"}))
    entry = newest(service, tenant)

    assert "The tenant is suspended." in page.text
    assert "May &lt;b&gt;" in page.text
    assert entry.detail["operator"] == "otto@operator.example"
    assert entry.address == "127.0.0.1"
    assert "sends again" in person.followed(person.post(f"/tenants/{tenant}/resume")).text


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_nothing_is_done_without_a_reason_that_is_kept_whole(service, program, person, reason):
    tenant = made(service, "Not suspended")
    page = person.post(f"/tenants/{tenant}/suspend", {"reason": reason})
    answer = program.post(f"/tenants/{tenant}/suspend", {"reason": reason})

    assert (page.status_code, answer.status_code) == (400, 400)
    assert 'role="alert"' in page.text
    assert answer.json["errors"][0]["pointer"] == "/reason"
    assert program.get(f"/tenants/{tenant}").json["state"] == "active"


def test_a_plan_is_set_and_removed(service, program, person):
    tenant = made(service, "With a plan")
    path = f"/api/operator/tenants/{tenant}/plan"
    answer = program.call("PUT", path, {"monthlyDocuments": 10, "networks": ["peppol"]})
    assert answer.json["plan"] == {
        "monthlyDocuments": 10, "aboveLimit": "refuse", "networks": ["peppol"],
        "users": None, "retentionYears": None,
    }  # fmt: skip
    form = {"monthlyDocuments": "20", "aboveLimit": "wait", "networks": "peppol, ksef"}
    form |= {"users": "3", "retentionYears": "12"}
    page = person.followed(person.post(f"/tenants/{tenant}/plan", form))
    assert "20 documents a month, above them: wait. Networks: ksef, peppol." in page.text
    assert "People: 0 of 3. Documents are kept for 12 years" in page.text
    person.post(f"/tenants/{tenant}/plan", {"remove": "yes"})

    assert program.get(f"/tenants/{tenant}").json["plan"] is None
    assert program.call("DELETE", path).status_code == 200


@pytest.mark.parametrize("documents", ["-1", "many", "1" * 30])
def test_a_plan_that_is_none_is_refused(service, person, documents):
    tenant = made(service, "Without a plan")
    form = {"monthlyDocuments": documents, "aboveLimit": "wait", "networks": ""}
    answer = person.post(f"/tenants/{tenant}/plan", form)

    assert answer.status_code == 400
    assert "monthlyDocuments" in answer.text


def test_a_claim_is_listed_and_decided(service, program, person):
    """Both ways, each with a reason that the tenant sees."""
    tenant = made(service, "Claims two")
    for number in ("0208:0403019261", "0208:0404616494"):
        claimed(service, tenant, number)
    listed = [c for c in program.get("/claims").json["items"] if c["tenantId"] == tenant]
    body = {"tenantId": tenant, "participantId": "0208:0403.019.261", "reason": "Extract"}
    approved = program.post("/claims/approve", body)
    form = {"tenantId": tenant, "participantId": "0208:0404616494", "environment": "live"}
    rejected = person.followed(
        person.post("/decisions/claims", form | {"decision": "reject", "reason": "Another one"})
    )

    assert [c["participantId"] for c in listed] == ["0208:0403019261", "0208:0404616494"]
    assert (approved.status_code, approved.json["status"]) == (200, "verified")
    assert "The claim is rejected." in rejected.text
    with service.app_context():
        found = {one.participant: (one.status, one.reason) for one in tenants.owned(tenant)}
    assert found == {
        "0208:0403019261": ("verified", "Extract"),
        "0208:0404616494": ("rejected", "Another one"),
    }
    again = program.post("/claims/approve", body)
    assert (again.status_code, slug(again)) == (409, "conflict")


def test_two_claims_of_one_id_are_contested_and_one_is_verified(service, program):
    first, second = made(service, "First"), made(service, "Second")
    for tenant in (first, second):
        claimed(service, tenant, "0208:0405502362")
    listed = [c for c in program.get("/claims").json["items"] if c["tenantId"] in {first, second}]
    body = {"participantId": "0208:0405502362", "reason": "Extract"}
    answers = [program.post("/claims/approve", body | {"tenantId": t}) for t in (first, second)]

    assert [one["contested"] for one in listed] == [True, True]
    assert [answer.status_code for answer in answers] == [200, 409]


def identified(service, platform: Platform, external_id: str) -> tuple[str, str]:
    """(tenant, identification) of a platform that is not trusted."""
    tenant = platform.created(external_id)
    path = f"/api/platform/tenants/{external_id}/identifications"
    return tenant, platform.post(path, IDENTIFICATION).json["identificationId"]


def test_an_identification_is_decided_and_its_file_read_with_a_reason(service, program, person):
    tenant, identification = identified(service, Platform(service), "t-1")
    [listed] = [i for i in program.get("/identifications").json["items"] if i["tenantId"] == tenant]
    file = listed["identification"]["files"][0]["fileId"]
    path = f"/identifications/{identification}/files/{file}/content"

    assert program.post(path, {"reason": " "}).status_code == 400
    read = program.post(path, {"reason": "Checks the extract"})
    assert (read.status_code, read.get_data()) == (200, b"<b>hi</b>")
    assert read.mimetype == "application/octet-stream"
    assert read.headers["Content-Disposition"].startswith("attachment; ")
    entry = newest(service, tenant)
    assert (entry.action, entry.target) == ("identification.file-read", file)
    assert entry.detail["reason"] == "Checks the extract"
    page = person.post(f"/decisions/identifications/{identification}/files/{file}", {"reason": "R"})
    assert page.get_data() == b"<b>hi</b>"

    decided = program.post(
        f"/identifications/{identification}/decide", {"verified": True, "reason": "It is right"}
    )
    assert (decided.status_code, decided.json["status"]) == (200, "verified")
    assert program.get(f"/tenants/{tenant}").json["verifiedNumbers"] == ["0208:0123456749"]
    again = person.post(
        f"/decisions/identifications/{identification}", {"decision": "reject", "reason": "No"}
    )
    assert again.status_code == 409


def test_a_file_of_another_identification_is_not_found(service, program):
    platform = Platform(service)
    _, one = identified(service, platform, "a-1")
    tenant, _ = identified(service, platform, "a-2")
    [listed] = [i for i in program.get("/identifications").json["items"] if i["tenantId"] == tenant]
    file = listed["identification"]["files"][0]["fileId"]

    answer = program.post(f"/identifications/{one}/files/{file}/content", {"reason": "R"})
    assert (answer.status_code, slug(answer)) == (404, "not-found")


def test_a_reader_does_not_read_files(service):
    """Their content needs a scope of its own."""
    _, identification = identified(service, Platform(service), "r-1")
    manager = OperatorProgram(service, ("operator:read", "operator:manage"))
    path = f"/identifications/{identification}/files/{uuid.uuid4()}/content"

    assert slug(manager.post(path, {"reason": "R"})) == "insufficient-scope"


def test_a_refusal_is_a_page_with_a_banner_and_the_id_of_the_request(service, person):
    for path in (f"/tenants/{uuid.uuid4()}", "/nothing"):
        answer = person.get(path)

        assert answer.status_code == 404, path
        assert 'role="alert"' in answer.text, path
        assert answer.headers["X-Request-Id"] in answer.text, path


def test_the_address_of_a_form_leads_to_the_page_above_it(service, person):
    tenant = made(service, "Above")
    answer = person.get(f"/tenants/{tenant}/suspend")

    assert (answer.status_code, answer.headers["Location"]) == (303, f"/operator/tenants/{tenant}")


def test_a_post_of_operators_refuses_an_idempotency_key(service, program):
    tenant = made(service, "Key")
    answer = program.call("POST", f"/api/operator/tenants/{tenant}/resume", {}, Idempotency_Key="k")

    assert (answer.status_code, slug(answer)) == (400, "idempotency-key-unsupported")
