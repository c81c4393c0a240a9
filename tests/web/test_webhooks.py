"""Webhooks over HTTP (decisions 4): for people, and for keys with the scope webhooks:manage."""

from __future__ import annotations

import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.config import Settings, SettingsFault
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.services.webhooks import redelivery
from einvoice.store.core import db
from einvoice.store.tables import WebhookEndpoint
from einvoice.store.webhooks import events
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.webhook_events import NEW, URL, emit

SECRETS = ("secret", "signingSecret")


@pytest.fixture
def ann(service) -> Dashboard:
    return Dashboard(service, role=Role.ADMIN)


@pytest.fixture
def made(ann) -> dict:
    return ann.post("/api/webhooks", NEW).json


def test_secrets_are_returned_on_creation_only(ann):
    answer = ann.post("/api/webhooks", NEW)
    assert answer.status_code == 201
    path = answer.headers["Location"]
    first = [answer.json[name] for name in SECRETS]
    rotated = ann.post(f"{path}/rotate-secret").json
    second = [rotated[name] for name in SECRETS]

    assert len({*first, *second}) == 4
    for shown in (ann.get(path).text, ann.get("/api/webhooks").text):
        assert not any(secret in shown for secret in (*first, *second))


def test_a_webhook_is_read_with_its_settings(ann, made):
    reported = ann.get(f"/api/webhooks/{made['webhookId']}").json

    assert reported == {name: value for name, value in made.items() if name not in SECRETS}
    assert (reported["url"], reported["environment"], reported["status"]) == (URL, "test", "active")
    assert (reported["eventTypes"], reported["description"], reported["disabledReason"]) == (
        [],
        None,
        None,
    )
    assert ann.get("/api/webhooks").json["items"] == [
        {name: value for name, value in reported.items() if name != "provider"}
    ]


def test_a_webhook_that_timed_out_shows_how_long_it_gets_no_requests(ann, made):
    """Another url ends that."""
    path = f"/api/webhooks/{made['webhookId']}"
    assert made["backoffUntil"] is None
    with ann.app.app_context(), db.writing() as connection:
        until = clock.now() + timedelta(minutes=10)
        connection.execute(sa.update(WebhookEndpoint).values(timeouts=4, backoff_until=until))

    assert ann.get(path).json["backoffUntil"] == clock.timestamp(until)
    assert ann.patch(path, {"description": "ERP"}).json["backoffUntil"] == clock.timestamp(until)
    assert ann.patch(path, {"url": f"{URL}/2"}).json["backoffUntil"] is None


def test_a_change_sets_the_given_members_only(ann, made):
    path = f"/api/webhooks/{made['webhookId']}"
    changed = ann.patch(path, {"description": "ERP", "eventTypes": ["invoice.responded"]}).json
    assert (changed["description"], changed["eventTypes"]) == ("ERP", ["invoice.responded"])
    assert changed["url"] == URL
    assert ann.patch(path, {"description": None}).json["description"] is None
    off = ann.patch(path, {"status": "disabled"}).json

    assert (off["status"], off["disabledReason"]) == ("disabled", "by its owner")
    assert ann.patch(path, {"status": "active"}).json["disabledReason"] is None


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"url": None}, "/url"),
        ({"url": "http://127.0.0.1/"}, "/url"),
        ({"url": "ftp://receiver.example/"}, "/url"),
        ({"environment": None}, "/environment"),
        ({"environment": "live", "url": "http://receiver.example/"}, "/url"),
        ({"eventTypes": ["invoice.lost"]}, "/eventTypes/0"),
        ({"eventTypes": "transaction.sent"}, "/eventTypes"),
        ({"secret": "mine"}, "/secret"),
        ({"description": "x" * 501}, "/description"),
    ],
)
def test_an_invalid_member_is_refused_with_its_pointer(ann, change, pointer):
    answer = ann.post("/api/webhooks", NEW | change)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert answer.json["errors"][0]["pointer"] == pointer
    assert ann.get("/api/webhooks").json["items"] == []


