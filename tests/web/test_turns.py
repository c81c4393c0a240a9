"""Which requests run, which wait, and in which order."""

from __future__ import annotations

import pytest

from einvoice import clock
from einvoice.domain.errors import RateLimitExceeded, TooBusy
from einvoice.web import turns
from einvoice.web.callers import Caller
from einvoice.web.turns import RESERVED_TURNS, RequestTurn, RequestTurns

T1, T2, STRANGER = Caller("t1", known=True), Caller("t2", known=True), Caller("192.0.2.1", False)
NUMBER = 10


def turn(caller: Caller) -> RequestTurn:
    return RequestTurn(caller, lambda _: None)


def taken(these: RequestTurns, caller: Caller, number: int) -> int:
    return sum(these.take(turn(caller)) for _ in range(number))


def test_one_caller_does_not_take_the_last_turns():
    these = RequestTurns(NUMBER)

    assert taken(these, T1, NUMBER) == NUMBER - RESERVED_TURNS
    assert taken(these, T2, 1) == 1


def test_unknown_callers_take_half_of_the_turns_together():
    these = RequestTurns(NUMBER)
    strangers = [Caller(f"192.0.2.{number}", known=False) for number in range(NUMBER)]

    assert sum(taken(these, one, 1) for one in strangers) == NUMBER // 2
    assert taken(these, T1, 1) == 1


def test_waiting_callers_are_served_in_rotation():
    """The second caller's only request does not wait for all of the first caller's."""
    these = RequestTurns(1)
    these.take(turn(STRANGER))
    for caller in (T1, T1, T1, T2):
        these.take(turn(caller))
    order, given = [], these.give(STRANGER)
    while given is not None:
        order.append(given.caller)
        given = these.give(given.caller)

    assert order == [T1, T2, T1, T1]


def test_a_caller_at_its_limit_is_passed_over():
    these = RequestTurns(NUMBER)
    taken(these, T1, NUMBER)
    taken(these, T2, NUMBER)
    given = these.give(T2)

    assert given is not None
    assert given.caller == T2


def test_every_turn_is_given_back():
    these = RequestTurns(NUMBER)
    for caller in (T1, T2, STRANGER) * 20:
        assert these.take(turn(caller))
        assert these.give(caller) is None

    assert taken(these, T1, NUMBER) == NUMBER - RESERVED_TURNS


@pytest.mark.parametrize(
    ("limit", "refusal"),
    [("MAX_WAITING_PER_CALLER", RateLimitExceeded), ("MAX_WAITING", TooBusy)],
)
def test_only_so_many_requests_wait(monkeypatch, limit, refusal):
    monkeypatch.setattr(turns, limit, 2)
    these = RequestTurns(1)
    taken(these, T1, 3)

    with pytest.raises(refusal):
        these.take(turn(T1))


def test_a_request_waits_for_twenty_seconds_at_most(monkeypatch):
    these = RequestTurns(1)
    taken(these, T1, 3)
    now = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: now + 19)
    assert these.expired() == []
    monkeypatch.setattr(clock, "monotonic", lambda: now + 21)

    assert [one.caller for one in these.expired()] == [T1, T1]
    assert these.give(T1) is None
