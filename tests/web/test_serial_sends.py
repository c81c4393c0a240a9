"""Sends to a network that takes the documents of a unit one after the other."""

from __future__ import annotations

import json

import pytest

import einvoice_loopback
from einvoice.domain.environments import Environment
from einvoice.network.types import Rejected
from einvoice.services.connections import accounts, checks
from einvoice.services.connections.accounts import NewConnection
from einvoice.web.runtime import runtime_of
from tests.builders import SENDER, send_body
from tests.networks.toll.chain import BoundChain, Chain, ChainPlugin
from tests.web.caller import Caller, slug

BUYER = "0190:00000003123456780000"


@pytest.fixture
def toll():
    return ChainPlugin()


@pytest.fixture
def app(make_app, toll):
    return make_app([toll, einvoice_loopback])


@pytest.fixture
def caller(app, toll):
    caller, parts = Caller(app), runtime_of(app)
    new = NewConnection(Environment.TEST, "toll", "BE1", credentials={"clientSecret": "secret"})
    with app.app_context():
        made = accounts.create(caller.tenant, new, parts)
        code = toll.authority.consent(made.account)
        checks.run(made, lambda c: toll.point.authorised(c, code, ""), parts, "Ann")
    return caller


def a_send(number):
    buyer = {
        "name": "Buyer BV", "taxId": "NL123456789B12", "address": {"countryCode": "NL"},
    }  # fmt: skip
    body = send_body("", number=number, buyer=buyer)
    body["routing"] = {"senderParticipantId": SENDER, "receiverParticipantId": BUYER}
    return body


def sent(caller, number):
    answer = caller.send(a_send(number))
    assert answer.status_code == 200, answer.text
    return answer.json


def sent_again(caller, invoice):
    answer = caller.call(
        "POST", f"/api/invoices/{invoice}/resend", json.dumps({}).encode(),
        Content_Type="application/json", Prefer="respond-async",
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    return answer.json


def of_unit(toll, unit):
    return [link.counter for link in toll.authority.chains.get(("BE1", unit), [])]


def test_a_document_that_waits_for_another_says_for_which(caller, toll):
    first, second, other = (sent(caller, number) for number in ("A-1", "A-2", "B-1"))
    shown = [caller.get(f"/api/invoices/{one['invoiceId']}").json for one in (first, second, other)]

    assert [one["waitingReason"] for one in shown] == [
        None, f"The transaction {first['transactionId']} is sent before it.", None
    ]  # fmt: skip
    caller.work()
    caller.work()
    assert (of_unit(toll, "A"), of_unit(toll, "B")) == ([1, 2], [1])


def test_a_dry_run_takes_no_key(caller, toll):
    caller.send(a_send("A-1") | {"options": {"dryRun": True}})
    sent(caller, "A-2")
    caller.work()

    assert of_unit(toll, "A") == [1]


def test_a_document_that_is_sent_again_comes_after_those_that_wait(caller, toll, monkeypatch):
    """It has a new place in the order, with what it was prepared as left out."""
    with monkeypatch.context() as patched:
        patched.setattr(BoundChain, "prepare", lambda *_: Rejected("T", "no"))
        failed = sent(caller, "A-1")
        caller.work()
    second = sent(caller, "A-2")
    again = sent_again(caller, failed["invoiceId"])
    for _ in range(2):
        caller.work()

    order = [message.removesuffix("@toll") for message in toll.authority.cleared]
    assert order == [second["transactionId"], again["transactionId"]]
    assert of_unit(toll, "A") == [1, 2]


@pytest.mark.parametrize("key", ["", "x" * 201, "a\nb", 7, RuntimeError("no key")])
def test_a_key_that_cannot_be_stored_refuses_the_send(caller, monkeypatch, key):
    """It is a fault of the access point: nothing is stored."""

    def faulty(*_):
        if isinstance(key, Exception):
            raise key
        return key

    monkeypatch.setattr(Chain, "sequence_key", faulty)
    answer = caller.send(a_send("A-1"))

    assert (answer.status_code, slug(answer)) == (503, "access-point-unavailable")
    assert caller.stored() == 0


def test_the_key_is_asked_without_secrets(caller, monkeypatch):
    """Credentials and state are opened by workers only."""
    given = []
    monkeypatch.setattr(Chain, "sequence_key", lambda _, e, c: given.append((e, c)))
    first = sent(caller, "A-1")
    [(envelope, connection)] = given

    assert (dict(connection.credentials), dict(connection.state)) == ({}, {})
    assert connection.account == "BE1"
    assert (envelope.transmission_id, envelope.number) == (first["transactionId"], "A-1")
    assert envelope.document.startswith(b"<?xml")


def test_the_key_is_asked_with_the_envelope_that_is_prepared(caller, monkeypatch):
    """Of a send and of a resend, which has a transaction id and a time of its own."""
    asked, prepared = [], []
    monkeypatch.setattr(Chain, "sequence_key", lambda _, envelope, __: asked.append(envelope))

    def refused(_, envelope):
        prepared.append(envelope)
        return Rejected("T", "no")

    monkeypatch.setattr(BoundChain, "prepare", refused)
    first = sent(caller, "A-1")
    caller.work()
    sent_again(caller, first["invoiceId"])
    caller.work()

    assert prepared == asked
    assert [envelope.source is None for envelope in asked] == [False, False]
    assert len({envelope.accepted_at for envelope in asked}) == 2