def test_a_twenty_first_webhook_is_refused(ann):
    """In each environment."""
    for _ in range(20):
        assert ann.post("/api/webhooks", NEW).status_code == 201

    assert slug(ann.post("/api/webhooks", NEW)) == "conflict"
    assert ann.post("/api/webhooks", NEW | {"environment": "live"}).status_code == 201


# -- the log ---------------------------------------------------------------------------------------


def test_a_test_event_is_due_at_once_and_logged(ann, made):
    path = f"/api/webhooks/{made['webhookId']}"
    ann.patch(path, {"status": "disabled"})
    answer = ann.post(f"{path}/test")

    assert answer.status_code == 202
    assert (answer.json["status"], answer.json["trigger"]) == ("pending", "test")
    assert answer.json["eventType"] == "webhook.test"
    (logged,) = ann.get(f"{path}/deliveries").json["items"]
    assert logged["deliveryId"] == answer.json["deliveryId"]


def test_the_log_is_paged_newest_first_over_http(ann, made):
    path = f"/api/webhooks/{made['webhookId']}/deliveries"
    owed = [emit(ann.app, ann.tenant) for _ in range(5)]
    found, cursor = [], ""
    while True:
        body = ann.get(f"{path}?limit=2{cursor}").json
        found += body["items"]
        if not body["hasMore"]:
            break
        cursor = f"&cursor={body['nextCursor']}"

    assert sorted(item["eventId"] for item in found) == sorted(owed)
    moments = [item["createdAt"] for item in found]
    assert moments == sorted(moments, reverse=True)
    assert ann.get(f"{path}?status=failed").json["items"] == []
    assert ann.get(f"{path}?status=lost").status_code == 400


def test_an_event_is_sent_again_under_its_own_id(ann, made):
    path = f"/api/webhooks/{made['webhookId']}"
    event = emit(ann.app, ann.tenant)
    (first,) = ann.get(f"{path}/deliveries").json["items"]
    again = ann.post(f"{path}/deliveries/{first['deliveryId']}/redeliver")

    assert (again.status_code, again.json["eventId"], again.json["trigger"]) == (
        202,
        event,
        "manual",
    )
    assert slug(ann.post(f"{path}/deliveries/{uuid.uuid4()}/redeliver")) == "not-found"


def test_missed_events_are_recovered_once(ann):
    """Those from before the registration of the webhook are not among them."""
    emit(ann.app, ann.tenant)
    since = clock.timestamp(clock.now() - timedelta(hours=1))
    time.sleep(0.002)
    path = f"/api/webhooks/{ann.post('/api/webhooks', NEW).json['webhookId']}"
    ann.patch(path, {"status": "disabled"})
    missed = [emit(ann.app, ann.tenant) for _ in range(3)]
    emit(ann.app, ann.tenant, "live")
    ann.patch(path, {"status": "active"})
    time.sleep(0.002)
    first, second = (ann.post(f"{path}/recover", {"since": since}) for _ in range(2))

    assert (first.status_code, first.json["recovered"], second.json["recovered"]) == (202, 3, 0)
    sent = [item["eventId"] for item in ann.get(f"{path}/deliveries").json["items"]]
    assert sorted(sent) == sorted(missed)


def test_missed_events_are_recovered_once_by_two_calls_at_the_same_time(ann, monkeypatch):
    """As by a double click."""
    path = f"/api/webhooks/{ann.post('/api/webhooks', NEW).json['webhookId']}"
    ann.patch(path, {"status": "disabled"})
    missed = [emit(ann.app, ann.tenant) for _ in range(3)]
    ann.patch(path, {"status": "active"})
    time.sleep(0.002)
    since = clock.timestamp(clock.now() - timedelta(hours=1))
    both, undelivered = threading.Barrier(2), events.undelivered

    def at_once(*given):
        found = undelivered(*given)
        with suppress(threading.BrokenBarrierError):
            both.wait(1)
        return found

    monkeypatch.setattr(redelivery.events, "undelivered", at_once)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: ann.post(f"{path}/recover", {"since": since}), range(2)))

    assert sorted(answer.json["recovered"] for answer in answers) == [0, 3]
    sent = [item["eventId"] for item in ann.get(f"{path}/deliveries").json["items"]]
    assert sorted(sent) == sorted(missed)


