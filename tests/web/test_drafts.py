"""Drafts of invoices by API: kept, changed by one at a time, bounded, and of one account."""

from __future__ import annotations

import base64
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.domain.roles import Role
from einvoice.services import retention
from einvoice.services.invoices import drafts
from einvoice.store.core import db
from einvoice.store.tables import DraftFile, InvoiceDraft
from einvoice.web.json import MAX_NAMES
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

DRAFTS = "/api/drafts"
PDF = {
    "filename": "hours.pdf",
    "mimeType": "application/pdf",
    "content": base64.b64encode(b"%PDF-1.7").decode(),
    "description": "Time sheet",
}
INVOICE = {
    "number": "D-1",
    "buyer": {"name": "Buyer BV"},
    "lineItems": [{"quantity": "many", "unitPrice": 1.5}],
    "attachments": [PDF],
}
ROUTING = {"receiverParticipantId": "not yet known"}


@pytest.fixture
def ann(service: Flask) -> Dashboard:
    return Dashboard(service, role=Role.MEMBER)


def kept(person: Dashboard, **members: Any) -> dict[str, Any]:
    body = {"environment": "test", "invoice": INVOICE, "routing": ROUTING} | members
    answer = person.post(DRAFTS, body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json
    return found


def put(person: Dashboard, draft: str, body: Any, **headers: str) -> Any:
    return person.call("PUT", f"{DRAFTS}/{draft}", body, **headers)


def numbers(person: Any, query: str = "") -> list[str]:
    return [one["number"] for one in person.get(DRAFTS + query).json["items"]]


def rows(person: Dashboard) -> list[int]:
    """How many drafts and files of drafts the account has."""
    with person.app.app_context(), db.reading() as connection:
        return [
            connection.scalar(sa.select(sa.func.count()).where(table.tenant_id == person.tenant))
            for table in (InvoiceDraft, DraftFile)
        ]


def test_a_draft_is_kept_as_it_was_given(ann: Dashboard) -> None:
    """Whatever is missing or wrong in it; it is the body of a send that is not complete."""
    made = ann.post(DRAFTS, {"environment": "test", "invoice": INVOICE, "routing": ROUTING})
    found = ann.get(made.headers["Location"])

    assert (found.json["invoice"], found.json["routing"]) == (INVOICE, ROUTING)
    assert made.json == {
        name: value for name, value in found.json.items() if name not in {"invoice", "routing"}
    }
    assert found.json["number"] == "D-1"
    assert found.json["buyerName"] == "Buyer BV"
    assert found.json["attachmentCount"] == 1
    assert found.json["createdBy"] == "ann@example.com"
    assert made.headers["ETag"] == found.headers["ETag"] == '"1"'


def test_an_empty_draft_is_one(ann: Dashboard) -> None:
    made = ann.post(DRAFTS, {"environment": "live"}).json
    found = ann.get(f"{DRAFTS}/{made['draftId']}").json

    assert (found["invoice"], found["routing"]) == ({}, {})
    assert (found["number"], found["buyerName"], found["environment"]) == (None, None, "live")


def test_drafts_are_listed_newest_first_and_paged(ann: Dashboard) -> None:
    for number in ("D-1", "D-2", "D-3"):
        kept(ann, invoice={"number": number})
    first = ann.get(f"{DRAFTS}?limit=2").json
    rest = ann.get(f"{DRAFTS}?limit=2&cursor={first['nextCursor']}").json

    assert [one["number"] for one in first["items"]] == ["D-3", "D-2"]
    assert [one["number"] for one in rest["items"]] == ["D-1"]
    assert (first["hasMore"], rest["hasMore"], rest["nextCursor"]) == (True, False, None)


def test_a_list_shows_the_drafts_of_colleagues_and_of_one_environment(ann: Dashboard) -> None:
    bob = Dashboard(ann.app, ann.tenant, Role.VIEWER, "bob", "bob@example.com")
    kept(ann)
    kept(ann, environment="live", invoice={"number": "L-1"})

    assert numbers(bob) == ["L-1", "D-1"]
    assert numbers(bob, "?environment=test") == ["D-1"]


def test_a_draft_is_replaced_as_a_whole(ann: Dashboard) -> None:
    draft = kept(ann)["draftId"]
    answer = put(ann, draft, {"invoice": {"number": "D-2"}}, If_Match='"1"')
    found = ann.get(f"{DRAFTS}/{draft}").json

    assert answer.status_code == 200, answer.text
    assert answer.headers["ETag"] == '"2"'
    assert (found["invoice"], found["routing"]) == ({"number": "D-2"}, {})
    assert (found["number"], found["buyerName"], found["attachmentCount"]) == ("D-2", None, 0)
    assert rows(ann) == [1, 0]


def test_of_two_changes_at_once_the_second_is_refused(ann: Dashboard) -> None:
    draft = kept(ann)["draftId"]
    first = put(ann, draft, {"invoice": {"number": "FIRST"}}, If_Match='"1"')
    second = put(ann, draft, {"invoice": {"number": "SECOND"}}, If_Match='"1"')
    deleted = ann.delete(f"{DRAFTS}/{draft}", If_Match='"1"')

    assert (first.status_code, second.status_code, deleted.status_code) == (200, 412, 412)
    assert slug(second) == "precondition-failed"
    assert ann.get(f"{DRAFTS}/{draft}").json["number"] == "FIRST"


def test_a_draft_is_deleted_with_its_files_and_the_log_names_who_did(ann: Dashboard) -> None:
    draft = kept(ann)["draftId"]
    answer = ann.delete(f"{DRAFTS}/{draft}")
    admin = Dashboard(ann.app, ann.tenant, Role.ADMIN)
    (entry,) = admin.get("/api/audit?action=draft.deleted").json["items"]

    assert answer.status_code == 204
    assert ann.get(f"{DRAFTS}/{draft}").status_code == 404
    assert rows(ann) == [0, 0]
    assert (entry["target"], entry["detail"]["number"]) == (draft, "D-1")


def test_a_draft_of_another_account_is_not_there(ann: Dashboard) -> None:
    draft = kept(ann)["draftId"]
    other = Dashboard(ann.app, role=Role.OWNER)

    assert other.get(f"{DRAFTS}/{draft}").status_code == 404
    assert put(other, draft, {}).status_code == 404
    assert other.delete(f"{DRAFTS}/{draft}").status_code == 404
    assert numbers(other) == []
    assert ann.get(f"{DRAFTS}/{draft}").status_code == 200


def test_a_viewer_reads_drafts_and_changes_none(ann: Dashboard) -> None:
    draft = kept(ann)["draftId"]
    viewer = Dashboard(ann.app, ann.tenant, Role.VIEWER)
    changes = (
        viewer.post(DRAFTS, {"environment": "test"}),
        put(viewer, draft, {}),
        viewer.delete(f"{DRAFTS}/{draft}"),
    )

    assert viewer.get(f"{DRAFTS}/{draft}").status_code == 200
    assert [slug(answer) for answer in changes] == ["forbidden"] * 3


def test_a_key_works_with_drafts_of_its_environment(service: Flask) -> None:
    """With the scopes of invoices; drafts of the other environment are not there."""
    person = Dashboard(service)
    caller = Caller(service, tenant=person.tenant)
    live = kept(person, environment="live")["draftId"]
    made = caller.call("POST", DRAFTS, b'{"invoice": {"number": "K-1"}}')
    reading = Caller(service, tenant=person.tenant, scopes=["invoices:read"])

    assert made.status_code == 201, made.text
    assert made.json["environment"] == "test"
    assert made.json["createdBy"] is not None
    assert numbers(caller) == numbers(reading) == ["K-1"]
    assert caller.get(f"{DRAFTS}/{live}").status_code == 404
    assert slug(reading.call("POST", DRAFTS, b"{}")) == "insufficient-scope"
    assert slug(caller.call("POST", DRAFTS, b'{"environment": "live"}')) == "invalid-field"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/environment"),
        ({"environment": "prod"}, "/environment"),
        ({"environment": "test", "invoice": []}, "/invoice"),
        ({"environment": "test", "routing": "x"}, "/routing"),
        ({"environment": "test", "options": {}}, "/options"),
        ({"environment": "test", "invoice": {"a": [10**40]}}, "/invoice/a/0"),
        ({"environment": "test", "invoice": {"attachments": {}}}, "/invoice/attachments"),
        ({"environment": "test", "invoice": {"attachments": [PDF | {"content": "?"}]}},
         "/invoice/attachments/0/content"),
        ({"environment": "test", "invoice": {"attachments": [PDF | {"mimeType": "text/html"}]}},
         "/invoice/attachments/0/mimeType"),
        ({"environment": "test", "invoice": {"attachments": [PDF | {"filename": "a/b"}]}},
         "/invoice/attachments/0/filename"),
        ({"environment": "test", "invoice": {"attachments": [PDF] * 51}},
         "/invoice/attachments"),
    ],
)  # fmt: skip
def test_a_wrong_draft_is_refused_at_its_field(
    ann: Dashboard, body: dict[str, Any], pointer: str
) -> None:
    answer = ann.post(DRAFTS, body)

    assert answer.status_code == 400, answer.text
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]
    assert rows(ann) == [0, 0]


