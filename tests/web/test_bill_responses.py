"""Responses to bills: stored with their message, delivered by the network of the bill."""

from __future__ import annotations

import itertools
import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa
from prometheus_client import REGISTRY

import einvoice_loopback
from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE, ParticipantId
from einvoice.domain.roles import Role
from einvoice.network import samples
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import (
    INTERFACE_VERSION,
    AccessPointBase,
    DirectoryUnavailable,
    Registration,
    Rejected,
)
from einvoice.services.delivery import transmit
from einvoice.services.inbound import reception, responses
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import AuditEntry, BillResponse, Event, Message
from einvoice.web.runtime import runtime_of
from einvoice_loopback.simulator import Simulator
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

ONE_DATABASE = pytest.mark.parametrize("build", ["sqlite"], indirect=True)
ACCEPTED = {"responseCode": "AP"}
REJECTED = {
    "responseCode": "RE",
    "reasons": [
        {"code": "REF", "text": "No such order.", "conditions": [{"term": "BT-13", "value": "7"}]}
    ],
    "actions": [{"code": "NIN"}],
    "note": "Please call.",
    "effectiveDate": "2026-11-20",
}
_values = itertools.count(200_000_000)


class Inbox:
    """A tenant with a participant id, bills of the simulator, and a worker for responses."""

    def __init__(self, caller) -> None:
        self.caller = caller
        self.receiver = ParticipantId("9915", str(next(_values)))
        caller.own(str(self.receiver))

    def arrives(self, **fields) -> str:
        given = {"access_point": "simulator", "receiver": self.receiver} | fields
        with self.caller.app.app_context():
            parts = runtime_of(self.caller.app)
            return reception.receive(
                samples.inbound(**given), parts.caches, parts.computing, parts.forms
            ).document_id

    def respond(self, bill, body=ACCEPTED, who=None, **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        path = f"/api/invoices/{bill}/response"
        return (who or self.caller).call("POST", path, data=data, **headers)

    def bill(self, bill):
        return self.caller.get(f"/api/invoices/{bill}").json

    def work(self) -> None:
        with self.caller.app.app_context():
            token, lease = uuid.uuid4().hex, timedelta(seconds=60)
            found = outbox.claim(
                outbox.CHORES, self.caller.tenant, 100,
                token=token, now=clock.now(), lease=lease,
            )  # fmt: skip
            transmit.advance([row.id for row in found], token, runtime_of(self.caller.app))

    def events(self, bill):
        query = sa.select(Event).where(Event.invoice_id == bill, Event.type.like("response.%"))
        with self.caller.app.app_context(), db.reading() as connection:
            return [{"eventType": row.type, **row.payload} for row in connection.execute(query)]

    def artefacts(self, bill):
        items = self.caller.get(f"/api/invoices/{bill}/artefacts").json["items"]
        return {item["type"]: item["artefactId"] for item in items}


def answered() -> float:
    """How many responses the metric has counted."""
    labels = {"access_point": "simulator", "kind": "INVOICE_RESPONSE"}
    return REGISTRY.get_sample_value("einvoice_answer_seconds_count", labels) or 0.0


@pytest.fixture
def inbox(caller) -> Inbox:
    return Inbox(caller)


@pytest.fixture
def later(monkeypatch):
    """Move the clock by seconds."""
    real, moved = clock.now, []
    monkeypatch.setattr(clock, "now", lambda: real() + timedelta(seconds=sum(moved)))
    return moved.append


def test_a_response_is_accepted_and_shown_with_the_bill(inbox, caller):
    bill = inbox.arrives()
    answer = inbox.respond(bill, REJECTED)
    response = {name: answer.json[name] for name in inbox.bill(bill)["response"]}
    (item,) = caller.get("/api/invoices?direction=received").json["items"]

    assert answer.status_code == 200, answer.text
    assert (answer.json["invoiceId"], answer.json["responseCode"]) == (bill, "RE")
    assert (answer.json["status"], answer.json["settledAt"]) == ("Processing", None)
    assert inbox.bill(bill)["response"] == item["response"] == response
    assert inbox.bill(bill)["history"][-1]["event"] == "responded"
    assert inbox.bill(bill)["history"][-1]["detail"].startswith("RE by key ")


def test_a_bill_without_a_response_and_a_sent_invoice_have_none(inbox, caller):
    bill, sent = inbox.arrives(), caller.sent()

    assert inbox.bill(bill)["response"] is inbox.bill(sent)["response"] is None


def test_a_response_is_delivered_with_an_artefact_and_an_event(inbox, later):
    bill = inbox.arrives(number="B-7")
    response = inbox.respond(bill, REJECTED).json["responseId"]
    inbox.work()
    later(5)
    before = answered()
    inbox.work()
    assert answered() == before + 1
    shown, (event,) = inbox.bill(bill)["response"], inbox.events(bill)

    assert (shown["status"], shown["reason"]) == ("Delivered", None)
    assert shown["settledAt"] is not None
    assert event["eventType"] == "response.sent"
    assert (event["responseId"], event["responseCode"]) == (response, "RE")
    assert (event["status"], event["invoiceId"]) == ("Delivered", bill)
    kept = inbox.artefacts(bill)
    assert {"INVOICE_RESPONSE", "INVOICE_RESPONSE_RECEIPT"} <= kept.keys()
    path = f"/api/invoices/{bill}/artefacts/{kept['INVOICE_RESPONSE']}"
    document = inbox.caller.get(path).data
    for words in (b">B-7<", b">RE<", b"No such order.", b"Please call.", b"2026-11-20", b"NIN"):
        assert words in document


@ONE_DATABASE
def test_the_newest_of_several_responses_is_shown(inbox):
    bill = inbox.arrives()
    for code in ("AB", "IP", "AP"):
        assert inbox.respond(bill, {"responseCode": code}).status_code == 200
    history = [entry["detail"] for entry in inbox.bill(bill)["history"] if entry["detail"]]

    assert inbox.bill(bill)["response"]["responseCode"] == "AP"
    assert [words[:2] for words in history if " by key " in words] == ["AB", "IP", "AP"]


def test_a_repeated_key_answers_with_the_first_response(inbox, caller):
    bill = inbox.arrives()
    first = inbox.respond(bill, Idempotency_Key="k-1")
    again = inbox.respond(bill, Idempotency_Key="k-1")
    other = inbox.respond(bill, {"responseCode": "PD"}, Idempotency_Key="k-1")

    assert first.json == again.json == other.json
    assert first.json["idempotencyKeyEcho"] == "k-1"
    replays = [each.headers["Idempotency-Replay"] for each in (first, again, other)]
    assert replays == ["false", "true", "true"]
    assert other.headers["Idempotency-Payload-Mismatch"] == "true"
    assert caller.count(BillResponse) == caller.count(Message) == 1


def test_of_concurrent_requests_with_one_key_one_makes_a_response(inbox, caller):
    bill = inbox.arrives()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: inbox.respond(bill, Idempotency_Key="k-1"), range(4)))

    assert len({each.json["responseId"] for each in found}) == 1
    assert sorted(each.headers["Idempotency-Replay"] for each in found) == ["false", *["true"] * 3]
    assert caller.count(BillResponse) == caller.count(Message) == 1