def test_the_log_is_filtered_by_event_and_by_invoice(service, ann, made):
    """An unknown id gives an empty list."""
    path = f"/api/webhooks/{made['webhookId']}/deliveries"
    invoices = [str(uuid.uuid4()) for _ in range(2)]
    emitted = [emit(ann.app, ann.tenant, invoice=invoice) for invoice in (*invoices, invoices[0])]
    other = Dashboard(service, role=Role.ADMIN)
    other.post("/api/webhooks", NEW)
    theirs = emit(other.app, other.tenant, invoice=invoices[1])

    def listed(query: str) -> list[str]:
        answer = ann.get(f"{path}?{query}")
        assert answer.status_code == 200, answer.text
        return sorted(item["eventId"] for item in answer.json["items"])

    assert listed(f"eventId={emitted[0]}") == [emitted[0]]
    assert listed(f"invoiceId={invoices[0]}") == sorted([emitted[0], emitted[2]])
    assert listed(f"invoiceId={invoices[0].upper()}") == sorted([emitted[0], emitted[2]])
    assert listed(f"invoiceId={invoices[1]}") == [emitted[1]]
    assert listed(f"invoiceId={invoices[0]}&eventId={emitted[2]}") == [emitted[2]]
    assert listed(f"invoiceId={invoices[0]}&status=delivered") == []
    for unknown in (theirs, "evt_unknown", "x"):
        assert listed(f"eventId={unknown}") == []
    assert listed(f"invoiceId={uuid.uuid4()}") == []


def test_the_filtered_log_is_paged(ann, made):
    path = f"/api/webhooks/{made['webhookId']}/deliveries"
    invoice = str(uuid.uuid4())
    emitted = [emit(ann.app, ann.tenant, invoice=invoice) for _ in range(3)]
    first = ann.get(f"{path}?invoiceId={invoice}&limit=2").json
    rest = ann.get(f"{path}?invoiceId={invoice}&limit=2&cursor={first['nextCursor']}").json

    assert (first["hasMore"], rest["hasMore"]) == (True, False)
    assert sorted(i["eventId"] for i in first["items"] + rest["items"]) == sorted(emitted)


def test_a_webhook_of_all_events_is_posted_those_of_every_type(ann):
    """Also types that this version does not know."""
    made = ann.post("/api/webhooks", NEW | {"eventTypes": ["*"]})
    assert (made.status_code, made.json["eventTypes"]) == (201, ["*"])
    path = f"/api/webhooks/{made.json['webhookId']}"
    kinds = ["transaction.sent", "webhook.disabled", "invoice.lost"]
    emitted = [emit(ann.app, ann.tenant, event_type=kind) for kind in kinds]

    logged = ann.get(f"{path}/deliveries").json["items"]
    assert sorted(item["eventId"] for item in logged) == sorted(emitted)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"since": "yesterday"},
        {"since": "2026-11-21T10:00:00"},
        {"since": "2020-01-01"},
        {"since": "2026-11-21T10:00:00Z", "until": "2026-11-21T09:00:00Z"},
    ],
)
def test_an_invalid_period_of_recovery_is_refused(ann, made, body):
    answer = ann.post(f"/api/webhooks/{made['webhookId']}/recover", body)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")


def test_redelivery_to_a_disabled_webhook_is_409(ann, made):
    path = f"/api/webhooks/{made['webhookId']}"
    emit(ann.app, ann.tenant)
    (delivery,) = ann.get(f"{path}/deliveries").json["items"]
    ann.patch(path, {"status": "disabled"})

    since = {"since": clock.timestamp(clock.now() - timedelta(hours=1))}
    for action, body in (
        (f"deliveries/{delivery['deliveryId']}/redeliver", None),
        ("recover", since),
    ):
        answer = ann.post(f"{path}/{action}", body)
        assert (answer.status_code, slug(answer)) == (409, "conflict")


