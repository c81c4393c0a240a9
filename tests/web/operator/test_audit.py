"""The audit log for operators, and no document's content without a reason in the tenant's log."""

from __future__ import annotations

import uuid

import pytest

from einvoice.services.account import audit, tenants
from einvoice.services.archive import holds
from tests.web.caller import Caller, slug
from tests.web.console import OperatorProgram
from tests.web.dashboard import Dashboard


@pytest.fixture
def sent(service) -> tuple[Caller, str]:
    """A tenant's key, and the id of an invoice."""
    caller = Caller(service)
    return caller, caller.sent()


def log(service, tenant: str, **matching: str):
    with service.app_context():
        return audit.page(tenant, before=None, limit=50, matching=matching)


def artefacts(program: OperatorProgram, tenant: str, invoice: str):
    return program.get(f"/tenants/{tenant}/invoices/{invoice}/artefacts")


def test_what_operators_did_in_all_tenants_is_one_list_newest_first(service, program, person):
    with service.app_context():
        one, other = tenants.create("One"), tenants.create("Other")
    program.post(f"/tenants/{one}/suspend", {"reason": "First"})
    person.post(f"/tenants/{other}/suspend", {"reason": "Second"})
    with service.app_context(), audit.of_operator():
        holds.place(one, None, "By whom is not known")
    found = program.get("/audit?limit=3").json["items"]

    assert [(e["tenantName"], e["operator"], e["entry"]["action"]) for e in found] == [
        ("One", None, "hold.placed"),
        ("Other", "otto@operator.example", "tenant.suspended"),
        ("One", "night shift", "tenant.suspended"),
    ]
    page = person.get("/audit").text
    assert "otto@operator.example" in page
    assert "reason: Second" in page
    by_action = program.get(f"/audit?action=tenant.suspended&target={one}").json["items"]
    assert [e["tenantId"] for e in by_action] == [one]


def test_the_log_of_a_tenant_is_whole_and_pages_without_repeating(service, program, person):
    ann = Dashboard(service)
    ann.post("/api/keys", {"name": "ERP", "environment": "test"})
    program.post(f"/tenants/{ann.tenant}/suspend", {"reason": "R"})
    program.post(f"/tenants/{ann.tenant}/resume")
    path = f"/audit?tenantId={ann.tenant}&limit=2"
    first = program.get(path).json
    rest = program.get(f"{path}&cursor={first['nextCursor']}").json
    actions = [e["entry"]["action"] for e in first["items"] + rest["items"]]

    assert actions == ["tenant.resumed", "tenant.suspended", "key.created"]
    assert "key.created" in person.get(f"/audit?tenantId={ann.tenant}").text
    assert slug(program.get(f"/audit?cursor={first['nextCursor']}")) == "invalid-field"


def test_logins_and_keys_of_operators_are_in_their_own_log(service, person, program):
    items = program.get("/audit?tenantId=operator").json["items"]
    actions = [(e["entry"]["action"], e["operator"]) for e in items]

    assert ("session.opened", "otto@operator.example") in actions
    assert {e["tenantName"] for e in items} == {None}


def test_persons_of_a_tenant_do_not_appear_as_operators(service, program):
    """Whatever they write into a detail."""
    ann = Dashboard(service)
    ann.post("/api/keys", {"name": "operator", "environment": "test"})
    [entry] = program.get(f"/audit?tenantId={ann.tenant}").json["items"]

    assert entry["operator"] is None


def test_the_documents_of_an_invoice_are_listed_without_content(program, person, sent):
    caller, invoice = sent
    items = artefacts(program, caller.tenant, invoice).json["items"]
    page = person.get(f"/tenants/{caller.tenant}/invoices/{invoice}").text

    assert {"UBL", "ORIGINAL"} <= {item["kind"] for item in items}
    assert all(set(item) == {
        "artefactId", "kind", "contentType", "sizeBytes", "sha256", "createdAt",
    } for item in items)  # fmt: skip
    assert "Sandbox Buyer" not in page
    assert log_is_empty(program, caller)


