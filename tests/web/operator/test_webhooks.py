"""Webhooks of tenants by operators: added, rotated, removed; their log, and events again."""

from __future__ import annotations

import re

import pytest

from einvoice import clock
from tests.web.caller import slug
from tests.web.console import OperatorPerson, OperatorProgram
from tests.web.dashboard import Dashboard

HOOK = {"url": "https://erp.example/hook", "environment": "test", "eventTypes": ["*"]}


@pytest.fixture
def ann(service) -> Dashboard:
    return Dashboard(service)


def made(program: OperatorProgram, tenant: str) -> str:
    answer = program.post(f"/tenants/{tenant}/webhooks", HOOK)
    assert answer.status_code == 201, answer.text
    return str(answer.json["webhookId"])


def test_a_webhook_is_added_rotated_and_removed_by_a_program(program, ann):
    """Secrets are in the answers that make them, and the tenant's log names the operator."""
    answer = program.post(f"/tenants/{ann.tenant}/webhooks", HOOK)
    path = f"/tenants/{ann.tenant}/webhooks/{answer.json['webhookId']}"
    rotated = program.post(f"{path}/rotate-secret").json
    listed = program.get(f"/tenants/{ann.tenant}/webhooks").text
    gone = program.call("DELETE", f"/api/operator{path}")
    log = ann.get("/api/audit").json["items"]

    assert answer.json["eventTypes"] == ["*"]
    assert rotated["signingSecret"] != answer.json["signingSecret"]
    assert rotated["signingSecret"] not in listed
    assert gone.status_code == 204
    assert program.get(f"/tenants/{ann.tenant}/webhooks").json["items"] == []
    assert [one["action"] for one in log[:3]] == [
        "webhook.removed", "webhook.secret-rotated", "webhook.created",
    ]  # fmt: skip
    assert {one["detail"]["operator"] for one in log[:3]} == {"night shift"}


def test_a_webhook_is_added_rotated_and_removed_on_its_page(person, ann):
    path = f"/tenants/{ann.tenant}/webhooks"
    page = person.post(path, {"url": HOOK["url"], "environment": "test", "eventTypes": "*"})
    [secret] = re.findall(r"whsec_[A-Za-z0-9+/=]+", page.text)
    [one] = set(re.findall(rf"/operator({path}/[0-9a-f-]+)\"", page.text))
    rotated = person.post(one, {"do": "rotate"})
    again = person.get(one)
    gone = person.followed(person.post(one, {"do": "remove"}))

    assert page.headers["Cache-Control"] == "no-store"
    assert secret not in rotated.text + again.text
    assert "It is removed." in gone.text
    assert HOOK["url"] not in gone.text


def test_deliveries_are_shown_sent_again_and_recovered(service, program, person, ann):
    hook = made(program, ann.tenant)
    path = f"/tenants/{ann.tenant}/webhooks/{hook}"
    program.post(f"{path}/test")
    [sent] = program.get(f"{path}/deliveries").json["items"]
    again = program.post(f"{path}/deliveries/{sent['deliveryId']}/redeliver")
    by_hand = person.followed(person.post(f"{path}/deliveries/{sent['deliveryId']}"))
    recovered = program.post(f"{path}/recover", {"since": clock.timestamp(clock.now())[:10]})
    page = person.post(f"{path}/recover", {"hours": "24"})

    assert (again.status_code, again.json["trigger"]) == (202, "manual")
    assert "The event is delivered again." in by_hand.text
    assert by_hand.text.count("webhook.test") >= 2
    assert recovered.status_code == 202, recovered.text
    assert "events are sent again" in page.text
    assert person.get(f"{path}?status=failed").status_code == 200


def test_the_log_is_paged(program, ann):
    path = f"/tenants/{ann.tenant}/webhooks/{made(program, ann.tenant)}"
    sent = [program.post(f"{path}/test").json["deliveryId"] for _ in range(3)]
    first = program.get(f"{path}/deliveries?limit=2").json
    second = program.get(f"{path}/deliveries?limit=2&cursor={first['nextCursor']}").json

    seen = [one["deliveryId"] for page in (first, second) for one in page["items"]]
    assert seen == sent[::-1]
    assert second["nextCursor"] is None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": "https://erp.example/h"},
        {"url": "ftp://erp.example/h", "environment": "test"},
        {"url": "https://10.0.0.1/h", "environment": "live"},
        {"url": "https://erp.example/" + "x" * 100_000, "environment": "test"},
        {"url": "https://erp.example/h", "environment": "test", "eventTypes": ["no.such"]},
    ],
)
def test_a_webhook_that_cannot_be_is_refused_at_its_field(program, person, ann, body):
    typed = body | {"eventTypes": " ".join(body.get("eventTypes", []))}

    assert slug(program.post(f"/tenants/{ann.tenant}/webhooks", body)) == "invalid-field"
    assert person.post(f"/tenants/{ann.tenant}/webhooks", typed).status_code == 400
    assert program.get(f"/tenants/{ann.tenant}/webhooks").json["items"] == []


def test_a_webhook_of_another_tenant_is_not_found_below_this_one(service, program, person, ann):
    other = Dashboard(service)
    hook = made(program, other.tenant)
    program.post(f"/tenants/{other.tenant}/webhooks/{hook}/test")
    [sent] = program.get(f"/tenants/{other.tenant}/webhooks/{hook}/deliveries").json["items"]
    path = f"/tenants/{ann.tenant}/webhooks/{hook}"
    answers = [
        program.post(f"{path}/rotate-secret"),
        program.post(f"{path}/recover", {"since": clock.timestamp(clock.now())[:10]}),
        program.post(f"{path}/deliveries/{sent['deliveryId']}/redeliver"),
        program.get(f"{path}/deliveries"),
        program.call("DELETE", f"/api/operator{path}"),
        person.get(path),
        *(person.post(path, {"do": do}) for do in ("rotate", "remove", "test", "disable")),
        person.post(f"{path}/deliveries/{sent['deliveryId']}"),
        person.post(f"{path}/recover", {"hours": "1"}),
    ]

    assert [answer.status_code for answer in answers] == [404] * len(answers)
    assert (
        OperatorPerson(service).get(f"/tenants/{other.tenant}/webhooks/{hook}").status_code == 200
    )