@ONE_DATABASE
def test_another_body_for_a_key_is_refused_in_strict_mode(inbox, caller):
    bill = inbox.arrives()
    caller.switch(strict_idempotency=True)
    inbox.respond(bill, Idempotency_Key="k-1")
    answer = inbox.respond(bill, {"responseCode": "PD"}, Idempotency_Key="k-1")

    assert (answer.status_code, slug(answer)) == (422, "idempotency-key-reuse")


@ONE_DATABASE
def test_a_key_of_a_send_is_another_key(inbox, caller):
    bill = inbox.arrives()
    caller.send(Idempotency_Key="k-1")

    assert inbox.respond(bill, Idempotency_Key="k-1").headers["Idempotency-Replay"] == "false"


@ONE_DATABASE
@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/responseCode"),
        ({"responseCode": "XX"}, "/responseCode"),
        ({"responseCode": "RE"}, "/reasons"),
        ({"responseCode": "UQ", "reasons": [{"code": "NIN"}]}, "/reasons/0/code"),
        ({"responseCode": "CA", "actions": [{"code": "REF"}]}, "/actions/0/code"),
        ({"responseCode": "AP", "reasons": [{"code": "PPD", "text": "1"}]}, "/reasons/0/code"),
        ({"responseCode": "PD", "reasons": [{"code": "PPD"}]}, "/reasons/0/text"),
        ({"responseCode": "AP", "effectiveDate": "soon"}, "/effectiveDate"),
        ({"responseCode": "AP", "note": "x" * 1001}, "/note"),
        ({"responseCode": "AP", "more": 1}, "/more"),
        (
            {"responseCode": "CA", "reasons": [{"code": "REF", "conditions": [{"term": "13"}]}]},
            "/reasons/0/conditions/0/term",
        ),
    ],
)
def test_a_wrong_response_is_refused_with_the_field(inbox, caller, body, pointer):
    answer = inbox.respond(inbox.arrives(), body)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert pointer in [error["pointer"] for error in answer.json["errors"]]
    assert caller.count(BillResponse) == 0


@ONE_DATABASE
@pytest.mark.parametrize("body", [b"", b"[]", b"{"])
def test_a_body_that_is_not_an_object_is_refused(inbox, body):
    assert slug(inbox.respond(inbox.arrives(), body)) == "invalid-body"


@ONE_DATABASE
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"access_point": "sample"}, "has no responses"),
        ({"document": b"<Other/>"}, "no invoice number"),
        ({"sender": ParticipantId.parse("0088:9520000000080")}, "not registered for responses"),
        ({"sender": ParticipantId.parse("0088:9520000000097")}, "not registered for responses"),
    ],
    ids=["network", "number", "not registered", "other documents"],
)
def test_a_bill_that_cannot_be_responded_to_is_a_conflict(inbox, caller, fields, words):
    answer = inbox.respond(inbox.arrives(**fields))

    assert (answer.status_code, slug(answer)) == (409, "conflict")
    assert words in answer.json["detail"]
    assert caller.count(BillResponse) == 0


