"""What receivers say of delivered invoices: members, history, filters, events (decisions 30.3)."""

from __future__ import annotations

import itertools
import json
from datetime import datetime

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.artefacts import INVOICE_RESPONSE, MLS, ArtefactKind
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE, ParticipantId
from einvoice.domain.responses import ReceiverResponse, ResponseStatus
from einvoice.domain.roles import Role
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import (
    INTERFACE_VERSION,
    AccessPointBase,
    Capabilities,
    Delivered,
    Evidence,
    Registration,
    receipt,
)
from einvoice.services.delivery import pushed_outcomes
from einvoice.store.core import db
from einvoice.store.tables import AuditEntry
from tests.builders import RECEIVER
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

NOTE = ArtefactKind("BUYER_NOTE", "text/plain", "note-{number}.txt")
_serial = itertools.count(1)


class Network(AccessPointBase):
    name, network, environment = "post-test", "post", Environment.TEST
    capabilities = Capabilities()

    def lookup(self, participant: ParticipantId):
        return Registration((BIS_INVOICE, BIS_CREDIT_NOTE))

    def submit(self, envelope, prepared):
        return Delivered((receipt(b"<Receipt/>"),))


class Plugin:
    EINVOICE_INTERFACE = INTERFACE_VERSION

    @hookimpl
    def einvoice_access_points(self):
        yield Network()


@pytest.fixture(scope="module")
def service(build):
    return build([Plugin()])


def code(response_code, kind=INVOICE_RESPONSE):
    content = f"<Response>{next(_serial)}</Response>".encode()
    return Evidence(kind, content, response_code=response_code, reasons=("Wrong price",))


def said(status, at=None, by=None, text=None, reasons=()):
    response = ReceiverResponse(status, at, by, reasons, text)
    return Evidence(NOTE, str(next(_serial)).encode(), response=response)


def delivered(caller):
    invoice = caller.sent(number=f"N-{next(_serial)}")
    caller.work()
    return invoice


def arrives(caller, invoice, *evidence):
    """The evidence is pushed by the network, as at an endpoint of a plugin."""
    found = caller.get(f"/api/invoices/{invoice}").json
    with caller.app.app_context():
        pushed_outcomes.deliver_evidence("post-test", found["transactionId"], evidence)
    answer = caller.get(f"/api/invoices/{invoice}")
    assert answer.status_code == 200, answer.text
    return answer.json


def events(caller, invoice, move):
    """Its events of responses; the feed shows them after a moment."""
    move(seconds=6)
    return caller.get(f"/api/events?invoiceId={invoice}&eventType=invoice.responded").json["items"]


def done(caller, invoice):
    return caller.call("POST", f"/api/invoices/{invoice}/attention/done")


