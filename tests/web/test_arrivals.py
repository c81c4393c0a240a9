"""Deadlines and shares of request bodies that are arriving."""

from __future__ import annotations

from dataclasses import replace

import pytest

from einvoice import clock
from einvoice.domain.errors import BodyTooSlow, RateLimitExceeded, TooBusy
from einvoice.web.admission import arrivals, callers, slots
from einvoice.web.admission.arrivals import Arrival, Arrivals
from einvoice.web.admission.callers import Caller
from einvoice.web.admission.environ import REFUSAL

T1, T2, STRANGER = Caller("t1", known=True), Caller("t2", known=True), Caller("192.0.2.1", False)
KIB, MIB = 1024, 1024**2


@pytest.fixture
def now(monkeypatch):
    times = [1000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: times[0])
    return times


@pytest.fixture
def bodies(now):
    return Arrivals()


def begin(bodies, caller=T1, declared: int | None = 100) -> Arrival:
    return bodies.begin(caller, declared, lambda: None)


def refusal_after(bodies, arrival, now, seconds):
    now[0] = 1000.0 + seconds
    bodies.refuse_overdue()
    return arrival.refusal


@pytest.mark.parametrize(
    ("declared", "received", "seconds"),
    [(100, 0, 10), (64 * KIB, 0, 12), (MIB, 0, 10), (MIB, 640 * KIB, 30), (None, 0, 10),
     (None, 320 * KIB, 20), (20 * MIB, 19 * MIB, 120)],
)  # fmt: skip
def test_a_body_has_ten_seconds_and_one_for_each_32_kib(bodies, now, declared, received, seconds):
    """And at most two minutes; of a small body of known length the length counts."""
    arrival = begin(bodies, declared=declared)
    bodies.received(arrival, received)

    assert refusal_after(bodies, arrival, now, seconds - 0.1) is None
    assert isinstance(refusal_after(bodies, arrival, now, seconds + 0.1), BodyTooSlow)


def test_the_seventh_body_of_a_caller_has_two_seconds(bodies, now):
    six = [begin(bodies) for _ in range(6)]
    seventh, others = begin(bodies), begin(bodies, T2)

    assert refusal_after(bodies, seventh, now, 1.9) is None
    assert isinstance(refusal_after(bodies, seventh, now, 2.1), RateLimitExceeded)
    assert [one.refusal for one in [*six, others]] == [None] * 7


def test_the_seventh_body_moves_up_when_another_is_complete(bodies, now):
    six = [begin(bodies) for _ in range(6)]
    seventh = begin(bodies)
    bodies.complete(six[0])

    assert refusal_after(bodies, seventh, now, 2.1) is None


def test_more_bodies_of_a_caller_are_refused_at_once(bodies):
    for _ in range(54):
        begin(bodies)

    with pytest.raises(RateLimitExceeded):
        begin(bodies)
    begin(bodies, T2)


def test_a_body_counts_until_it_is_complete_and_a_refused_one_does_not(bodies):
    """However often either is said."""
    for _ in range(60):
        arrival = begin(bodies)
        bodies.complete(arrival)
        bodies.complete(arrival)
    held = [begin(bodies) for _ in range(54)]
    for _ in range(2):
        with pytest.raises(RateLimitExceeded):
            begin(bodies)
    bodies.complete(held[0])

    assert begin(bodies).refusal is None


def test_a_refused_body_is_received_no_further_and_told_how_fast_it_has_to_be(bodies, now):
    cancelled = []
    slow = bodies.begin(T1, 100, lambda: cancelled.append(True))
    refusal = refusal_after(bodies, slow, now, 11)

    assert cancelled == [True]
    assert refusal.detail == (
        "The body was not complete after 10 seconds: send at least 32 KiB a second."
    )


def test_bytes_are_those_of_the_body_and_small_bodies_have_none(bodies):
    """Also in parts, and once however often the answer is told."""
    small, large = begin(bodies, T1, None), begin(bodies, T2, None)
    bodies.received(small, 64 * KIB)
    assert bodies._bytes.used == 0
    bodies.received(small, 1)
    for _ in range(2):
        bodies.received(large, MIB)
    assert bodies._bytes.used == 2 * MIB + 64 * KIB + 1
    for each in (small, large, small, large):
        bodies.release(each)

    assert bodies._bytes.used == 0


