"""POST /api/sandbox/invoices/{invoiceId}/advance: a person plays the network."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.services.delivery import operations, transmit
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Outbox, Transmission
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug

WAITING = "0088:9520000000028"  # until it is advanced
SLOW = "0088:9520000000011"  # Delivered after 60 seconds
FAILING = "0088:9520000000035"  # Failed after two seconds


def advance(caller, invoice):
    return caller.call("POST", f"/api/sandbox/invoices/{invoice}/advance")


def status(caller, invoice) -> str:
    return caller.get(f"/api/invoices/{invoice}").json["networkStatus"]


def pending(caller, receiver) -> str:
    """An invoice that the network has."""
    invoice = caller.sent(receiver)
    caller.work()
    assert status(caller, invoice) == "Processing"
    return invoice


@pytest.mark.parametrize(
    ("receiver", "becomes"), [(WAITING, "Delivered"), (SLOW, "Delivered"), (FAILING, "Failed")]
)
def test_advance_ends_the_wait(caller, receiver, becomes):
    """Also of one that is not polled (WAITING has no next poll); a worker settles it."""
    invoice = pending(caller, receiver)
    answer = advance(caller, invoice)
    caller.work()

    assert answer.status_code == 200, answer.text
    assert answer.json["invoiceId"] == invoice
    assert answer.json["networkStatus"] == "Processing"
    assert status(caller, invoice) == becomes
    assert caller.count(Outbox) == 0


def test_an_invoice_that_waits_to_be_advanced_is_among_the_unsettled(make_app):
    """No relay hands it out; an operator's retry does, and it waits on.

    What is unsettled is that of all tenants, so this one is alone.
    """
    caller = Caller(make_app())
    pending(caller, WAITING)
    with caller.app.app_context():
        (found,) = outbox.oldest_unsettled()
        assert (found.access_point, found.waits_for) == ("simulator", "push")
        assert outbox.open_lanes() == set()
        with db.reading() as connection:
            waiting = connection.execute(sa.select(Outbox.subject_id)).scalar_one()
        operations.retry_now(waiting)
        assert [each.waits_for for each in outbox.oldest_unsettled()] == ["network"]
    caller.work()
    with caller.app.app_context():
        assert [each.waits_for for each in outbox.oldest_unsettled()] == ["push"]


def test_advancing_twice_adds_one_outbox_row(caller):
    """Advanced twice before a worker runs: one row, one delivery."""
    invoice = pending(caller, WAITING)

    assert [advance(caller, invoice).status_code for _ in range(2)] == [200, 200]
    assert caller.count(Outbox) == 1
    caller.work()
    history = caller.get(f"/api/invoices/{invoice}").json["history"]
    assert [h["event"] for h in history].count("delivered") == 1


def test_the_result_of_a_concurrent_poll_is_discarded(service, caller):
    """The worker that has the lease settles with the old fence."""
    invoice = pending(caller, SLOW)
    token, later = uuid.uuid4().hex, clock.now() + timedelta(seconds=61)
    with caller.app.app_context():
        held = outbox.claim(
            outbox.CHORES, caller.tenant, 9, token=token, now=later, lease=timedelta(hours=1)
        )
        assert len(held) == 1
        assert advance(caller, invoice).status_code == 200
        transmit.advance([row.id for row in held], token, runtime_of(service))
    assert status(caller, invoice) == "Processing"
    caller.work()

    assert status(caller, invoice) == "Delivered"


def test_the_announced_response_arrives_at_once(caller):
    """0088:9520000000103 answers with an Invoice Response after the delivery."""
    invoice = pending(caller, "0088:9520000000103")
    for _ in range(2):
        assert advance(caller, invoice).status_code == 200
        caller.work()
    path = f"/api/invoices/{invoice}/artefacts?type=INVOICE_RESPONSE"

    assert status(caller, invoice) == "Delivered"
    assert len(caller.get(path).json["items"]) == 1


@pytest.mark.parametrize("becomes", ["queued", "Delivered", "Failed"])
def test_advance_is_409_if_nothing_waits(caller, becomes):
    """409 conflict, before the submission and after the final status."""
    invoice = caller.sent(FAILING if becomes == "Failed" else WAITING)
    if becomes != "queued":
        caller.work()
        advance(caller, invoice)
        caller.work()
        assert status(caller, invoice) == becomes
    answer = advance(caller, invoice)

    assert (answer.status_code, slug(answer)) == (409, "conflict")


def test_advance_is_409_for_an_access_point_without_advance(caller):
    """409 also while it waits for a real network."""
    invoice = pending(caller, WAITING)
    with caller.app.app_context(), db.writing() as connection:
        connection.execute(
            sa.update(Transmission)
            .where(Transmission.invoice_id == invoice)
            .values(access_point="elsewhere")
        )
    answer = advance(caller, invoice)

    assert (answer.status_code, slug(answer)) == (409, "conflict")


def test_advance_is_404_for_live_keys_and_other_tenants(service, caller):
    """404 for a live key, whatever the id, and for another tenant's."""
    invoice = pending(caller, WAITING)
    live = Caller(service, Environment.LIVE, caller.tenant)

    for stranger, wanted in ((live, invoice), (live, "x"), (Caller(service), invoice)):
        answer = advance(stranger, wanted)
        assert (answer.status_code, slug(answer)) == (404, "not-found")


def test_advance_needs_the_scope_of_sending(service, caller):
    reader = Caller(service, tenant=caller.tenant, scopes=["invoices:read"])

    assert slug(advance(reader, "x")) == "insufficient-scope"
