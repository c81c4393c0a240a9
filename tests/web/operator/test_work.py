"""Transmissions, networks, doctor, releases and legal holds, as JSON and at the console."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.services import operator_notes
from einvoice.services.account import audit
from einvoice.services.operator_notes import MAX_FINDINGS, DoctorFinding
from einvoice.store.core import db
from einvoice.store.tables import Outbox, Transmission
from tests.builders import accepted
from tests.web.caller import Caller, slug
from tests.web.console import OperatorProgram


@pytest.fixture
def caller(service) -> Caller:
    return Caller(service)


def unknown(service, tenant: str) -> str:
    """The id of a transmission that needs a person: submitted, no answer, nothing owed."""
    with service.app_context():
        sent = accepted(tenant).transmission_id
        with db.writing() as connection:
            connection.execute(
                sa.update(Transmission)
                .where(Transmission.id == sent)
                .values(phase="unknown", attention=True, attempts=1, fence=1, reason="<b>none</b>")
            )
            connection.execute(sa.delete(Outbox).where(Outbox.subject_id == sent))
    return sent


def newest(service, tenant: str):
    with service.app_context():
        return audit.page(tenant, before=None, limit=1, matching={})[0]


def listed(program: OperatorProgram) -> set[str]:
    return {one["transmissionId"] for one in program.get("/transmissions").json["items"]}


def test_what_needs_a_person_is_listed_and_settled_with_its_evidence(service, program, caller):
    sent = unknown(service, caller.tenant)
    assert sent in listed(program)
    body = {"outcome": "delivered", "evidence": "PHI+", "fileName": "receipt.xml"}
    answer = program.post(f"/transmissions/{sent}/settle", body)
    entry = newest(service, caller.tenant)

    assert (answer.status_code, answer.json["status"]) == (200, "Delivered")
    assert sent not in listed(program)
    assert (entry.action, entry.target) == ("transmission.resolved", sent)
    assert entry.detail == {"outcome": "delivered", "operator": "night shift"}
    again = program.post(f"/transmissions/{sent}/settle", body)
    assert (again.status_code, slug(again)) == (409, "conflict")


def test_the_console_settles_with_a_file_and_escapes_what_a_network_said(service, person, caller):
    sent = unknown(service, caller.tenant)
    assert sent in person.get("/transmissions").text
    page = person.get(f"/transmissions/{sent}").text
    assert "&lt;b&gt;none&lt;/b&gt;" in page
    form = {
        "outcome": "failed",
        "reason": "Refused by telephone",
        "evidence": (io.BytesIO(b"note"), "note.txt"),
    }
    done = person.followed(person.post(f"/transmissions/{sent}/settle", form))

    assert "It is settled." in done.text
    assert "Refused by telephone" in done.text
    assert newest(service, caller.tenant).detail["operator"] == "otto@operator.example"


@pytest.mark.parametrize("missing", ["evidence", "outcome"])
def test_nothing_is_settled_without_outcome_and_evidence(service, person, caller, missing):
    sent = unknown(service, caller.tenant)
    form = {"outcome": "failed", "evidence": (io.BytesIO(b"note"), "note.txt")}
    del form[missing]
    answer = person.post(f"/transmissions/{sent}/settle", form)

    assert answer.status_code == 400
    assert missing in answer.text


def test_a_next_step_is_made_due(service, program, person, caller):
    sent = unknown(service, caller.tenant)
    answer = program.post(f"/transmissions/{sent}/retry")
    page = person.followed(person.post(f"/transmissions/{sent}/retry"))
    with service.app_context(), db.reading() as connection:
        rows = connection.execute(
            sa.select(sa.func.count()).where(Outbox.subject_id == sent)
        ).scalar_one()

    assert answer.status_code == 200
    assert "Its next step is due." in page.text
    assert rows == 1


def test_a_transmission_that_there_is_not_is_not_found(program, person):
    for one in ("txn_" + "0" * 32, "msg_" + "0" * 32, "x"):
        assert slug(program.get(f"/transmissions/{one}")) == "not-found"
        assert person.get(f"/transmissions/{one}").status_code == 404
    found = person.get(f"/transmissions?id=txn_{'0' * 32}")
    assert found.headers["Location"] == f"/operator/transmissions/txn_{'0' * 32}"
    assert person.get("/transmissions?id=../tenants").status_code == 404
    assert slug(program.get("/transmissions?kind=all")) == "invalid-field"
    assert program.get("/transmissions?kind=parked").status_code == 200
    assert program.get("/transmissions/sequences").json["items"] == []


def test_networks_show_the_oldest_unsettled_and_what_became_of_the_newest(
    service, program, person, caller
):
    with service.app_context(), db.writing() as connection:
        connection.execute(sa.delete(Outbox))
    caller.sent()
    [simulator] = [
        one for one in program.get("/networks").json["items"] if one["environment"] == "test"
    ]

    assert simulator["processing"] >= 1
    assert [one["waitsFor"] for one in simulator["waiting"]] == ["network"]
    assert simulator["refusedSince"] is None
    lanes = {one["name"]: one["rows"] for one in program.get("/networks").json["lanes"]}
    assert sum(lanes.values()) >= 1
    assert simulator["accessPoint"] in person.get("/networks").text


def test_findings_of_doctor_and_ends_of_certificates_are_shown(service, program, person):
    """The worst first, and a bounded number of them."""
    ends = {"peppol-live": clock.now() + timedelta(days=12, hours=1)}
    found = [DoctorFinding("note", f"note {n}", "nothing") for n in range(MAX_FINDINGS)]
    found.append(DoctorFinding("serious", "The database is <full>", "make room", "db: disk"))
    with service.app_context():
        operator_notes.note_doctor("web-1", {"serious": 1, "note": MAX_FINDINGS}, ends, found)
    [report] = program.get("/doctor").json["items"]

    assert (report["host"], report["level"]) == ("web-1", "serious")
    assert len(report["findings"]) == MAX_FINDINGS
    assert report["findings"][0] == {
        "level": "serious", "message": "The database is <full>", "fix": "make room",
        "check": "db: disk",
    }  # fmt: skip
    assert "The database is &lt;full&gt;" in person.get("/doctor").text
    [certificate] = program.get("/networks").json["certificates"]
    assert (certificate["name"], certificate["days"]) == ("peppol-live", 12)
    overview = person.get().text
    assert "The certificate peppol-live ends in 12 days" in overview
    assert "web-1" in overview


def test_a_report_of_an_earlier_release_has_no_findings(service, program):
    with service.app_context():
        operator_notes.note_doctor("old-1", {"warning": 2}, {})
    [report] = [r for r in program.get("/doctor").json["items"] if r["host"] == "old-1"]

    assert (report["level"], report["findings"]) == ("warning", [])


def test_the_release_and_the_revision_of_the_database_are_shown(program, person):
    found = program.get("/release").json

    assert found["isCurrent"]
    assert found["databaseRevision"] == found["newestRevision"]
    assert found["version"] in person.get("/releases").text


def test_a_hold_is_placed_listed_and_released_by_operators(service, program, person, caller):
    answer = program.post("/holds", {"tenantId": caller.tenant, "reason": "Lawsuit 4711"})
    hold = answer.json["holdId"]
    entry = newest(service, caller.tenant)

    assert (answer.status_code, answer.json["placedBy"]) == (201, "operator")
    assert (entry.action, entry.detail["operator"]) == ("hold.placed", "night shift")
    [found] = [
        one for one in program.get("/holds?state=active").json["items"]
        if one["hold"]["holdId"] == hold
    ]  # fmt: skip
    assert found["hold"]["tenantId"] == caller.tenant
    assert "Lawsuit 4711" in person.get("/holds").text
    assert "Lawsuit 4711" in person.get(f"/tenants/{caller.tenant}").text
    page = person.followed(person.post(f"/holds/{hold}/release"))
    assert "The hold is released." in page.text
    again = program.post(f"/holds/{hold}/release")
    assert (again.status_code, slug(again)) == (409, "conflict")
    released = program.get("/holds?state=released").json["items"]
    assert hold in {one["hold"]["holdId"] for one in released}


def test_a_hold_needs_a_tenant_and_a_reason(service, program, person, caller):
    missing = program.post("/holds", {"tenantId": "nobody", "reason": "R"})
    of_other = program.post(
        "/holds", {"tenantId": caller.tenant, "invoiceId": "0" * 8, "reason": "R"}
    )

    assert slug(missing) == slug(of_other) == "not-found"
    assert program.post("/holds", {"tenantId": caller.tenant}).status_code == 400
    page = person.post("/holds", {"tenantId": caller.tenant, "reason": ""})
    assert page.status_code == 400
    with service.app_context():
        assert (
            audit.page(caller.tenant, before=None, limit=9, matching={"action": "hold.placed"})
            == []
        )


def test_holds_page_without_repeating_one(program, service, caller):
    made = {
        program.post("/holds", {"tenantId": caller.tenant, "reason": f"R {n}"}).json["holdId"]
        for n in range(3)
    }
    seen, cursor = [], ""
    while True:
        answer = program.get(f"/holds?limit=2{cursor}").json
        seen += [one["hold"]["holdId"] for one in answer["items"]]
        if not answer["hasMore"]:
            break
        cursor = f"&cursor={answer['nextCursor']}"

    assert made <= set(seen)
    assert len(seen) == len(set(seen))