@pytest.mark.parametrize("number", ["1e41", "1e999999999", "1e-41", "1e9999999999999999999999"])
def test_a_number_that_would_be_long_when_written_is_refused(ann: Dashboard, number: str) -> None:
    body = f'{{"environment":"test","invoice":{{"a":{number}}}}}'.encode()
    answer = ann.call("POST", DRAFTS, data=body, Content_Type="application/json")

    assert slug(answer) == "invalid-field"


def test_the_content_of_a_draft_is_bounded(ann: Dashboard) -> None:
    answer = ann.post(DRAFTS, {"environment": "test", "invoice": {"note": "x" * 1024 * 1024}})

    assert slug(answer) == "payload-too-large"


def test_a_draft_of_many_members_is_refused_without_reading_each(ann: Dashboard) -> None:
    """About as many as a body may have."""
    members = {str(n): 1 for n in range(MAX_NAMES)}
    answer = ann.post(DRAFTS, {"environment": "test", "invoice": {"x": [members] * 290}})

    assert slug(answer) == "payload-too-large"
    assert "this one has at least 1,450,5" in answer.json["detail"]


def test_the_files_of_a_draft_are_bounded_together(
    ann: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "MAX_FILES_BYTES", 15)
    within = kept(ann)["draftId"]
    beyond = put(ann, within, {"invoice": {"attachments": [PDF, PDF]}})

    assert slug(beyond) == "file-too-large"
    assert ann.get(f"{DRAFTS}/{within}").json["invoice"] == INVOICE