def test_a_removed_webhook_is_not_found(ann, made):
    path = f"/api/webhooks/{made['webhookId']}"
    ann.post(f"{path}/test")
    assert ann.delete(path).status_code == 204

    assert slug(ann.get(path)) == slug(ann.delete(path)) == "not-found"


# -- who may ---------------------------------------------------------------------------------------


def test_a_key_manages_the_webhooks_of_its_environment_with_the_scope(service, ann, made):
    """Without naming it; webhooks of the other environment are not found."""
    live = Caller(service, Environment.LIVE, ann.tenant, scopes=["webhooks:manage"])
    answer = live.call("POST", "/api/webhooks", b'{"url": "https://receiver.example/live"}')
    assert (answer.status_code, answer.json["environment"]) == (201, "live")
    assert [w["environment"] for w in live.get("/api/webhooks").json["items"]] == ["live"]
    assert len(ann.get("/api/webhooks").json["items"]) == 2
    assert len(ann.get("/api/webhooks?environment=live").json["items"]) == 1

    wrong = live.call(
        "POST", "/api/webhooks", b'{"url": "https://a.example/", "environment": "test"}'
    )
    assert wrong.json["errors"][0]["code"] == "other-environment"
    assert slug(live.get(f"/api/webhooks/{made['webhookId']}")) == "not-found"


def test_a_key_without_the_scope_manages_nothing(service):
    answer = Caller(service).get("/api/webhooks")

    assert (answer.status_code, slug(answer)) == (403, "insufficient-scope")


@pytest.mark.parametrize(
    ("method", "action"),
    [
        ("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/rotate-secret"), ("POST", "/test"),
        ("GET", "/deliveries"), ("POST", "/recover"), ("POST", "/deliveries/{delivery}/redeliver"),
    ],
)  # fmt: skip
def test_a_webhook_of_another_tenant_is_not_found(service, ann, made, method, action):
    """404, as for an unknown id; also for a key of the other environment."""
    path = f"/api/webhooks/{made['webhookId']}"
    delivery = ann.post(f"{path}/test").json["deliveryId"]
    body = {"since": clock.timestamp(clock.now() - timedelta(hours=1))} if "rec" in action else {}
    key = Caller(service, Environment.LIVE, ann.tenant, scopes=["webhooks:manage"]).key
    strangers = (
        {"x_api_key": Caller(service, scopes=["webhooks:manage"]).key},
        {"x_api_key": key},
        {"Authorization": f"Bearer {Dashboard(service).token}"},
    )
    for headers in strangers:
        answer = ann.call(method, path + action.format(delivery=delivery), body, **headers)
        assert (answer.status_code, slug(answer)) == (404, "not-found")

    assert len(ann.get(f"{path}/deliveries").json["items"]) == 1


@pytest.mark.parametrize(
    ("setting", "told"),
    [("", []), (" 192.0.2.0/28, 2001:db8::1 ,", ["192.0.2.0/28", "2001:db8::1"])],
)
def test_the_addresses_from_which_events_come_are_told(build, setting, told):
    """svix-docs#58, FormSG#3731, workos-node#1697: for the firewall before an endpoint."""
    person = Dashboard(build(event_addresses=setting), role=Role.ADMIN)

    answer = person.get("/api/webhooks/addresses")
    assert (answer.status_code, answer.json["addresses"]) == (200, told)


@pytest.mark.parametrize("setting", ["example.com", "192.0.2.1/24", "192.0.2.300", "1"])
def test_an_address_of_events_that_is_none_stops_the_start(setting):
    with pytest.raises(SettingsFault, match=r"EINVOICE_EVENT_ADDRESSES: .* is not an address"):
        Settings.from_env({"EINVOICE_EVENT_ADDRESSES": setting})