@ONE_DATABASE
def test_a_self_billed_invoice_cannot_be_responded_to(inbox):
    document = samples.inbound().document.replace(
        b">380</cbc:InvoiceTypeCode>", b">389</cbc:InvoiceTypeCode>"
    )
    answer = inbox.respond(inbox.arrives(document=document))

    assert (answer.status_code, slug(answer)) == (409, "conflict")
    assert "self-billed" in answer.json["detail"]


@ONE_DATABASE
def test_a_sent_invoice_cannot_be_responded_to(inbox, caller):
    answer = inbox.respond(caller.sent())

    assert (answer.status_code, slug(answer)) == (409, "conflict")


@ONE_DATABASE
def test_the_responses_to_a_bill_are_bounded(inbox, monkeypatch):
    monkeypatch.setattr(responses, "MAX_RESPONSES", 2)
    bill = inbox.arrives()
    found = [inbox.respond(bill) for _ in range(3)]

    assert [each.status_code for each in found] == [200, 200, 409]


@ONE_DATABASE
def test_a_directory_that_does_not_answer_is_503(inbox, caller, monkeypatch):
    """That of the sandbox rehearses an outage, of which operators are not told."""

    def fail(*_):
        raise DirectoryUnavailable("away")

    monkeypatch.setattr(Simulator, "takes_responses", fail)
    faults = REGISTRY.get_sample_value("einvoice_network_faults_total")
    answer = inbox.respond(inbox.arrives())

    assert (answer.status_code, slug(answer)) == (503, "access-point-unavailable")
    assert caller.count(BillResponse) == 0
    assert REGISTRY.get_sample_value("einvoice_network_faults_total") == faults


@ONE_DATABASE
def test_another_tenant_cannot_respond(inbox, caller):
    """404, as for an unknown id, also with the key of an earlier response."""
    bill = inbox.arrives()
    inbox.respond(bill, Idempotency_Key="k-1")
    strangers = [
        Caller(caller.app),
        Caller(caller.app, Environment.LIVE, caller.tenant),
        Dashboard(caller.app),
    ]
    for stranger in strangers:
        answer = inbox.respond(bill, who=stranger, Idempotency_Key="k-1")
        assert (answer.status_code, slug(answer)) == (404, "not-found")
    assert caller.count(BillResponse) == 1


@ONE_DATABASE
def test_members_respond_and_viewers_and_reading_keys_do_not(inbox, caller):
    bill = inbox.arrives()
    member = Dashboard(caller.app, caller.tenant, role=Role.MEMBER)
    viewer = Dashboard(caller.app, caller.tenant, role=Role.VIEWER)
    reader = Caller(caller.app, tenant=caller.tenant, scopes=["invoices:read"])

    assert slug(inbox.respond(bill, who=viewer)) == "forbidden"
    assert slug(inbox.respond(bill, who=reader)) == "insufficient-scope"
    assert inbox.respond(bill, who=member).status_code == 200
    assert inbox.bill(bill)["history"][-1]["detail"] == "AP by ann@example.com"
    assert caller.count(AuditEntry) == 1


class Refusing(AccessPointBase):
    """A network that carries responses, and refuses all documents."""

    name, network, environment = "simulator", "simulator", Environment.TEST

    def lookup(self, participant):
        return Registration((BIS_INVOICE,))

    def takes_responses(self, receiver):
        return True

    def response_message(self, answer):
        return Simulator.response_message(self, answer)

    def submit(self, envelope, prepared):
        return Rejected("R-1", "The seller has moved.")


class RefusingPlugin:
    EINVOICE_INTERFACE = INTERFACE_VERSION

    @hookimpl
    def einvoice_access_points(self):
        yield Refusing()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_response_that_is_refused_fails_with_its_reason(make_app):
    inbox = Inbox(Caller(make_app([RefusingPlugin()])))
    bill = inbox.arrives()
    inbox.respond(bill)
    inbox.work()
    shown, (event,) = inbox.bill(bill)["response"], inbox.events(bill)

    assert (shown["status"], shown["reason"]) == ("Failed", "The seller has moved.")
    assert (event["eventType"], event["reason"]) == ("response.failed", "The seller has moved.")
    assert "INVOICE_RESPONSE" not in inbox.artefacts(bill)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_no_invoice_comes_back_for_a_response_in_the_sandbox(make_app, later):
    """0088:9520000000127 answers invoices only."""
    inbox = Inbox(Caller(make_app([einvoice_loopback])))
    bill = inbox.arrives(sender=ParticipantId.parse("0088:9520000000127"))
    inbox.respond(bill)
    for _ in range(4):
        inbox.work()
        later(5)

    assert inbox.bill(bill)["response"]["status"] == "Delivered"
    assert len(inbox.caller.get("/api/invoices").json["items"]) == 1
