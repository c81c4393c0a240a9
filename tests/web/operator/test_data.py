"""Exports and purges of tenants by operators, and platforms with their keys."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from einvoice.services.account import audit
from tests.builders import accepted
from tests.web.caller import slug
from tests.web.console import OperatorProgram
from tests.web.dashboard import Dashboard
from tests.workers import write_export


def entries(service, tenant: str) -> list[audit.AuditRecord]:
    with service.app_context():
        return list(audit.page(tenant, before=None, limit=50, matching={}))


def test_an_export_is_written_and_read_with_a_reason(service, program, person, tenant):
    """The file has documents: without a reason it is not sent, and the log has the reason."""
    with service.app_context():
        accepted(tenant, number="E-1")
    asked = program.post(f"/tenants/{tenant}/exports")
    path = asked.headers["Location"].removeprefix("/api/operator")
    early = program.post(f"{path}/file", {"reason": "Ticket 7"})
    write_export(service, tenant)
    shown = person.get(f"/tenants/{tenant}/data").text
    without = [program.post(f"{path}/file"), person.post(f"{path}/file", {"reason": " "})]
    file = program.post(f"{path}/file", {"reason": "Ticket 7"})
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        names = archive.namelist()
    page = person.post(f"{path}/file", {"reason": "Ticket 8"})
    size = len(page.data)

    assert (asked.status_code, early.status_code) == (202, 404)
    assert program.get(path).json["status"] == "done"
    assert "Download it" in shown
    assert [answer.status_code for answer in without] == [400, 400]
    assert "manifest.json" in names
    assert size == len(file.data)
    reads = [one for one in entries(service, tenant) if one.action == "tenant.export-downloaded"]
    assert [one.detail["reason"] for one in reads] == ["Ticket 8", "Ticket 7"]
    assert reads[1].detail["operator"] == "night shift"


def test_one_export_runs_at_a_time(program, person, tenant):
    first = person.followed(person.post(f"/tenants/{tenant}/exports"))
    second = person.post(f"/tenants/{tenant}/exports")

    assert "A worker writes the export" in first.text
    assert second.status_code == 409
    assert slug(program.post(f"/tenants/{tenant}/exports")) == "conflict"


def test_a_key_without_documents_reads_no_export(service, tenant):
    manager = OperatorProgram(service, ("operator:read", "operator:manage"))
    made = manager.post(f"/tenants/{tenant}/exports").json["exportId"]
    answer = manager.post(f"/tenants/{tenant}/exports/{made}/file", {"reason": "r"})

    assert slug(answer) == "insufficient-scope"


def test_what_stands_in_the_way_of_a_purge_is_said_before_it(service, program, person, tenant):
    program.post("/holds", {"tenantId": tenant, "reason": "Court of Ghent, 12/7"})
    program.post(f"/tenants/{tenant}/close", {"confirm": tenant})
    said = program.get(f"/tenants/{tenant}/purge").json
    page = person.get(f"/tenants/{tenant}/data").text
    refused = person.post(f"/tenants/{tenant}/purge", {"confirm": tenant})

    assert said["obstacles"] == ["1 legal holds are to be released"]
    assert "1 legal holds are to be released" in page
    assert "Id of the tenant" not in page
    assert refused.status_code == 409
    assert slug(program.post(f"/tenants/{tenant}/purge", {"confirm": tenant})) == "conflict"


def test_a_closed_tenant_is_purged_by_its_id_only(service, program, person, tenant):
    open_one = person.get(f"/tenants/{tenant}/data").text
    program.post(f"/tenants/{tenant}/close", {"confirm": tenant})
    wrong = [
        person.post(f"/tenants/{tenant}/purge", {"confirm": "Brewery Ltd"}),
        program.post(f"/tenants/{tenant}/purge", {"confirm": ""}),
    ]
    page = person.followed(person.post(f"/tenants/{tenant}/purge", {"confirm": tenant}))
    again = program.post(f"/tenants/{tenant}/purge", {"confirm": tenant})

    assert "Only a closed tenant can be purged" in open_one
    assert [answer.status_code for answer in wrong] == [400, 400]
    assert "The purge has begun" in page.text
    assert again.status_code == 200
    assert again.json["purgedAt"]
    by = {one.action: one.detail.get("operator") for one in entries(service, tenant)}
    assert by["tenant.purge-begun"] == "otto@operator.example"


def test_a_tenant_that_is_not_there_has_no_data(program, person):
    nobody = "0193a1c2-0000-7000-8000-000000000000"
    for path in ("exports", "purge"):
        assert program.get(f"/tenants/{nobody}/{path}").status_code == 404
    assert person.get(f"/tenants/{nobody}/data").status_code == 404
    assert program.post(f"/tenants/{nobody}/exports").status_code == 404
    assert program.post(f"/tenants/{nobody}/purge", {"confirm": nobody}).status_code == 404


def test_an_export_of_another_tenant_is_not_found_below_this_one(service, program, person, tenant):
    other = Dashboard(service).tenant
    made = program.post(f"/tenants/{other}/exports").json["exportId"]
    path = f"/tenants/{tenant}/exports/{made}"

    assert program.get(path).status_code == 404
    assert program.post(f"{path}/file", {"reason": "r"}).status_code == 404
    assert person.post(f"{path}/file", {"reason": "r"}).status_code == 404


def test_a_platform_is_created_and_gets_a_key_that_works(service, program, person):
    """Its key is one of platforms, by program and on the page."""
    made = program.post("/platforms", {"name": "ERP Vendor"})
    account = made.json["tenantId"]
    asked = {"kind": "key", "name": "Onboarding", "environment": "test"}
    key = program.post(f"/tenants/{account}/credentials", asked).json["secret"]
    form = person.get(f"/tenants/{account}/access").text
    page = person.post(f"/tenants/{account}/credentials", asked | {"scopes": "tenants:read"})
    [typed] = re.findall(r'<p class="mono">([^<]+)</p>', page.text)
    ask = service.test_client().get

    assert made.status_code == 201
    assert key.startswith("pk_test_")
    assert 'value="tenants:manage" checked' in form
    for each in (key, typed):
        assert ask("/api/platform/tenants", headers={"x-api-key": each}).status_code == 200
    another = person.post("/tenants/new-platform", {"name": "Another"})
    assert "account of a platform" in person.followed(another).text
    tenants = program.post("/tenants", {"name": "T"}).json["tenantId"]
    wrong = program.post(f"/tenants/{tenants}/credentials", asked | {"scopes": ["tenants:read"]})
    assert slug(wrong) == "invalid-field"


@pytest.mark.parametrize("how", ["resubmit", "withdraw"])
def test_what_is_no_report_is_not_amended(program, person, how):
    assert program.get("/reports").json["items"] == []
    assert program.post(f"/reports/msg_none/{how}").status_code == 404
    answer = person.post("/transmissions/reports", {"report": "msg_none", "do": how})
    assert answer.status_code == 404
    assert person.post("/transmissions/reports", {"report": "m", "do": "?"}).status_code == 400
