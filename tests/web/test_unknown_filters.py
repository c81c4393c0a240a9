"""Parameters in addresses: unknown ones are refused. Filters of lists: an unknown value gives an
empty list, a malformed one is refused."""

from __future__ import annotations

import json

import pytest

from einvoice.domain.roles import Role
from tests.web.caller import slug
from tests.web.dashboard import Dashboard

UNKNOWN = "401d1db2-3457-4568-b286-c4316db530cc"


@pytest.fixture(scope="module")
def ann(service) -> Dashboard:
    """An owner, with one invoice, event, customer, webhook and delivery."""
    person = Dashboard(service, role=Role.OWNER)
    person.post("/api/customers", {"name": "Buyer BV"})
    return person


@pytest.fixture(scope="module")
def hook(ann) -> str:
    new = {"url": "https://erp.example/hook", "environment": "test"}
    found = ann.post("/api/webhooks", new).json["webhookId"]
    ann.post(f"/api/webhooks/{found}/test")
    return str(found)


@pytest.mark.parametrize(
    "path",
    [
        f"/api/invoices?customerId={UNKNOWN}",
        "/api/invoices?receiverParticipantId=0088:9520000000998",
        "/api/invoices?senderParticipantId=0088:9520000000998",
        "/api/invoices?number=none",
        f"/api/events?invoiceId={UNKNOWN}",
        "/api/events?invoiceId=x",
        "/api/webhooks/{hook}/deliveries?eventId=evt_b05c994c8d56496382ae9eeef1ef4cc3",
        f"/api/webhooks/{{hook}}/deliveries?invoiceId={UNKNOWN}",
        f"/api/audit?target={UNKNOWN}",
        "/api/audit?actor=unknown",
        "/api/customers?peppolId=0088:9520000000998",
        "/api/customers?taxId=none",
        "/api/suppliers?peppolId=0088:9520000000998",
    ],
)
def test_an_unknown_value_gives_an_empty_list(ann, hook, path):
    answer = ann.get(path.format(hook=hook))

    assert answer.status_code == 200, answer.text
    assert answer.json["items"] == []
    assert answer.json["hasMore"] is False


@pytest.mark.parametrize(
    "path",
    [
        "/api/invoices?customerId=" + 41 * "x",
        "/api/invoices?receiverParticipantId=gln-17",
        "/api/invoices?networkStatus=Sent",
        "/api/events?invoiceId=" + 65 * "x",
        "/api/events?eventType=invoice.lost",
        "/api/webhooks/{hook}/deliveries?eventId=" + 65 * "x",
        "/api/webhooks/{hook}/deliveries?invoiceId=" + 65 * "x",
        "/api/webhooks/{hook}/deliveries?status=lost",
        "/api/customers?peppolId=gln-17",
        "/api/events?invoiceId=%00",
        "/api/invoices?customerId=%00",
        "/api/webhooks/{hook}/deliveries?eventId=%00",
    ],
)
def test_a_malformed_value_is_refused_with_its_parameter(ann, hook, path):
    answer = ann.get(path.format(hook=hook))
    parameter = path.partition("?")[2].partition("=")[0]

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [error["pointer"] for error in answer.json["errors"]] == [f"/{parameter}"]


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("/api/invoices/send?dryRun=true", ["/dryRun"]),
        ("/v2/invoices/send?dryRun=true&a~b=", ["/dryRun", "/a~0b"]),
        ("/v1/invoices/send?validate=1", ["/validate"]),
        ("/v1/invoices?dryRun=true", ["/dryRun"]),
        ("/v1/invoices/batch?dryRun=true", ["/dryRun"]),
        (f"/api/invoices/{UNKNOWN}/resend?regenerate=true", ["/regenerate"]),
    ],
)
def test_a_parameter_beside_a_body_is_refused(caller, path, parameters):
    """A send with ?dryRun=true would otherwise be a real one."""
    answer = caller.call("POST", path, json.dumps(caller.body()).encode(), Idempotency_Key="one")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [(error["pointer"], error["code"]) for error in answer.json["errors"]] == [
        (parameter, "unknown-field") for parameter in parameters
    ]
    assert caller.stored() == 0
    assert caller.send(Idempotency_Key="one").status_code == 200


@pytest.mark.parametrize(("count", "more"), [(100, False), (101, True)])
def test_a_hundred_parameters_beside_a_body_are_listed(caller, count, more):
    query = "&".join(f"p{number}=1" for number in range(count))
    answer = caller.call("POST", f"/api/invoices/send?{query}", b"{}")

    assert len(answer.json["errors"]) == 100
    assert ("truncated" in answer.json) is more


@pytest.mark.parametrize(
    ("query", "status", "expected"),
    [
        ("participantId=0088:9520000000004", 200, None),
        ("participantId=0088:9520000000004&network=", 400, "/network"),
        ("participantId=0088:9520000000004&Network=peppol", 400, "/Network"),
        (
            "participantId=0088:9520000000004&participantId=0088:9520000000080",
            400,
            "/participantId",
        ),
        ("participantid=0088:9520000000004", 400, None),
    ],
)
def test_a_lookup_takes_each_of_its_parameters_once(caller, query, status, expected):
    """Without participantId the refusal is missing-participant-id, whatever else is given."""
    answer = caller.get(f"/api/participants/lookup?{query}")

    assert answer.status_code == status
    if status == 400:
        assert slug(answer) == ("invalid-field" if expected else "missing-participant-id")
        assert [e["pointer"] for e in answer.json.get("errors", [])] == [expected][: bool(expected)]
