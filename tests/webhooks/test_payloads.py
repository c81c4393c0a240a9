"""The body of a webhook."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from einvoice.webhooks import payloads
from einvoice.webhooks.payloads import Occurrence

AT = datetime(2026, 11, 21, 4, 5, 6, 789000, tzinfo=UTC)


def occurred(event_type, payload, invoice_id="inv-1"):
    return Occurrence("evt-1", event_type, "test", invoice_id, payload, AT)


SENT = {"transactionId": "txn_1", "status": "Delivered"}


def test_the_members_of_the_contract_are_at_the_top_level():
    """eventType, transactionId, invoiceId and status, beside further ones."""
    assert json.loads(payloads.body(occurred("transaction.sent", SENT))) == {
        "eventType": "transaction.sent",
        "transactionId": "txn_1",
        "invoiceId": "inv-1",
        "status": "Delivered",
        "networkStatus": "Delivered",
        "eventId": "evt-1",
        "createdAt": "2026-11-21T04:05:06.789Z",
        "environment": "test",
    }


@pytest.mark.parametrize(
    ("amount", "written"),
    [
        ("121", b"121.00"),
        ("-5.5", b"-5.50"),
        ("90071992547409.93", b"90071992547409.93"),
        ("999999999999999.99", b"999999999999999.99"),
    ],
)
def test_amounts_are_exact_numbers_whatever_json_keeps_of_them(amount, written):
    """Not text either, which typed clients do not expect; a double has 15 digits."""
    stored = json.loads(json.dumps(payloads.stored_amount(Decimal(amount))))
    body = payloads.body(occurred("invoice.paid", {"amount": stored, "amountPaid": stored}))

    assert body.endswith(b'"amount":%b,"amountPaid":%b}' % (written, written))


def test_an_event_without_an_invoice_has_no_network_status():
    """For example, webhook.test."""
    body = json.loads(payloads.body(occurred("webhook.test", {"message": "hello"}, None)))

    assert set(body) == {"eventType", "eventId", "createdAt", "environment", "message"}


@pytest.mark.parametrize(
    "payload",
    [
        {"transactionId": "txn_1", "reason": "ü" * 100_000},
        {"transactionId": "txn_1", "reasons": [{"text": "🙂" * 3_000}] * 50},
        {"transactionId": "txn_1", "reasons": ["x" * 2_000] * 20},
        {"transactionId": "txn_1", "reason": "\ud800 half a character"},
    ],
    ids=["long text", "many long texts", "just too many", "broken text"],
)
def test_a_body_is_under_20_kb_whatever_a_network_reports(payload):
    """Texts are cut, ids are not."""
    body = payloads.body(occurred("transaction.failed", payload))

    assert len(body) < 20_000
    assert json.loads(body)["transactionId"] == "txn_1"


@pytest.mark.parametrize(("size", "is_cut"), [(19_999, False), (20_000, True)])
def test_a_body_of_20_kb_is_cut_and_a_byte_less_is_not(size, is_cut):
    """Though each of its texts is short enough to pass alone."""
    reasons = ["x" * 1_700] * 11
    rest = size - len(payloads.body(occurred("transaction.failed", {"reasons": [*reasons, ""]})))
    body = payloads.body(occurred("transaction.failed", {"reasons": [*reasons, "x" * rest]}))

    assert ("…" in body.decode()) is is_cut
    assert is_cut or len(body) == size


def test_a_text_that_fits_is_not_cut():
    """2,000 characters pass unchanged; one more is cut, with an ellipsis."""
    for length, expected in ((2_000, "x" * 2_000), (2_001, "x" * 1_999 + "…")):
        body = payloads.body(occurred("transaction.failed", {"reason": "x" * length}))
        assert json.loads(body)["reason"] == expected


def test_the_body_is_the_same_on_every_attempt():
    """Receivers may compare bytes."""
    event = occurred("transaction.sent", SENT)

    assert payloads.body(event) == payloads.body(event)


def test_a_payload_cannot_override_the_members_of_the_event():
    """eventType and eventId are those of the event."""
    body = payloads.body(occurred("transaction.sent", {"eventId": "other", "environment": "live"}))

    assert json.loads(body)["eventId"] == "evt-1"
    assert json.loads(body)["environment"] == "test"
