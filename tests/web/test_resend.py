"""POST /api/invoices/{invoiceId}/resend: from Failed only, once, the same document."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.store.core import db
from einvoice.store.tables import Event, IdempotencyKey, Outbox, Transmission
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug
from tests.web.resending import REJECTING, Again


@pytest.fixture
def again(caller) -> Again:
    return Again(caller)


def test_a_failed_invoice_goes_out_again_under_a_new_transaction_id(again):
    """The same invoiceId and the same bytes; the first transmission stays Failed."""
    before = again.current()
    artefacts = again.caller.get(f"/api/invoices/{again.invoice}/artefacts?type=UBL").json
    answer = again.resend()
    after = again.current()

    assert answer.status_code == 200, answer.text
    assert answer.json["invoiceId"] == again.invoice
    assert answer.json["transactionId"] == after["transactionId"] != before["transactionId"]
    assert answer.json["networkStatus"] == after["networkStatus"] == "Processing"
    assert (after["failureReason"], after["retryable"]) == (None, None)
    assert again.caller.get(f"/api/invoices/{again.invoice}/artefacts?type=UBL").json == artefacts
    with again.caller.app.app_context(), db.reading() as connection:
        statuses = dict(
            connection.execute(
                sa.select(Transmission.id, Transmission.status).where(
                    Transmission.invoice_id == again.invoice
                )
            ).all()
        )
    assert statuses[before["transactionId"]] == "Failed"


def test_history_and_events_have_both_transmissions(again):
    """One transaction.failed for each, each with its own transactionId."""
    first = again.current()["transactionId"]
    second = again.resend().json["transactionId"]
    again.caller.work()
    history = [(h["event"], h["detail"]) for h in again.current()["history"]]

    assert [event for event, _ in history] == [
        "received", "validated", "submitted", "failed", "retried", "submitted", "failed",
    ]  # fmt: skip
    assert ("retried", f"sent again as {second}") in history
    with again.caller.app.app_context(), db.reading() as connection:
        query = (
            sa.select(Event.type, Event.payload)
            .where(Event.invoice_id == again.invoice)
            .order_by(Event.sequence)
        )
        reported = [(kind, payload["transactionId"]) for kind, payload in connection.execute(query)]
    assert reported == [("transaction.failed", first), ("transaction.failed", second)]


def test_lists_show_the_newest_transmission_only(again):
    """Failed before, Processing after; it is listed under the current status only."""

    def listed(status):
        found = again.caller.get(f"/api/invoices?networkStatus={status}&include=total").json
        return [item["invoiceId"] for item in found["items"]], found["total"]

    assert listed("Failed") == ([again.invoice], 1)
    transaction = again.resend().json["transactionId"]

    assert listed("Failed") == ([], 0)
    assert listed("Processing") == ([again.invoice], 1)
    assert again.caller.get("/api/invoices").json["items"][0]["transactionId"] == transaction


def test_an_invoice_that_has_not_failed_cannot_be_resent(caller, again):
    """409 conflict while Processing, and nothing is written."""
    processing = caller.sent()
    before = caller.count()
    answer = again.resend(processing)

    assert (answer.status_code, slug(answer)) == (409, "conflict")
    assert caller.count() == before


def test_one_of_two_concurrent_resends_is_made(again):
    """The others get 409; one transmission and one outbox row are written."""
    gate = threading.Barrier(5)

    def one():
        gate.wait()
        return again.resend().status_code

    with ThreadPoolExecutor(5) as pool:
        codes = sorted(f.result() for f in [pool.submit(one) for _ in range(5)])

    assert codes == [200, 409, 409, 409, 409]
    assert again.caller.count() == 2
    assert again.caller.count(Outbox) == 1


def test_concurrent_resends_with_one_key_get_the_same_result(again):
    gate = threading.Barrier(5)

    def one():
        gate.wait()
        return again.resend(Idempotency_Key="again")

    with ThreadPoolExecutor(5) as pool:
        answers = [f.result() for f in [pool.submit(one) for _ in range(5)]]

    assert {a.status_code for a in answers} == {200}
    assert len({a.json["transactionId"] for a in answers}) == 1
    replays = sorted(a.headers["Idempotency-Replay"] for a in answers)
    assert replays == ["false", "true", "true", "true", "true"]
    assert again.caller.count() == 2


def test_a_key_replays_also_when_the_second_try_has_failed_as_well(again):
    """Otherwise a repeated request would send a third time."""
    first = again.resend(Idempotency_Key="k")
    again.caller.work()
    second = again.resend(Idempotency_Key="k")

    assert second.json["transactionId"] == first.json["transactionId"]
    assert second.headers["Idempotency-Replay"] == "true"
    assert second.headers["Idempotency-Key"] == "k"
    assert again.caller.count() == 2


def test_the_key_space_is_that_of_sends(again):
    """A key used by a send replays that send, with Idempotency-Payload-Mismatch."""
    sent = again.caller.send(Idempotency_Key="one").json
    answer = again.resend(Idempotency_Key="one")

    assert answer.json["transactionId"] == sent["transactionId"]
    assert answer.headers["Idempotency-Payload-Mismatch"] == "true"
    assert again.current()["networkStatus"] == "Failed"


def test_a_rejection_within_the_wait_is_the_answer_and_frees_the_key(again):
    """As of a send: 400 network-failed with both ids; the invoice may be sent yet again."""
    ended = threading.Event()

    def work():
        while not ended.wait(0.05):
            again.caller.work()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        answer = again.resend(prefer="wait=25", Idempotency_Key="w")
    finally:
        ended.set()
        worker.join()

    assert (answer.status_code, slug(answer)) == (400, "network-failed")
    assert answer.json["invoiceId"] == again.invoice
    assert answer.json["transactionId"] == again.current()["transactionId"]
    assert answer.headers["Preference-Applied"] == "wait=25"
    assert again.caller.count(IdempotencyKey) == 0
    assert again.resend().status_code == 200


def test_a_resend_is_processing_when_the_wait_is_over(again):
    answer = again.resend(prefer="wait=1")

    assert (answer.status_code, answer.json["networkStatus"]) == (200, "Processing")


@pytest.mark.parametrize(
    ("body", "status"), [(b"", 200), (b" ", 200), (b"{}", 200), (b'{"a":1}', 400), (b"[]", 400)]
)
def test_the_body_of_a_resend_is_empty(again, body, status):
    assert again.resend(data=body).status_code == status


def test_invoices_of_others_cannot_be_resent(again, service):
    """404 for another tenant, the other environment and unknown ids; nothing is stored."""
    for caller in (Caller(service), Caller(service, Environment.LIVE, again.caller.tenant)):
        answer = caller.call("POST", f"/api/invoices/{again.invoice}/resend")
        assert (answer.status_code, slug(answer)) == (404, "not-found")
    assert again.resend("nothing").status_code == 404
    assert again.caller.count() == 1


def test_the_key_must_be_allowed_to_send_there(again, service):
    """Scope and allowedReceivers apply as for a send."""
    path = f"/api/invoices/{again.invoice}/resend"
    own = partial(Caller, service, tenant=again.caller.tenant)

    assert slug(own(scopes=["invoices:read"]).call("POST", path)) == "insufficient-scope"
    elsewhere = own(allowed_receivers=["0088:9520000000004"]).call("POST", path)
    assert (elsewhere.status_code, slug(elsewhere)) == (403, "receiver-not-allowed")
    assert own(allowed_receivers=[REJECTING]).call("POST", path).status_code == 200


@pytest.mark.parametrize("strict", [False, True])
def test_a_number_sent_meanwhile_is_a_duplicate(again, strict):
    """A warning, or 409 if the tenant refuses duplicates; Failed invoices do not count."""
    caller = again.caller
    number = again.current()["number"]
    other = caller.sent(number=number)
    caller.switch(reject_duplicate_numbers=strict)
    answer = again.resend(Idempotency_Key="d")

    if strict:
        assert (answer.status_code, slug(answer)) == (409, "duplicate-invoice")
        assert answer.json["existingId"] == other
        assert (again.current()["networkStatus"], caller.count(IdempotencyKey)) == ("Failed", 0)
    else:
        assert "possible-duplicate" in [w["code"] for w in answer.json["warnings"]]


def test_a_resend_is_retried_as_long_as_a_send(again):
    """The period of its retries starts with the resend."""
    answer = again.resend()
    with again.caller.app.app_context(), db.reading() as connection:
        query = sa.select(Transmission.retry_until).where(
            Transmission.id == answer.json["transactionId"]
        )
        until = connection.execute(query).scalar_one()

    assert timedelta(seconds=60) < until - clock.now() <= timedelta(seconds=120)


def test_the_document_is_sent_byte_for_byte(again, service):
    """The access point gets the same bytes as before."""
    seen = []
    point = runtime_of(service).access_points["simulator"]
    original = type(point).submit_many
    try:
        type(point).submit_many = lambda self, batch: (
            seen.extend(e.document for e, _ in batch) or original(self, batch)
        )
        again.resend()
        again.caller.work()
    finally:
        type(point).submit_many = original
    ubl = again.caller.get(f"/api/invoices/{again.invoice}/artefacts?type=UBL").json["items"][0]
    path = f"/api/invoices/{again.invoice}/artefacts/{ubl['artefactId']}"

    assert seen == [again.caller.get(path).data]
