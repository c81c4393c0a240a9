"""Long bodies are worked at one at a time, and hold up no other send."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from einvoice.services.runtime import Runtime
from einvoice.services.send import send
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug
from tests.web.submission.documents import request_of, two_lines

LONG, MEDIUM, SHORT = 300 * 1024, 200 * 1024, 500


@pytest.fixture
def runtime(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    """The runtime of a service where the turn of long bodies is taken."""
    monkeypatch.setattr(send, "LONG_WAIT_SECONDS", 0.05)
    runtime = runtime_of(app)
    with runtime.long_sends.turn("another tenant", 1):
        yield runtime


def body(caller: Caller, size: int) -> bytes:
    """A valid send of at least so many bytes."""
    value: dict[str, Any] = caller.body()
    value["invoice"]["lineItems"][0]["description"] = "x" * 100
    raw = json.dumps(value)
    return (raw + " " * (size - len(raw))).encode()


def test_a_long_body_waits_for_its_turn_and_is_refused_if_it_does_not_come(app, runtime):
    """With Retry-After; nothing is stored."""
    refused = Caller(app).send(body(Caller(app), LONG))

    assert (refused.status_code, slug(refused)) == (503, "computing-unavailable")
    assert int(refused.headers["Retry-After"]) > 0


@pytest.mark.parametrize("size", [MEDIUM, SHORT])
def test_a_shorter_body_needs_no_turn(app, runtime, size):
    """Neither alone nor in a group."""
    caller = Caller(app)

    assert caller.send(body(caller, size)).status_code == 200


def test_a_known_key_is_answered_without_a_turn(app, runtime):
    """The first result of the key, as for every refusal."""
    caller = Caller(app)
    first = caller.send(body(caller, SHORT), Idempotency_Key="k")
    again = caller.send(body(caller, LONG), Idempotency_Key="k")

    assert again.status_code == 200
    assert again.json["invoiceId"] == first.json["invoiceId"]


def test_a_long_body_is_sent_when_it_is_its_turn(app):
    caller = Caller(app)

    assert caller.send(body(caller, LONG)).status_code == 200
    assert caller.send(body(caller, LONG)).status_code == 200


def test_a_long_document_in_xml_needs_no_turn_of_long_bodies(app, runtime):
    """A computing process judges it: it must not wait there and hold up others meanwhile."""
    document = two_lines("X-1").replace(b"</Invoice>", b" " * LONG + b"</Invoice>")
    answer = Caller(app).bearer(
        "POST", "/v1/invoices", request_of(document), Prefer="respond-async"
    )

    assert answer.status_code == 202, answer.text
