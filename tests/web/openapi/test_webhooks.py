"""The callbacks of a registration: a receiver can be generated from them."""

from __future__ import annotations

from einvoice.domain.events import EVENT_TYPES


def test_each_type_of_event_has_a_body_of_its_own(whole, received):
    """A new type needs a schema in web/account/webhook_event_schemas."""
    bodies = {kind: o["requestBody"]["content"]["application/json"] for kind, o in received.items()}

    assert set(received) == EVENT_TYPES
    assert len({body["schema"]["$ref"] for body in bodies.values()}) == len(EVENT_TYPES)
    assert all(body["example"]["eventType"] == kind for kind, body in bodies.items())


def test_a_body_may_get_further_members(whole):
    schemas = whole["components"]["schemas"]

    assert schemas["TransactionSentEvent"]["additionalProperties"] is True
    assert schemas["Event"]["additionalProperties"] is True


def test_the_headers_are_those_that_are_sent(received):
    """Those of the causing request are optional."""
    parameters = received["transaction.sent"]["parameters"]

    assert {parameter["name"].lower(): parameter["required"] for parameter in parameters} == {
        "x-webhook-secret": True, "webhook-id": True, "webhook-timestamp": True,
        "webhook-signature": True, "webhook-attempt": True, "x-request-id": False,
        "traceparent": False,
    }  # fmt: skip