def listed(caller, query, path="/api/invoices"):
    answer = (
        caller.bearer("GET", f"{path}?{query}") if path.startswith("/v1")
        else caller.get(f"{path}?{query}")
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    return [item.get("invoiceId", item.get("id")) for item in answer.json["items"]]


def test_every_code_of_a_network_has_one_status_and_the_invoice_stays_delivered(caller):
    """A Message Level Status is about the message: it never says that the buyer accepts."""
    cases = [
        *((code(c), s) for c, s in {
            "AB": "received", "IP": "inProcess", "UQ": "inProcess", "CA": "conditionallyAccepted",
            "RE": "rejected", "AP": "accepted", "PD": "paid",
        }.items()),
        (code("AB", MLS), "received"), (code("AP", MLS), "received"),
        (code("RE", MLS), "undeliverable"),
        (said(ResponseStatus.UNDELIVERABLE, text="550 no such mailbox"), "undeliverable"),
    ]  # fmt: skip

    for evidence, status in cases:
        found = arrives(caller, delivered(caller), evidence)
        shown = (found["networkStatus"], found["response"]["status"], found["attention"])
        assert shown == ("Delivered", status, status in {"rejected", "undeliverable"}), evidence


def test_a_rejection_is_on_the_invoice_in_its_lists_and_in_its_event(caller, move):
    invoice, at = delivered(caller), clock.now()
    move(hours=1)
    assert caller.get(f"/api/invoices/{invoice}").json["response"] is None
    found = arrives(
        caller, invoice,
        said(ResponseStatus.REJECTED, at, "Buyer BV", "Call us.", ("Wrong order", "Too late")),
    )  # fmt: skip
    expected = {
        "status": "rejected",
        "at": clock.timestamp(at),
        "by": "Buyer BV",
        "reasons": ["Wrong order", "Too late"],
        "text": "Call us.",
    }
    [event] = events(caller, invoice, move)
    [item] = caller.get("/api/invoices").json["items"]
    [document] = caller.bearer("GET", "/v1/invoices").json["items"]
    tracked = caller.bearer("GET", f"/v1/invoices/{invoice}").json

    assert found["response"] == expected
    assert item["response"] == expected
    assert document["response"] == expected
    assert (tracked["response"], tracked["attention"]) == (expected, True)
    assert (event["response"], event["responseCode"]) == (expected, "RE")
    assert event["reasons"] == ["Wrong order", "Too late"]
    assert found["history"][-1]["event"] == "responded"
    words = "rejected by Buyer BV: Wrong order; Too late; Call us."
    assert found["history"][-1]["detail"] == words


def test_each_response_is_in_the_history_and_the_last_one_counts(caller, move):
    """That a message was received says nothing of what became of the invoice; nor does a response
    that was said on an earlier day."""
    invoice, yesterday = delivered(caller), clock.now()
    move(days=1)
    responses = [
        code("AB"), said(ResponseStatus.PAID), code("AB", MLS),
        said(ResponseStatus.ACCEPTED, yesterday), said(ResponseStatus.REJECTED, yesterday),
    ]  # fmt: skip
    found = [arrives(caller, invoice, each) for each in responses]
    told = [each["detail"] for each in found[-1]["history"] if each["event"] == "responded"]

    assert [each["response"]["status"] for each in found] == ["received", *["paid"] * 4]
    assert [each.split(":")[0] for each in told] == [
        "received", "paid", "received", "accepted", "rejected",
    ]  # fmt: skip
    assert found[-1]["attention"] is False


def test_the_same_evidence_again_is_one_response(caller, move):
    invoice, evidence = delivered(caller), code("RE")
    for _ in range(2):
        found = arrives(caller, invoice, evidence)
    assert [each["event"] for each in found["history"]].count("responded") == 1
    assert len(events(caller, invoice, move)) == 1


def test_lists_filter_by_response_and_attention_in_every_order(caller):
    rejected, accepted, silent = (delivered(caller) for _ in range(3))
    arrives(caller, rejected, code("RE"))
    arrives(caller, accepted, code("AP"))
    cases = [
        ("response=rejected", [rejected]),
        ("response=accepted", [accepted]),
        ("response=paid", []),
        ("attention=true", [rejected]),
        ("attention=true&response=accepted", []),
        ("response=rejected&networkStatus=Delivered&currency=EUR", [rejected]),
        ("response=rejected&networkStatus=Failed", []),
        ("response=rejected&sort=number", [rejected]),
        ("attention=true&sort=-networkStatus", [rejected]),
        ("attention=true&sort=grandTotal", [rejected]),
        ("", [silent, accepted, rejected]),
    ]
    other = Caller(caller.app)

    for query, expected in cases:
        for path in ("/api/invoices", "/v1/invoices"):
            assert listed(caller, query, path) == expected, (path, query)
            assert listed(other, query, path) == [], (path, query)
    counted = caller.get("/api/invoices?attention=true&include=total").json["total"]
    assert (counted, caller.get("/api/invoices?response=accepted&include=total").json["total"]) == (
        1,
        1,
    )


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("response=Rejected", "one of received, inProcess"),
        ("attention=false", "true"),
        ("attention=", "blank"),
    ],
)
def test_other_values_of_the_filters_are_refused(caller, query, words):
    answer = caller.get(f"/api/invoices?{query}")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")


