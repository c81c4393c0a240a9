"""Claims of participant ids over HTTP: what a tenant sees, and what a pending one may not do."""

from __future__ import annotations

import json
import uuid

import pytest

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.roles import Role
from einvoice.network import samples
from einvoice.network.types import NotServiced, Stored
from einvoice.services.account import claims, tenants
from einvoice.store.tables import Invoice
from einvoice.web.runtime import runtime_of
from tests.builders import send_body
from tests.networks import registrar
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.documented import posted, undocumented
from tests.web.submission.documents import request_of, ubl

LIVE = Environment.LIVE


@pytest.fixture(scope="module")
def service(build):
    return build([registrar])


@pytest.fixture
def live(service):
    return Caller(service, LIVE)


@pytest.fixture
def ann(live):
    return Dashboard(live.app, live.tenant, Role.ADMIN)


@pytest.fixture
def participant():
    """One that no other test of this database claims."""
    return f"0088:{uuid.uuid4().int % 10**13:013d}"


@pytest.fixture
def approve(live):
    def _approve(tenant, participant):
        runtime = runtime_of(live.app)
        with live.app.app_context():
            parsed = ParticipantId.parse(participant)
            claims.approve(tenant, LIVE, parsed, "Register extract.", runtime.caches)

    return _approve


def claimed(person, participant):
    return person.post("/api/participants", {"participantId": participant, "environment": "live"})


def body_from(participant):
    """A send from a participant, to one of the network."""
    body = send_body(str(uuid.uuid4()))
    ends = {"senderParticipantId": participant, "receiverParticipantId": registrar.ELSEWHERE}
    body["routing"] |= ends
    return body


def test_a_live_claim_is_pending_whoever_has_the_id(live, ann, participant):
    """Status, headers and members of the answer do not differ."""
    with live.app.app_context():
        tenants.own_participant(live.tenant, LIVE, ParticipantId.parse(participant))
    stranger = Dashboard(live.app)
    other = participant[:-4] + "0000"
    taken, free = claimed(stranger, participant), claimed(stranger, other)

    assert (taken.status_code, free.status_code) == (201, 201)
    assert taken.json["status"] == "pending"
    same = {"participantId": participant, "createdAt": taken.json["createdAt"]}
    assert {**free.json, **same} == taken.json
    ignored = {"Location", "X-Request-Id", "Date"}
    shown = [{k: v for k, v in a.headers if k not in ignored} for a in (taken, free)]
    assert shown[0].keys() == shown[1].keys()


def test_the_list_says_what_became_of_a_claim(live, ann, participant, approve):
    claimed(ann, participant)
    (pending,) = ann.get("/api/participants").json["items"]
    assert (pending["status"], pending["decidedAt"], pending["decidedBy"]) == (
        "pending",
        None,
        None,
    )
    approve(live.tenant, participant)
    (verified,) = ann.get("/api/participants").json["items"]

    assert (verified["status"], verified["decidedBy"]) == ("verified", "operator")
    assert verified["reason"] == "Register extract."
    assert slug(claimed(ann, participant)) == "conflict"


def test_a_pending_id_sends_nothing(live, ann, participant, approve):
    """The refusal names the field and what to do; after the approval the send goes on."""
    claimed(ann, participant)
    body = body_from(participant)
    refused = live.send(body)
    assert (refused.status_code, slug(refused)) == (403, "sender-not-verified")
    assert refused.json["field"] == "routing.senderParticipantId"
    assert refused.json["participantStatus"] == "pending"
    assert "participant.verified" in refused.json["detail"]
    approve(live.tenant, participant)

    assert slug(live.send(body)) == "unknown-access-point-ref"


def test_the_refusal_of_the_deprecated_send_has_its_field(live, ann, participant):
    claimed(ann, participant)
    lines = [{"description": "Service", "quantity": 1, "unitPrice": 100, "vatRate": 0.21}]
    body = {
        "senderParticipantId": participant, "receiverParticipantId": registrar.ELSEWHERE,
        "invoiceNumber": "1", "invoiceDate": "2026-11-21", "dueDate": "2026-12-21",
        "currency": "EUR", "vendorName": "A", "customerName": "B",
        "lineItems": lines, "totalAmount": 121,
    }  # fmt: skip
    raw = json.dumps(body).encode()
    refused = live.call("POST", "/v1/invoices/send", raw, Content_Type="application/json")

    assert slug(refused) == "sender-not-verified", refused.text
    assert refused.json["field"] == "senderParticipantId"


def test_the_refusal_of_a_submitted_document_has_its_field(live, ann):
    """The sender of the document is the one of the request."""
    participant = f"0088:{uuid.uuid4().int % 10**13:013d}"
    claimed(ann, participant)
    document = ubl(sender=participant, receiver=registrar.ELSEWHERE)
    body = request_of(document, registrar.ELSEWHERE, sender={"peppolId": participant})
    refused = live.bearer("POST", "/v1/invoices", body)

    assert slug(refused) == "sender-not-verified", refused.text
    assert refused.json["field"] == "sender.peppolId"


def test_a_rejected_id_is_refused_with_the_reason(live, ann, participant):
    claimed(ann, participant)
    with live.app.app_context():
        claims.reject(live.tenant, LIVE, ParticipantId.parse(participant), "Not your number.")
    refused = live.send(body_from(participant))

    assert refused.json["participantStatus"] == "rejected"
    assert "Not your number." in refused.json["detail"]


def test_a_claim_of_another_tenant_is_not_seen_by_a_send(live, participant):
    claimed(Dashboard(live.app), participant)

    assert slug(live.send(body_from(participant))) == "sender-not-owned"


def test_a_pending_id_receives_nothing(live, ann, participant, approve):
    """Its documents are refused to the network until the claim is verified."""
    inbox = runtime_of(live.app).access_points["register-live"].inbox
    document = samples.inbound(
        access_point="register-live", environment=LIVE, receiver=ParticipantId.parse(participant)
    )
    claimed(ann, participant)
    before = inbox.deliver_inbound(document)
    approve(live.tenant, participant)
    after = inbox.deliver_inbound(document)

    assert (type(before), type(after)) == (NotServiced, Stored)
    assert live.count(Invoice) == 1


def test_decisions_are_events(live, ann, participant, approve):
    claimed(ann, participant)
    approve(live.tenant, participant)
    claimed(ann, "0088:1")
    with live.app.app_context():
        claims.reject(live.tenant, LIVE, ParticipantId.parse("0088:1"), "Not your number.")

    assert [(one["eventType"], one["participantId"]) for one in posted(live)] == [
        ("participant.verified", participant), ("participant.rejected", "0088:1"),
    ]  # fmt: skip
    assert undocumented(live) == []


def test_separators_alone_are_no_participant_id(ann):
    answer = ann.post("/api/participants", {"participantId": "0088: /", "environment": "live"})

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [each["pointer"] for each in answer.json["errors"]] == ["/participantId"]
