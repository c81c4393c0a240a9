"""The first answer: waiting for the network, no longer than asked for (decisions 0.1).

Where an answer must not wait, waiting would take 25 seconds; SOON is well before that and far more
than a busy machine needs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import ExitStack

import pytest
from flask import Flask

from einvoice.services.waiting_room import WaitingRoom
from einvoice.store.tables import IdempotencyKey
from tests.web.caller import Caller, slug

LONG = "wait=25"
SOON = 15.0
LATE = "0088:9520000000165"  # after 1 s
STAYS, REJECTED, UNAVAILABLE = (
    "0088:9520000000028", "0088:9520000000059", "0088:9520000000066"
)  # fmt: skip


@pytest.fixture
def waiting(build: Callable[..., Flask]) -> Caller:
    return Caller(build())


def answered(caller: Caller, receiver: str, prefer: str = LONG, **headers: str):
    """Send and wait, with workers running meanwhile."""
    body = caller.body(receiver)
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(caller.send, body, prefer, **headers)
        while not asked.done():
            caller.work()
            time.sleep(0.01)
        return asked.result()


@pytest.mark.parametrize(
    ("receiver", "code", "upstream", "retryable"),
    [(REJECTED, "SIM-BAD-REQUEST", 400, False), (UNAVAILABLE, "SIM-UNAVAILABLE", 503, True)],
)
def test_a_rejection_within_the_wait_is_network_failed(
    waiting, receiver, code, upstream, retryable
):
    """400 with the access point's reason; the invoice is stored as Failed."""
    answer = answered(waiting, receiver, Idempotency_Key="k")

    assert (answer.status_code, slug(answer)) == (400, "network-failed")
    assert answer.json["errorCode"] == code
    assert answer.json["upstreamStatus"] == upstream
    assert answer.json["retryable"] is retryable
    assert answer.json["transactionId"].startswith("txn_")
    assert answer.headers["Preference-Applied"] == LONG
    assert answer.headers["Idempotency-Key"] == "k"
    kept = waiting.get(f"/api/invoices/{answer.json['invoiceId']}").json
    assert (kept["networkStatus"], kept["retryable"]) == ("Failed", retryable)
    assert kept["transactionId"] == answer.json["transactionId"]
    assert waiting.count(IdempotencyKey) == 0


def test_any_other_first_outcome_is_processing_at_once(waiting):
    """Pending ends the wait before the 25 seconds."""
    started = time.monotonic()
    answer = answered(waiting, STAYS)

    assert (answer.status_code, answer.json["networkStatus"]) == (200, "Processing")
    assert time.monotonic() - started < SOON


def test_when_the_time_is_up_the_answer_is_processing(waiting):
    """A rejection after the answer is a transition to Failed, not another answer."""
    started = time.monotonic()
    body = waiting.body(REJECTED)
    answer = waiting.send(body, prefer="wait=1", Idempotency_Key="k")
    took = time.monotonic() - started
    waiting.work()

    assert (answer.status_code, answer.json["networkStatus"]) == (200, "Processing")
    assert 1.0 <= took < SOON
    assert answer.headers["Preference-Applied"] == "wait=1"
    kept = waiting.get(f"/api/invoices/{answer.json['invoiceId']}").json
    assert kept["networkStatus"] == "Failed"
    again = waiting.send(body, prefer="wait=1", Idempotency_Key="k")
    assert (again.status_code, again.json) == (200, answer.json)


def test_a_send_waits_for_a_receiver_that_answers_after_a_second(waiting):
    """Then it is Delivered, which the first answer does not yet say."""
    started = time.monotonic()
    answer = answered(waiting, LATE)

    assert (answer.status_code, answer.json["networkStatus"]) == (200, "Processing")
    assert 1.0 <= time.monotonic() - started < SOON
    kept = waiting.get(f"/api/invoices/{answer.json['invoiceId']}").json
    assert kept["networkStatus"] == "Delivered"
    assert [line["event"] for line in kept["history"]].count("retried") == 1


def test_a_repetition_waits_for_the_late_receiver_with_the_first_request(waiting):
    """So a program whose own time-out is shorter can repeat the request."""
    body = waiting.body(LATE)
    with ThreadPoolExecutor(2) as threads:
        asked = [threads.submit(waiting.send, body, LONG, Idempotency_Key="k") for _ in range(2)]
        while not all(one.done() for one in asked):
            waiting.work()
            time.sleep(0.01)
        answers = [one.result() for one in asked]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].data == answers[1].data
    replays = sorted(answer.headers["Idempotency-Replay"] for answer in answers)
    assert replays == ["false", "true"]


def test_the_setting_is_the_default_wait(build):
    caller = Caller(build(send_wait=0.5))
    body, started = caller.body(), time.monotonic()
    answer = caller.send(body, prefer="")

    assert answer.status_code == 200
    assert 0.5 <= time.monotonic() - started < SOON
    assert "Preference-Applied" not in answer.headers


@pytest.mark.parametrize("prefer", ["respond-async", "wait=0"])
def test_respond_async_does_not_wait(build, prefer):
    caller = Caller(build(send_wait=25.0))
    body, started = caller.body(REJECTED), time.monotonic()

    assert caller.send(body, prefer=prefer).status_code == 200
    assert time.monotonic() - started < SOON


def test_above_the_seats_the_answer_is_processing_at_once(build):
    """With one seat, the second of two is answered while the first still waits."""
    caller = Caller(build(max_waiters=1))
    bodies = [caller.body(STAYS), caller.body(STAYS)]
    with ThreadPoolExecutor(2) as threads:
        asked = [threads.submit(caller.send, body, prefer=LONG) for body in bodies]
        answered, waiting = wait(asked, timeout=SOON, return_when=FIRST_COMPLETED)
        caller.work()
        reported = [one.result().json["networkStatus"] for one in asked]

    assert (len(answered), len(waiting)) == (1, 1)
    assert reported == ["Processing", "Processing"]


@pytest.mark.parametrize(("seats", "share"), [(1, 1), (3, 3), (4, 3), (16, 12)])
def test_one_tenant_waits_on_three_quarters_of_the_seats(build, seats, share):
    """The other seats are left to others, however many receivers of one are slow."""
    room = WaitingRoom(build().app_context, seats)
    with ExitStack() as waiting:
        mine = [waiting.enter_context(room.seat("mine", True)) for _ in range(seats + 2)]
        others = [waiting.enter_context(room.seat("theirs", True)) for _ in range(seats + 2)]
    with room.seat("mine", True) as again, room.seat("mine", False) as unwanted:
        pass

    assert mine.count(True) == share
    assert others.count(True) == seats - share
    assert (again, unwanted) == (True, False)


def test_a_send_waits_while_another_tenant_waits_with_all_it_has(build):
    """Its rejection is still the answer of its request."""
    app = build(max_waiters=4)
    slow, normal = Caller(app), Caller(app)
    bodies = [slow.body(STAYS) for _ in range(6)]
    with ThreadPoolExecutor(6) as threads:
        asked = [threads.submit(slow.send, body, prefer=LONG) for body in bodies]
        until = time.monotonic() + SOON
        while sum(one.done() for one in asked) < 3 and time.monotonic() < until:
            time.sleep(0.01)
        answer = answered(normal, REJECTED)
        waiting = [one for one in asked if not one.done()]
        slow.work()

    assert len(waiting) == 3
    assert slug(answer) == "network-failed"


def test_without_seats_no_request_waits(build):
    caller = Caller(build(max_waiters=0))
    body, started = caller.body(), time.monotonic()

    assert caller.send(body, prefer=LONG).status_code == 200
    assert time.monotonic() - started < SOON
