"""Each event has the members that the document gives its type, and no others."""

from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock
from tests.web.dashboard import Dashboard
from tests.web.documented import posted, undocumented

# What answers is the same code on both databases.
pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


DELIVERED, FAILED = "0088:9520000000011", "0088:9520000000035"
ACCEPTED_BY_THE_BUYER, ANSWERED_BY_AN_INVOICE = "0088:9520000000110", "0088:9520000000127"


def test_events_of_sends_are_documented(caller):
    caller.own()
    for receiver in (DELIVERED, FAILED, ACCEPTED_BY_THE_BUYER, ANSWERED_BY_AN_INVOICE):
        invoice = caller.sent(receiver)
        for _ in range(3):
            caller.work()
            caller.call("POST", f"/api/sandbox/invoices/{invoice}/advance")
        caller.work()
    kinds = {body["eventType"] for body in posted(caller)}

    assert kinds == {
        "transaction.sent", "transaction.failed", "transaction.received", "invoice.responded"
    }  # fmt: skip
    assert undocumented(caller) == []


def test_events_of_keys_and_webhooks_are_documented(caller):
    ann = Dashboard(caller.app, caller.tenant)
    soon = {
        "name": "short",
        "environment": "test",
        "expiresAt": clock.timestamp(clock.now() + timedelta(days=2)),
    }
    assert ann.post("/api/keys", soon).status_code == 201
    hook = {"url": "https://erp.example.com/hook", "environment": "test"}
    made = ann.post("/api/webhooks", hook).json["webhookId"]
    assert ann.post(f"/api/webhooks/{made}/test").status_code == 202

    assert {body["eventType"] for body in posted(caller)} == {"apiKey.expiring", "webhook.test"}
    assert undocumented(caller) == []