def test_the_drafts_of_an_account_are_bounded(
    ann: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In number for each environment, and in bytes; changes that stay within it are accepted."""
    monkeypatch.setattr(drafts, "MAX_DRAFTS", 1)
    monkeypatch.setattr(drafts, "MAX_TENANT_BYTES", 1000)
    draft = kept(ann)["draftId"]
    more = ann.post(DRAFTS, {"environment": "test"})
    elsewhere = ann.post(DRAFTS, {"environment": "live"})
    large = put(ann, draft, {"invoice": {"note": "x" * 1000}})
    changed = put(ann, draft, {"invoice": {"note": "x"}})
    other = Dashboard(ann.app).post(DRAFTS, {"environment": "test"})

    assert (slug(more), elsewhere.status_code) == ("conflict", 201)
    assert (slug(large), changed.status_code) == ("conflict", 200)
    assert other.status_code == 201


def test_a_draft_is_deleted_90_days_after_its_last_change(
    ann: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft, began = kept(ann), clock.now()
    ends = began + timedelta(days=90)
    with ann.app.app_context():
        retention.sweep_all(ends - timedelta(minutes=1))
        before = rows(ann)
        dropped = retention.sweep_all(ends + timedelta(minutes=1)).drafts

    assert draft["keptUntil"][:16] == clock.timestamp(ends)[:16]
    assert before == [1, 1]
    assert rows(ann) == [0, 0]
    assert dropped >= 1  # with those of other tests
