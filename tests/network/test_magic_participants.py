"""The sandbox's participants through the whole service: request, worker, response, artefacts."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import tenants
from einvoice.store import outbox
from tests.crashes import crash_before
from tests.sandbox import SENDER, Sandbox

RESPONDED = "invoice.responded"

# What the participants do does not depend on the database: one of the two is enough.
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def sandbox(app, monkeypatch) -> Sandbox:
    own = Sandbox.of(app)
    monkeypatch.setattr(clock, "now", lambda: own.moment)
    return own


@pytest.mark.parametrize(
    ("receiver", "seconds"),
    [
        ("0088:9520000000004", 2),
        ("0088:9520000000011", 60),
        ("0192:987654325", 2),
        ("0088:9520000000073", 20),
        ("0088:9520000000127", 2),
        ("0088:9520000000165", 1),
        ("0088:9520000000172", 10),
        ("0088:9520000000189", 30),
    ],
)
def test_a_delivery_takes_the_documented_time(sandbox, receiver, seconds):
    """Processing just before it, then Delivered with a receipt and one event."""
    invoice = sandbox.send(receiver)
    sandbox.work(seconds - 0.001)
    before = sandbox.status(invoice)
    sandbox.work(0.001)

    assert (before, sandbox.status(invoice)) == ("Processing", "Delivered")
    assert sandbox.evidence(invoice) == ["RECEIPT"]
    assert sandbox.events(invoice) == ["transaction.sent"]


@pytest.mark.parametrize(
    ("gln", "seconds", "reason_code", "retryable"),
    [
        ("9520000000035", 2, "receiver-ap-unreachable", True),
        ("9520000000042", 2, "rejected-by-receiver-ap", False),
        ("9520000000059", 0, "document-refused", False),
        ("9520000000066", 0, "network-unavailable", True),
    ],
)
def test_a_refusal_is_failed_with_its_reason(sandbox, gln, seconds, reason_code, retryable):
    """At once or after two seconds; the reason says that it is simulated."""
    invoice = sandbox.send(f"0088:{gln}")
    sandbox.work(seconds)
    reported = sandbox.invoice(invoice)

    assert reported["networkStatus"] == "Failed"
    assert (reported["reasonCode"], reported["retryable"]) == (reason_code, retryable)
    assert reported["failureReason"].startswith("Simulated: ")
    assert sandbox.events(invoice) == ["transaction.failed"]


@pytest.mark.parametrize(
    ("gln", "evidence", "events"),
    [
        ("9520000000103", ["INVOICE_RESPONSE", "RECEIPT"], ["transaction.sent", RESPONDED]),
        ("9520000000110", ["INVOICE_RESPONSE", "RECEIPT"], ["transaction.sent", RESPONDED]),
        ("9520000000134", ["RECEIPT"], ["transaction.sent"]),
    ],
)
def test_evidence_follows_and_the_status_stays(sandbox, gln, evidence, events):
    """A response is stored with one event; the same receipt again is neither."""
    invoice = sandbox.send(f"0088:{gln}")
    sandbox.work(2)
    at_first = sandbox.evidence(invoice)
    for _ in range(3):
        sandbox.work(2)

    assert at_first == ["RECEIPT"]
    assert sandbox.status(invoice) == "Delivered"
    assert sandbox.evidence(invoice) == evidence
    assert sandbox.events(invoice) == events


@pytest.mark.parametrize("owned", [False, True], ids=["not owned", "owned by the tenant"])
def test_an_invoice_comes_back_once(sandbox, owned):
    """From …0127 to the tenant that sent it one, even if no tenant owns the id; one event."""
    if owned:
        tenants.own_participant(sandbox.tenant, Environment.TEST, ParticipantId.parse(SENDER))
    sent = sandbox.send("0088:9520000000127")
    for _ in range(4):
        sandbox.work(2)
    listed = sandbox.get("/api/invoices?direction=received").json["items"]

    assert sandbox.status(sent) == "Delivered"
    assert [item["senderParticipantId"] for item in listed] == ["0088:9520000000127"]
    assert sandbox.events(listed[0]["invoiceId"]) == ["transaction.received"]
    assert sandbox.invoice(listed[0]["invoiceId"])["networkStatus"] == "Received"


@pytest.mark.parametrize("statement", range(18))
def test_an_invoice_comes_back_once_even_if_the_worker_is_killed(sandbox, statement):
    """Before each statement of the job that stores it; the next job continues from there."""
    sent = sandbox.send("0088:9520000000127")
    sandbox.work(2)
    with crash_before(statement):
        sandbox.work(2)
    sandbox.moment += timedelta(minutes=5)
    outbox.release_expired(sandbox.moment)
    for _ in range(3):
        sandbox.work(2)
    listed = sandbox.get("/api/invoices?direction=received").json["items"]

    assert len(listed) == 1
    assert sandbox.events(listed[0]["invoiceId"]) == ["transaction.received"]
    assert sandbox.events(sent) == ["transaction.sent"]


def test_the_first_attempt_fails_and_the_retry_delivers(sandbox):
    """The history has both attempts."""
    invoice = sandbox.send("0088:9520000000141")
    for _ in range(8):
        sandbox.work(2)
    reported = sandbox.invoice(invoice)

    assert reported["networkStatus"] == "Delivered"
    assert [line["event"] for line in reported["history"]][2:] == [
        "submitted",
        "retried",
        "delivered",
    ]


def test_a_normal_send_is_delivered_while_fifty_wait(sandbox):
    """In the same jobs and lanes: a worker that waited with them would take 25 minutes."""
    began = time.monotonic()
    waiting = [sandbox.send("0088:9520000000189") for _ in range(50)]
    normal = sandbox.send("0088:9520000000004")
    sandbox.work(2)
    meanwhile = {sandbox.status(invoice) for invoice in waiting}

    assert sandbox.status(normal) == "Delivered"
    assert meanwhile == {"Processing"}
    assert time.monotonic() - began < 600  # of the real clock
    sandbox.work(28)
    assert {sandbox.status(invoice) for invoice in waiting} == {"Delivered"}


def test_one_participant_stays_processing(sandbox):
    """Until it is advanced; it is not polled, and needs no attention."""
    invoice = sandbox.send("0088:9520000000028")
    sandbox.work(86400)

    assert sandbox.status(invoice) == "Processing"
    assert not sandbox.invoice(invoice)["attention"]


def test_lookups_return_what_the_simulated_directory_says(sandbox):
    """Not registered, registered for something else, unavailable once."""
    absent = sandbox.lookup("0088:9520000000080")
    orders = sandbox.lookup("0088:9520000000097")
    outage = sandbox.lookup("0088:9520000000158")
    again = sandbox.lookup("0088:9520000000158")

    assert (absent.status_code, absent.json["isRegistered"]) == (200, False)
    assert orders.json["isRegistered"]
    assert not any("billing:3.0" in kind for kind in orders.json["supportedDocTypes"])
    assert (outage.status_code, again.status_code) == (503, 200)
    assert sandbox.post("0088:9520000000097").json["type"].endswith("/document-type-not-supported")