def log_is_empty(program: OperatorProgram, caller: Caller) -> bool:
    return log(program.app, caller.tenant, action="document.read") == []


def test_content_is_read_once_the_reason_is_in_the_log_of_the_tenant(
    service, program, person, sent
):
    caller, invoice = sent
    items = artefacts(program, caller.tenant, invoice).json["items"]
    ubl = next(item["artefactId"] for item in items if item["kind"] == "UBL")
    path = f"/tenants/{caller.tenant}/invoices/{invoice}/artefacts/{ubl}"
    read = program.post(f"{path}/content", {"reason": "Ticket 4711"})
    page = person.post(path, {"reason": "Ticket 4712"})

    assert read.status_code == page.status_code == 200
    assert b"<cbc:ID>" in read.get_data()
    assert read.get_data() == page.get_data()
    assert read.headers["Content-Disposition"].startswith("attachment; ")
    found = [(e.target, e.detail) for e in log(service, caller.tenant, action="document.read")]
    assert found == [
        (
            invoice,
            {"reason": "Ticket 4712", "artefactId": ubl, "operator": "otto@operator.example"},
        ),
        (invoice, {"reason": "Ticket 4711", "artefactId": ubl, "operator": "night shift"}),
    ]
    told = Dashboard(service, caller.tenant).get("/api/audit?action=document.read").json["items"]
    assert [entry["detail"]["reason"] for entry in told] == ["Ticket 4712", "Ticket 4711"]


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": " \n"}, {"reason": "x" * 501}])
def test_without_a_reason_nothing_is_read(program, person, sent, body):
    caller, invoice = sent
    ubl = artefacts(program, caller.tenant, invoice).json["items"][0]["artefactId"]
    path = f"/tenants/{caller.tenant}/invoices/{invoice}/artefacts/{ubl}"

    for answer in (program.post(f"{path}/content", body), person.post(path, body)):
        assert answer.status_code == 400
        assert b"<cbc:ID>" not in answer.get_data()
    assert log_is_empty(program, caller)


def test_content_that_cannot_be_logged_is_not_shown(program, sent, monkeypatch):
    """The entry is committed before the content is sent."""
    caller, invoice = sent
    ubl = artefacts(program, caller.tenant, invoice).json["items"][0]["artefactId"]

    def full(*_, **__):
        raise OSError("no space")

    monkeypatch.setattr(audit.stored, "add", full)
    answer = program.post(
        f"/tenants/{caller.tenant}/invoices/{invoice}/artefacts/{ubl}/content", {"reason": "R"}
    )

    assert answer.status_code == 500
    assert b"<cbc:ID>" not in answer.get_data()


def test_documents_are_found_under_their_own_tenant_and_invoice_only(service, program, sent):
    caller, invoice = sent
    other = Caller(service)
    ubl = artefacts(program, caller.tenant, invoice).json["items"][0]["artefactId"]
    for tenant, one, artefact in (
        (other.tenant, invoice, ubl),
        (caller.tenant, str(uuid.uuid4()), ubl),
        (caller.tenant, invoice, str(uuid.uuid4())),
        (str(uuid.uuid4()), invoice, ubl),
    ):
        path = f"/tenants/{tenant}/invoices/{one}/artefacts/{artefact}/content"
        assert slug(program.post(path, {"reason": "R"})) == "not-found"
    assert log(service, other.tenant) == []


def test_a_key_without_the_scope_reads_no_content(service, sent):
    caller, invoice = sent
    manager = OperatorProgram(service, ("operator:read", "operator:manage"))
    ubl = artefacts(manager, caller.tenant, invoice).json["items"][0]["artefactId"]
    path = f"/tenants/{caller.tenant}/invoices/{invoice}/artefacts/{ubl}/content"

    assert slug(manager.post(path, {"reason": "R"})) == "insufficient-scope"


def test_an_invoice_is_found_by_the_id_that_was_typed_in(person, sent):
    caller, invoice = sent
    found = person.get(f"/tenants/{caller.tenant}/invoices?invoiceId={invoice}")

    assert "What there is" in person.followed(found).text
