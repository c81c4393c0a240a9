"""Participants, usage and the audit log of an account."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.services.account import usage
from einvoice.store.core import db
from einvoice.store.tables import Transmission
from tests.builders import accepted
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

OURS = "0208:0123456749"


@pytest.fixture
def ann(service) -> Dashboard:
    return Dashboard(service, role=Role.ADMIN)


# -- participants ----------------------------------------------------------------------------------


@pytest.fixture
def participant() -> str:
    """One that no other test of this database owns."""
    return f"0088:{uuid.uuid4().int % 10**13:013d}"


def test_a_participant_has_one_owner_in_each_environment(service, ann, participant):
    new = {"participantId": participant, "environment": "test"}
    answer = ann.post("/api/participants", new)
    assert (answer.status_code, answer.json["participantId"]) == (201, participant)
    again, other = ann.post("/api/participants", new), Dashboard(service)
    assert slug(again) == slug(other.post("/api/participants", new)) == "conflict"
    assert other.post("/api/participants", new | {"environment": "live"}).status_code == 201

    assert [p["environment"] for p in ann.get("/api/participants").json["items"]] == ["test"]
    assert [p["environment"] for p in other.get("/api/participants").json["items"]] == ["live"]


def test_a_removed_participant_can_be_added_by_another_tenant(service, ann, participant):
    new = {"participantId": participant, "environment": "live"}
    path = ann.post("/api/participants", new).headers["Location"]
    stranger = Dashboard(service)
    assert slug(stranger.delete(path)) == "not-found"
    assert ann.delete(path).status_code == 204
    assert slug(ann.delete(path)) == "not-found"

    assert ann.get("/api/participants").json["items"] == []
    assert stranger.post("/api/participants", new).status_code == 201


@pytest.mark.parametrize(
    "path", ["/prod/0208:0123456749", "/test/nonsense", "/live/0208:0123456749"]
)
def test_a_participant_that_is_not_owned_is_not_found(ann, path):
    answer = ann.delete(f"/api/participants{path}")

    assert (answer.status_code, slug(answer)) == (404, "not-found")


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, ["/participantId", "/environment"]),
        ({"participantId": "0123456749", "environment": "test"}, ["/participantId"]),
        ({"participantId": OURS, "environment": "both"}, ["/environment"]),
    ],
)
def test_an_invalid_participant_is_refused(ann, body, pointers):
    answer = ann.post("/api/participants", body)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [e["pointer"] for e in answer.json["errors"]] == pointers


def test_the_lookup_of_participants_requires_a_key(service, ann):
    """The paths begin alike, but the credentials differ."""
    lookup = "/api/participants/lookup?participantId=0088:9520000000004"

    assert slug(service.test_client().get(lookup)) == "api-key-required"
    assert slug(ann.get(lookup)) == "invalid-token"
    assert Caller(service).get(lookup).status_code == 200


# -- usage -----------------------------------------------------------------------------------------


def have(ann, day: str, status: str, count: int = 1, environment: str = "live") -> None:
    """Accept documents on the day, and set their status."""
    at = datetime.fromisoformat(f"{day}T23:59:59.999+00:00")
    with ann.app.app_context():
        for _ in range(count):
            send = accepted(ann.tenant, environment=environment, created_at=at)
            with db.writing() as connection:
                connection.execute(
                    sa.update(Transmission)
                    .where(Transmission.id == send.transmission_id)
                    .values(status=status)
                )


def test_a_day_counts_its_documents_by_current_status(ann):
    """Also days without any; days end at midnight, UTC."""
    have(ann, "2026-11-01", "Delivered", 2)
    have(ann, "2026-11-01", "Failed")
    have(ann, "2026-11-01", "Received", 3, "test")
    have(ann, "2026-11-03", "Processing")
    have(ann, "2026-11-04", "Delivered")
    answer = ann.get("/api/usage?from=2026-11-01&to=2026-11-03")
    assert answer.status_code == 200, answer.text
    live = {i["date"]: i for i in answer.json["items"] if i["environment"] == "live"}
    assert list(live) == ["2026-11-03", "2026-11-02", "2026-11-01"]
    assert live["2026-11-01"] == {
        "date": "2026-11-01", "environment": "live", "sent": 3, "processing": 0, "delivered": 2,
        "failed": 1, "received": 0,
    }  # fmt: skip
    assert (live["2026-11-02"]["sent"], live["2026-11-03"]["processing"]) == (0, 1)

    test = ann.get("/api/usage?from=2026-11-01&to=2026-11-01&environment=test").json["items"]
    assert [(i["environment"], i["sent"], i["received"]) for i in test] == [("test", 0, 3)]


def test_times_of_delivery_are_of_the_newest_delivered_documents(ann, monkeypatch):
    """Of an environment without any there is no entry; other tenants and days do not count."""
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 11, 21, 12, tzinfo=UTC))
    monkeypatch.setattr(usage, "TIMED", 4)
    for day, seconds in (("2026-11-01", 900), ("2026-11-02", 4), ("2026-11-03", 1),
                         ("2026-11-04", 2), ("2026-11-05", 30), ("2026-10-01", 5)):  # fmt: skip
        have(ann, day, "Delivered")
        settle(ann, day, seconds)
    have(ann, "2026-11-06", "Failed")
    have(Dashboard(ann.app), "2026-11-06", "Delivered")

    answer = ann.get("/api/usage")
    assert answer.status_code == 200, answer.text
    assert answer.json["deliveryTimes"] == [
        {"environment": "live", "documents": 4, "medianSeconds": 2.0, "p95Seconds": 30.0}
    ]
    assert ann.get("/api/usage?environment=test").json["deliveryTimes"] == []


def settle(ann, day: str, seconds: int) -> None:
    """The documents of this day were delivered so many seconds after their acceptance."""
    at = datetime.fromisoformat(f"{day}T23:59:59.999+00:00")
    with ann.app.app_context(), db.writing() as connection:
        mine = (Transmission.tenant_id == ann.tenant, Transmission.listed_at == at)
        later = at + timedelta(seconds=seconds)
        connection.execute(sa.update(Transmission).where(*mine).values(settled_at=later))


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("", 30),
        ("?to=2026-11-21", 30),
        ("?from=2026-11-21&to=2026-11-21", 1),
        ("?from=2026-01-01&to=2026-04-02", 92),
        ("?from=2026-01-01", 92),
        ("?to=0001-01-01", 1),
        ("?from=9999-12-31", 1),
        ("?to=9999-12-31", 30),
        ("?from=2026-01-01&to=2026-04-03", None),
        ("?from=2026-11-21&to=2026-11-20", None),
        ("?from=21.11.2026", None),
        ("?days=5", None),
    ],
)
def test_a_query_covers_at_most_ninety_two_days(ann, monkeypatch, query, days):
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 11, 21, 12, tzinfo=UTC))
    answer = ann.get(f"/api/usage{query}")
    if days is None:
        assert (answer.status_code, slug(answer)) == (400, "invalid-field")
        return

    assert len(answer.json["items"]) == days * len(Environment)


# -- the audit log ---------------------------------------------------------------------------------


def actions(answer) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [item["action"] for item in answer.json["items"]]


def test_every_management_action_is_in_the_audit_log(service, ann, participant):
    """In order, with person, address and change."""
    key = ann.post("/api/keys", {"name": "ERP", "environment": "test"}).json["keyId"]
    ann.patch(f"/api/keys/{key}", {"name": "Shop"})
    ann.post(f"/api/keys/{key}/rotate", {})
    ann.delete(f"/api/keys/{key}")
    hook = ann.post("/api/webhooks", {"url": "https://a.example/", "environment": "test"}).json
    path = f"/api/webhooks/{hook['webhookId']}"
    ann.patch(path, {"description": "x"})
    ann.post(f"{path}/rotate-secret")
    delivery = ann.post(f"{path}/test").json["deliveryId"]
    ann.post(f"{path}/deliveries/{delivery}/redeliver")
    since = clock.timestamp(clock.now() - timedelta(hours=1))
    ann.post(f"{path}/recover", {"since": since})
    ann.delete(path)
    ann.patch("/api/tenant", {"phone": "1"})
    ann.delete("/api/tenant/logo")
    place = ann.post("/api/participants", {"participantId": participant, "environment": "test"})
    ann.delete(place.headers["Location"])
    answer = ann.get("/api/audit")

    assert actions(answer) == [
        "participant.removed", "participant.added", "tenant.logo-removed", "tenant.changed",
        "webhook.removed", "webhook.recovered", "webhook.redelivered", "webhook.tested",
        "webhook.secret-rotated", "webhook.changed", "webhook.created", "key.revoked",
        "key.rotated", "key.changed", "key.created",
    ]  # fmt: skip
    first = answer.json["items"][-1]
    assert (first["target"], first["actor"], first["actorKind"]) == (key, "ann", "person")
    assert (first["email"], first["address"]) == ("ann@example.com", "127.0.0.1")
    assert first["detail"]["name"] == "ERP"


def test_no_secret_is_in_the_audit_log(ann):
    key = ann.post("/api/keys", {"name": "ERP", "environment": "test"}).json["key"]
    hook = ann.post("/api/webhooks", {"url": "https://a.example/", "environment": "test"}).json
    log = ann.get("/api/audit").text

    assert not any(secret in log for secret in (key, hook["secret"], hook["signingSecret"]))


def test_a_refused_action_is_not_in_the_audit_log(ann):
    ann.post("/api/keys", {"name": "ERP"})
    ann.delete("/api/webhooks/nothing")
    ann.patch("/api/tenant", {"iban": "nonsense"})
    ann.patch("/api/tenant", {})

    assert actions(ann.get("/api/audit")) == []


def test_actions_of_a_key_name_the_key(service, ann):
    key = ann.post(
        "/api/keys", {"name": "ERP", "environment": "test", "scopes": ["webhooks:manage"]}
    ).json
    ann.post("/api/webhooks", {"url": "https://a.example/"}, x_api_key=key["key"])
    (entry, _) = ann.get("/api/audit").json["items"]

    assert (entry["action"], entry["actorKind"], entry["actor"]) == (
        "webhook.created",
        "key",
        key["keyId"],
    )
    assert (entry["email"], entry["address"]) == (None, "127.0.0.1")


def test_the_audit_log_is_paged_and_filtered(service, ann):
    keys = [
        ann.post("/api/keys", {"name": str(n), "environment": "test"}).json["keyId"]
        for n in range(5)
    ]
    ann.delete(f"/api/keys/{keys[0]}")
    found, cursor = [], ""
    while True:
        body = ann.get(f"/api/audit?limit=2&action=key.created{cursor}").json
        found += [item["target"] for item in body["items"]]
        if not body["hasMore"]:
            break
        cursor = f"&cursor={body['nextCursor']}"

    assert found == keys[::-1]
    assert actions(ann.get(f"/api/audit?target={keys[0]}")) == ["key.revoked", "key.created"]
    assert actions(ann.get("/api/audit?actor=bob")) == []
    assert actions(Dashboard(service).get("/api/audit")) == []