def test_a_rejection_needs_a_person_until_someone_says_that_it_is_done(caller):
    """By the dashboard's people, and by keys that may send; the first time and name stay."""
    invoice = delivered(caller)
    arrives(caller, invoice, code("RE"))
    first, second = done(caller, invoice), done(caller, invoice)

    assert first.status_code == 200
    assert (first.json["attention"], first.json["response"]["status"]) == (False, "rejected")
    assert first.json["history"][-1]["event"] == "attentionDone"
    assert first.json["history"][-1]["detail"].startswith("by key ")
    assert second.json == first.json
    assert listed(caller, "attention=true") == []
    assert listed(caller, "response=rejected") == [invoice]
    with caller.app.app_context(), db.reading() as connection:
        query = sa.select(AuditEntry.action).where(AuditEntry.tenant_id == caller.tenant)
        assert list(connection.execute(query).scalars()).count("attention.done") == 1


def test_an_acceptance_does_not_end_the_attention_and_a_new_rejection_begins_it_again(caller):
    invoice = delivered(caller)
    arrives(caller, invoice, code("RE"))
    after = arrives(caller, invoice, code("AP"))
    done(caller, invoice)
    again = arrives(caller, invoice, code("RE"))

    assert (after["response"]["status"], after["attention"]) == ("accepted", True)
    assert (again["response"]["status"], again["attention"]) == ("rejected", True)


def test_attention_ends_by_members_and_sending_keys_only(caller):
    invoice, untouched = delivered(caller), delivered(caller)
    arrives(caller, invoice, code("RE"))
    reader = Caller(caller.app, tenant=caller.tenant, scopes=["invoices:read"])
    viewer = Dashboard(caller.app, caller.tenant, role=Role.VIEWER)
    member = Dashboard(caller.app, caller.tenant, role=Role.MEMBER)
    path = f"/api/invoices/{invoice}/attention/done"

    assert slug(done(reader, invoice)) == "insufficient-scope"
    assert slug(viewer.post(path)) == "forbidden"
    assert slug(done(Caller(caller.app), invoice)) == "not-found"
    assert slug(done(caller, untouched)) == "conflict"
    assert slug(caller.call("POST", path, json.dumps({"x": 1}).encode())) == "invalid-field"
    assert member.post(path).json["history"][-1]["detail"] == "by ann@example.com"


def test_hostile_words_and_times_of_a_network_are_stored_within_bounds(caller):
    """No evidence is lost for what its response says."""
    long = "x" * 100_000
    moments = [
        datetime.fromisoformat(each) for each in (
            "0001-01-01T00:00:00", "9999-12-31T23:59:59", "9999-12-31T23:59:59-14:00",
            "0001-01-01T00:00:00+14:00",
        )
    ]  # fmt: skip
    for at in moments:
        evidence = said(
            ResponseStatus.REJECTED, at, long, f"a\x00b\ud800{long}", tuple([long] * 100)
        )
        response = arrives(caller, delivered(caller), evidence)["response"]

        assert len(response["by"]) <= 200
        assert len(response["text"]) <= 2_000
        assert (len(response["reasons"]), {len(each) for each in response["reasons"]}) == (
            50,
            {500},
        )
        assert response["at"] <= clock.timestamp(clock.now())


def test_a_code_that_no_network_has_is_an_event_and_no_response(caller, move):
    invoice = delivered(caller)
    found = arrives(caller, invoice, code("ZZ"))
    [event] = events(caller, invoice, move)

    assert found["response"] is None
    assert (event["responseCode"], event["response"]) == ("ZZ", None)


def test_the_sandbox_has_a_receiver_that_rejects_after_delivery(build):
    caller = Caller(build())
    invoice = caller.sent("0088:9520000000103")
    caller.work_until(lambda: caller.get(f"/api/invoices/{invoice}").json["response"])
    found = caller.get(f"/api/invoices/{invoice}").json

    assert (found["networkStatus"], found["attention"]) == ("Delivered", True)
    assert (found["response"]["status"], found["response"]["by"]) == ("rejected", "Simulated buyer")
    assert len(found["response"]["reasons"]) == 2
    assert listed(caller, "response=rejected") == [invoice]
    assert found["receiverParticipantId"] != RECEIVER