def test_a_full_process_makes_room_for_the_next_caller(now):
    """The oldest body of the caller with most ends, of unknown callers before known ones."""
    bodies = Arrivals(replace(arrivals.BODIES, in_all=8))
    strangers = [begin(bodies, STRANGER) for _ in range(2)]
    own = [begin(bodies, T1) for _ in range(6)]
    newcomers = [begin(bodies, T2) for _ in range(3)]

    refused = [one for one in [*strangers, *own, *newcomers] if one.refusal is not None]
    assert refused == [*strangers, own[0]]


def test_the_bytes_of_a_caller_are_limited(bodies):
    """Until its requests are answered."""
    first, second, other = begin(bodies, T1, None), begin(bodies, T1, None), begin(bodies, T2, None)
    bodies.received(first, 60 * MIB)
    bodies.complete(first)
    bodies.received(other, 5 * MIB)
    bodies.received(second, 5 * MIB)

    assert isinstance(second.refusal, TooBusy)
    assert (first.refusal, other.refusal) == (None, None)


def test_bytes_count_no_longer_once_the_request_is_answered(bodies):
    first, second = begin(bodies, T1, None), begin(bodies, T1, None)
    bodies.received(first, 60 * MIB)
    bodies.complete(first)
    bodies.release(first)
    bodies.received(second, 60 * MIB)

    assert second.refusal is None


def test_bodies_have_five_seconds_once_the_process_ends(bodies, now):
    arrival = begin(bodies)
    bodies.stop()

    assert refusal_after(bodies, arrival, now, 4.9) is None
    assert refusal_after(bodies, arrival, now, 5.1) is not None


# -- refusals over HTTP ----------------------------------------------------------------------------


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("refusal", "status", "slug", "header"),
    [
        (BodyTooSlow("It took 10 seconds."), 408, "body-too-slow", ("Connection", "close")),
        (TooBusy("Too many."), 503, "too-busy", ("Retry-After", "2")),
        (arrivals.too_many_bodies(), 429, "rate-limit-exceeded", ("Retry-After", "1")),
    ],
)
def test_a_request_refused_by_the_server_is_answered_with_a_problem(
    app, refusal, status, slug, header
):
    """Without a computing slot, at any address."""
    with slots._slots.held("a"), slots._slots.held("b"):
        answer = app.test_client().post("/oauth/token", environ_overrides={REFUSAL: refusal})

    assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (status, slug)
    assert header in list(answer.headers)
    assert answer.headers["X-Request-Id"] == answer.json["requestId"]


# -- callers ---------------------------------------------------------------------------------------


def test_a_caller_is_its_tenant_once_its_credential_was_accepted():
    credential = callers.credential_of("sk_test_arrivals", "")
    before = callers.caller_of(credential, "192.0.2.7")
    callers.remember(credential, "t1")

    assert before == Caller("192.0.2.7", known=False)
    assert callers.caller_of(credential, "192.0.2.7") == Caller("t1", known=True)
    assert callers.caller_of(0, "192.0.2.7") == before


def test_a_client_without_a_credential_is_its_network():
    """A household has a whole /64."""
    one, other = (callers.caller_of(0, f"2001:db8:0:1::{host}") for host in (1, 2))

    assert one == other != callers.caller_of(0, "2001:db8:0:2::1")


@pytest.mark.parametrize("limit", ["in_all", "of_one"])
def test_inflated_bytes_count_until_the_request_is_answered(now, limit):
    """A body of a few bytes may become many; too many are refused, and others are received."""
    bodies = Arrivals(of_bytes=replace(arrivals.BYTES, **{limit: MIB}))
    first, second = begin(bodies), begin(bodies)
    for arrival in (first, second):
        bodies.complete(arrival)
    bodies.inflated(first, MIB)

    with pytest.raises(TooBusy):
        bodies.inflated(second, 65 * KIB)
    bodies.release(first)
    bodies.release(second)
    bodies.inflated(begin(bodies), MIB)
