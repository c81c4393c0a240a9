"""Participant ids move from and to other providers by migration keys."""

from __future__ import annotations

import uuid
import zlib

import pytest
import sqlalchemy as sa

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE
from einvoice.domain.roles import Role
from einvoice.services.participants import entries
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import AnsweredPost
from einvoice.web.runtime import runtime_of
from tests.networks import almanac
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.pages.visitor import Visitor
from tests.workers import await_calls, claimed

PAGE = "/dashboard/settings/participants?environment=test"


@pytest.fixture(scope="module")
def service(build):
    return build([almanac])


@pytest.fixture
def book(service):
    return runtime_of(service).access_points["almanac-test"].book


@pytest.fixture
def ann(service):
    return Dashboard(service, Caller(service, Environment.TEST).tenant, Role.ADMIN)


def owned(ann):
    """A new participant id of the account in the sandbox."""
    participant = f"0088:{uuid.uuid4().int % 10**13:013d}"
    body = {"participantId": participant, "environment": "test"}
    assert ann.post("/api/participants", body).status_code == 201
    return participant


def turn(service, ann):
    """A worker publishes what the account has claimed."""
    with service.app_context():
        entries.run(*claimed(outbox.PLUGINS, ann.tenant, kind=outbox.ENTRY), runtime_of(service))
        await_calls()


def test_an_id_is_published_moves_out_and_comes_back(service, ann, book):
    participant = owned(ann)
    address = f"/api/participants/test/{participant}"
    assert slug(ann.post(f"{address}/move-out", {})) == "conflict"
    turn(service, ann)
    given = ann.post(f"{address}/move-out", {})
    assert (given.status_code, given.json["migrationKey"]) == (200, book.keys[participant])
    assert slug(ann.post(f"{address}/move-in", {"migrationKey": "k"})) == "conflict"

    moved = owned(ann)
    book.entries[moved] = ("somebody", (BIS_INVOICE,), None)
    turn(service, ann)
    book.keys[moved] = "the key"
    address = f"/api/participants/test/{moved}/move-in"
    wrong = ann.post(address, {"migrationKey": "another"})
    assert slug(wrong) == "conflict"
    assert "The migration key is wrong." in wrong.json["detail"]
    listed = ann.get("/api/participants?environment=test").json["items"]
    (refused,) = [each for each in listed if each["participantId"] == moved]
    assert (refused["publication"], refused["publicationText"]) == (
        "refused", "The migration key is wrong.",
    )  # fmt: skip
    page = Visitor(service, ann.tenant, Role.ADMIN).get(PAGE).text
    assert "Refused by the network" in page
    assert "The migration key is wrong." in page
    there = ann.post(address, {"migrationKey": "the key"})
    assert (there.status_code, there.json["publication"]) == (200, "published")


def test_a_migration_key_is_shown_once_and_stored_nowhere(service, ann, book):
    """A repetition gets null, and makes no further key."""
    participant = owned(ann)
    turn(service, ann)
    path = f"/api/participants/test/{participant}/move-out"
    first, second = (ann.post(path, {}, Idempotency_Key="k") for _ in range(2))
    query = sa.select(AnsweredPost.body).where(AnsweredPost.tenant_id == ann.tenant)
    with service.app_context(), db.reading() as connection:
        kept = zlib.decompress(connection.execute(query).scalar_one())

    assert first.json["migrationKey"] == book.keys[participant]
    assert second.json == first.json | {"migrationKey": None}
    assert first.json["migrationKey"].encode() not in kept


def test_a_move_that_the_network_did_not_answer_is_repeated_under_its_key(service, ann, book):
    """503 says to repeat it: the Idempotency-Key is free again, though something was written."""
    participant = owned(ann)
    turn(service, ann)
    path = f"/api/participants/test/{participant}/move-out"
    book.is_away = True
    refused = ann.post(path, {}, Idempotency_Key="k")
    book.is_away = False
    again = ann.post(path, {}, Idempotency_Key="k")

    assert (refused.status_code, slug(refused)) == (503, "access-point-unavailable")
    assert int(refused.headers["Retry-After"]) > 0
    assert (again.status_code, again.json["migrationKey"]) == (200, book.keys[participant])


def test_only_an_admin_moves_an_id_of_the_own_account(service, ann):
    participant = owned(ann)
    address = f"/api/participants/test/{participant}"
    reader = Dashboard(service, ann.tenant, Role.MEMBER)
    stranger = Dashboard(service, Caller(service, Environment.TEST).tenant, Role.ADMIN)

    for path, body in (("move-in", {"migrationKey": "k"}), ("move-out", {})):
        assert reader.post(f"{address}/{path}", body).status_code == 403
        assert stranger.post(f"{address}/{path}", body).status_code == 404


@pytest.mark.parametrize("key", [None, "", "x" * 101, 7])
def test_a_migration_key_is_text_of_a_hundred_characters(ann, key):
    address = f"/api/participants/test/{owned(ann)}/move-in"

    assert slug(ann.post(address, {"migrationKey": key})) in ("invalid-field", "missing-field")
