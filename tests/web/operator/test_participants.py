"""Participant ids of tenants by operators: publication, moves, release, and questions."""

from __future__ import annotations

import re
import uuid

import pytest

from einvoice.domain.identifiers import BIS_INVOICE
from einvoice.services.participants import entries
from einvoice.store import outbox
from einvoice.web.runtime import runtime_of
from tests.networks import almanac
from tests.web.caller import slug
from tests.web.dashboard import Dashboard
from tests.workers import await_calls, claimed


@pytest.fixture(scope="module")
def service(build):
    return build([almanac])


@pytest.fixture
def book(service):
    return runtime_of(service).access_points["almanac-test"].book


@pytest.fixture
def ann(service) -> Dashboard:
    return Dashboard(service)


def owned(ann: Dashboard) -> str:
    participant = f"0088:{uuid.uuid4().int % 10**13:013d}"
    body = {"participantId": participant, "environment": "test"}
    assert ann.post("/api/participants", body).status_code == 201
    return participant


def turn(service, ann: Dashboard) -> None:
    """A worker makes the directory agree."""
    with service.app_context():
        entries.run(*claimed(outbox.PLUGINS, ann.tenant, kind=outbox.ENTRY), runtime_of(service))
        await_calls()


def test_an_id_is_published_withdrawn_and_published_again(service, program, person, ann, book):
    participant = owned(ann)
    turn(service, ann)
    path = f"/tenants/{ann.tenant}/participants/test/{participant}"
    before = program.get(path).json["publication"]
    withdrawn = program.post(f"{path}/withdraw")
    turn(service, ann)
    away = participant not in book.entries
    page = person.followed(person.post(path, {"do": "publish"}))
    turn(service, ann)

    assert before == "published"
    assert (withdrawn.status_code, away) == (200, True)
    assert "A worker publishes it" in page.text
    assert program.get(path).json["publication"] == "published"
    done = [one["action"] for one in ann.get("/api/audit").json["items"]]
    assert done[:2] == ["participant.publish", "participant.withdraw"]


def test_an_id_moves_out_and_in_by_keys_that_are_shown_once(service, program, person, ann, book):
    participant = owned(ann)
    turn(service, ann)
    path = f"/tenants/{ann.tenant}/participants/test/{participant}"
    page = person.post(path, {"do": "move-out"})
    key = book.keys[participant]

    assert key in page.text.replace("&#39;", "'")
    assert key not in person.get(path).text
    assert program.post(f"{path}/move-out").json["migrationKey"] == book.keys[participant]

    moved = owned(ann)
    book.entries[moved] = ("somebody", (BIS_INVOICE,), None)
    turn(service, ann)
    book.keys[moved] = "the key"
    path = f"/tenants/{ann.tenant}/participants/test/{moved}"
    wrong = person.post(path, {"do": "move-in", "migrationKey": "another"})
    none = person.post(path, {"do": "move-in", "migrationKey": ""})
    right = program.post(f"{path}/move-in", {"migrationKey": "the key"})

    assert (wrong.status_code, none.status_code) == (409, 400)
    assert "The migration key is wrong." in wrong.text
    assert right.json["publication"] == "published"


def test_the_networks_are_asked_about_an_id(service, program, person, ann, book):
    participant = owned(ann)
    turn(service, ann)
    path = f"/tenants/{ann.tenant}/participants/test/{participant}"
    said = program.get(f"{path}/registrations")
    page = person.get(f"{path}?ask=yes")
    query = f"participantId={participant}&environment=test"
    looked = program.get(f"/participants/lookup?{query}")
    shown = person.get(f"/networks/lookup?{query}")

    assert said.status_code == 200, said.text
    assert "What the networks say" in page.text
    assert looked.json["items"] == said.json["items"]
    assert shown.status_code == 200
    assert program.get("/participants/lookup?participantId=x").status_code == 400
    assert person.get("/networks/lookup?participantId=x").status_code == 400


def test_missing_entries_are_queued_again(program, person):
    queued = program.post("/participants/republish", {"environment": "test"})
    page = person.followed(person.post("/networks/republish", {"environment": "test"}))

    assert queued.status_code == 200
    assert queued.json["more"] is False
    assert "queued" in page.text
    assert slug(program.post("/participants/republish")) == "invalid-field"


def test_an_id_is_released(program, person, ann):
    one, other = owned(ann), owned(ann)
    path = f"/tenants/{ann.tenant}/participants"
    gone = program.call("DELETE", f"/api/operator{path}/test/{one}")
    page = person.followed(person.post(f"{path}/test/{other}", {"do": "remove"}))

    assert gone.status_code == 204
    assert "It is removed." in page.text
    assert program.get(path).json["items"] == []


def test_the_list_of_a_tenant_is_paged_and_leads_to_each_id(program, person, ann):
    ids = sorted(owned(ann) for _ in range(3))
    path = f"/tenants/{ann.tenant}/participants"
    first = program.get(f"{path}?limit=2").json
    second = program.get(f"{path}?limit=2&cursor={first['nextCursor']}").json
    page = person.get(f"/tenants/{ann.tenant}").text

    seen = [one["participantId"] for each in (first, second) for one in each["items"]]
    assert sorted(seen) == ids
    assert len(re.findall(r'href="/operator/tenants/[^"]+/participants/test/', page)) == 3


@pytest.mark.parametrize("do", ["publish", "withdraw", "remove", "move-out", "move-in", "?"])
def test_an_id_of_another_tenant_is_not_found_below_this_one(service, person, ann, do):
    other = Dashboard(service)
    participant = owned(other)
    path = f"/tenants/{ann.tenant}/participants/test/{participant}"
    answer = person.post(path, {"do": do, "migrationKey": "k"})

    assert answer.status_code == (400 if do == "?" else 404)
    assert person.get(path).status_code == 404
    assert (
        person.get(f"/tenants/{ann.tenant}/participants/nowhere/{participant}").status_code == 404
    )
    assert person.get(f"/tenants/{other.tenant}/participants/test/{participant}").status_code == 200
