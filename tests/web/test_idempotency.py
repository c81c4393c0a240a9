"""One key, one submission: replay, other bodies, many at once, release (decisions 0.4, 12)."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.store.core import db
from einvoice.store.tables import IdempotencyKey, Invoice, Outbox, Transmission
from tests.web.caller import Caller, slug

REJECTED = "0088:9520000000059"


def test_a_replay_is_the_first_result(caller):
    """The same members, and nothing is submitted again."""
    body = caller.body(buyerReference=None)
    first, second = (caller.send(body, Idempotency_Key="k") for _ in range(2))

    assert second.json == first.json
    assert [a.headers["Idempotency-Replay"] for a in (first, second)] == ["false", "true"]
    assert "Idempotency-Payload-Mismatch" not in second.headers
    assert [caller.count(t) for t in (Invoice, Transmission, Outbox)] == [1, 1, 1]


def test_a_replay_says_processing_even_when_it_was_delivered(caller):
    """It is the first answer, not the current state."""
    first = caller.send(caller.body(REJECTED), Idempotency_Key="k")
    caller.work()
    again = caller.send(caller.body(REJECTED), Idempotency_Key="k")

    assert caller.get(f"/api/invoices/{first.json['invoiceId']}").json["networkStatus"] == "Failed"
    assert (again.status_code, again.json["networkStatus"]) == (200, "Processing")


@pytest.mark.parametrize("other", ["another number", "a broken body", "a wrong field", "nothing"])
def test_another_body_gets_the_first_result_marked_as_such(caller, other):
    """The contract returns the original result for any body."""
    body = caller.body()
    first = caller.send(body, Idempotency_Key="k")
    changed = copy.deepcopy(body)
    changed["invoice"]["number"] = "other" if other == "another number" else 5
    second = caller.send(
        {"a broken body": b"{", "nothing": b""}.get(other, changed), Idempotency_Key="k"
    )

    assert second.status_code == 200
    assert second.json["invoiceId"] == first.json["invoiceId"]
    assert second.headers["Idempotency-Replay"] == "true"
    assert second.headers["Idempotency-Payload-Mismatch"] == "true"
    assert [w["code"] for w in second.json["warnings"]] == ["idempotency-payload-mismatch"]
    assert caller.count(Invoice) == 1


def test_strict_idempotency_refuses_another_body(caller):
    """422, and the same body still replays."""
    caller.switch(strict_idempotency=True)
    body = caller.body()
    first = caller.send(body, Idempotency_Key="k")
    other = caller.send(caller.body(), Idempotency_Key="k")
    same = caller.send(body, Idempotency_Key="k")

    assert (other.status_code, slug(other)) == (422, "idempotency-key-reuse")
    assert same.json == first.json
    assert same.headers["Idempotency-Replay"] == "true"


def test_a_refused_request_does_not_take_the_key(caller):
    """Only accepted results are stored."""
    assert caller.send(b"{}", Idempotency_Key="k").status_code == 400
    answer = caller.send(Idempotency_Key="k")

    assert (answer.status_code, answer.headers["Idempotency-Replay"]) == (200, "false")


def test_idempotency_keys_are_separate_per_environment(service, caller):
    """The scope is tenant and environment: a live key does not replay results of a test key."""
    live = Caller(service, Environment.LIVE, caller.tenant)
    caller.send(Idempotency_Key="k")

    assert slug(live.send(b"{", Idempotency_Key="k")) == "invalid-body"


def test_api_keys_of_a_tenant_share_idempotency_keys(service, caller):
    """Rotating an API key must not send anything twice."""
    body = caller.body()
    other = Caller(service, tenant=caller.tenant)

    first, second = (c.send(body, Idempotency_Key="k") for c in (caller, other))
    assert first.json == second.json


@pytest.mark.parametrize("prefer", ["respond-async", "wait=5"])
def test_50_equal_keys_at_once_are_one_submission_with_one_answer(build, prefer):
    """Those without a place to wait get 409 with Retry-After; all others the same result."""
    caller = Caller(build(max_waiters=16))
    body = caller.body()

    def send(_: int):
        return caller.send(body, prefer, Idempotency_Key="k")

    with ThreadPoolExecutor(51) as threads:
        asked = [threads.submit(send, i) for i in range(50)]
        while prefer == "wait=5" and not all(a.done() for a in asked):
            caller.work()
        answers = [a.result() for a in asked]

    reported = [a for a in answers if a.status_code == 200]
    assert len({a.data for a in reported}) == 1
    assert [a.headers["Idempotency-Replay"] for a in reported].count("false") == 1
    later = [a for a in answers if a.status_code != 200]
    assert all(slug(a) == "idempotency-in-progress" for a in later)
    assert all(a.headers["Retry-After"] == "1" for a in later)
    assert prefer == "wait=5" or not later
    assert [caller.count(t) for t in (Invoice, Transmission, IdempotencyKey)] == [1, 1, 1]
    assert send(0).data == reported[0].data


def test_a_rejected_send_releases_its_key(build):
    """After network-failed, the same key makes a first submission."""
    caller = Caller(build())
    with ThreadPoolExecutor(2) as threads:
        asked = threads.submit(
            caller.send, caller.body(REJECTED), prefer="wait=25", Idempotency_Key="k"
        )
        while not asked.done():
            caller.work()
    failed = asked.result()
    again = caller.send(caller.body(), Idempotency_Key="k")

    assert slug(failed) == "network-failed"
    assert (again.status_code, again.headers["Idempotency-Replay"]) == (200, "false")
    assert again.json["invoiceId"] != failed.json["invoiceId"]


def test_a_repeat_of_a_send_that_still_waits_is_409(build):
    """409 with Retry-After if it is undecided after the wait; then the same result."""
    caller = Caller(build())
    body = caller.body()
    _leave_waiting(caller, body, clock.now() + timedelta(seconds=30))
    second = caller.send(body, prefer="wait=1", Idempotency_Key="k")

    assert (second.status_code, slug(second)) == (409, "idempotency-in-progress")
    assert second.headers["Retry-After"] == "1"


def test_a_repeat_waits_as_long_as_it_asks_for_itself(build):
    """Not as long as the first request, which waited for nothing."""
    caller = Caller(build(send_wait=0.0))
    body = caller.body()
    first = _leave_waiting(caller, body, clock.now() + timedelta(seconds=30))
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(caller.send, body, prefer="wait=25", Idempotency_Key="k")
        while not asked.done():
            caller.work()
    second = asked.result()

    assert second.status_code == 200, second.text
    assert (second.json["invoiceId"], second.headers["Idempotency-Replay"]) == (first, "true")


def test_a_send_whose_process_died_counts_as_processing(build):
    """Once its time is over, a repeat is answered at once (docs/states.md)."""
    caller = Caller(build())
    body = caller.body()
    first = _leave_waiting(caller, body, clock.now() - timedelta(seconds=1))
    second = caller.send(body, prefer="wait=5", Idempotency_Key="k")

    assert second.status_code == 200
    assert (second.json["invoiceId"], second.headers["Idempotency-Replay"]) == (first, "true")


def _leave_waiting(caller: Caller, body, until) -> str:
    """A send whose web process was killed while it waited; its invoice."""
    invoice_id: str = caller.send(body, Idempotency_Key="k").json["invoiceId"]
    with caller.app.app_context(), db.writing() as connection:
        connection.execute(
            sa.update(Transmission)
            .where(Transmission.invoice_id == invoice_id)
            .values(answered=None, answer_by=until)
        )
    return invoice_id
