"""Calls into plugins: how many at once, and for how long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from einvoice.config import Settings
from einvoice.network import calls
from einvoice.network.calls import MAX_CALLS, MAX_TENANT_CALLS, PluginBusy, Shares
from einvoice.services.computing.pool import MAX_SECONDS_PER_CPU_SECOND
from tests.waiting import until_equal


@pytest.fixture
def finish() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def hang(shares: Shares, finish: threading.Event, number: int) -> None:
    """As many calls that do not return, each given up after a moment."""

    def call(_: int) -> None:
        with pytest.raises(PluginBusy, match="did not answer within"):
            shares.call("slow", finish.wait, 0.1)

    with ThreadPoolExecutor(number) as callers:
        list(callers.map(call, range(number)))


def test_a_call_returns_what_the_plugin_returns():
    assert Shares().call("a", lambda: 7, 5) == 7


@pytest.mark.parametrize("fault", [ValueError("a"), TimeoutError("b")])
def test_a_call_raises_what_the_plugin_raises(fault):
    def broken() -> None:
        raise fault

    with pytest.raises(type(fault), match=str(fault)):
        Shares().call("a", broken, 5)


def test_a_plugin_that_hangs_is_called_no_more_until_it_returns(finish):
    """Its calls are counted while they last, although their requests were refused."""
    shares = Shares(wait=0.05)
    hang(shares, finish, MAX_CALLS)

    with pytest.raises(PluginBusy, match="answering"):
        shares.call("slow", lambda: None, 5)
    assert shares.call("other", lambda: 1, 5) == 1
    finish.set()
    until_equal(lambda: shares.of("slow").used, 0)
    assert shares.call("slow", lambda: 2, 5) == 2


def test_calls_are_counted_while_they_last(finish):
    """The ninth waits for one of eight, and is refused without calling the plugin."""
    shares, entered = Shares(wait=0.05), threading.Barrier(MAX_CALLS + 1)

    def answer() -> None:
        entered.wait(10)
        finish.wait(10)

    with ThreadPoolExecutor(MAX_CALLS) as callers:
        for _ in range(MAX_CALLS):
            callers.submit(shares.call, "slow", answer, 10)
        entered.wait(10)
        with pytest.raises(PluginBusy, match="answering"):
            shares.call("slow", pytest.fail, 10)
        finish.set()
    until_equal(shares.running, 0)
    assert shares.call("slow", lambda: 3, 10) == 3


def test_calls_of_one_tenant_leave_places_to_others(finish):
    """Also those that are no longer waited for, until they end."""
    shares = Shares(wait=0.05)
    for _ in range(MAX_TENANT_CALLS):
        with pytest.raises(PluginBusy, match="did not answer within"):
            shares.call("slow", finish.wait, 0.01, "first")
    with pytest.raises(PluginBusy, match="6 calls of your account"):
        shares.call("slow", lambda: None, 5, "first")

    assert shares.call("slow", lambda: 1, 5, "second") == 1
    assert shares.call("slow", lambda: 2, 5) == 2
    assert shares.call("other", lambda: 3, 5, "first") == 3


def test_a_tenant_gets_a_place_as_soon_as_a_call_of_it_ends(finish):
    shares = Shares(wait=10)
    for _ in range(MAX_TENANT_CALLS):
        with pytest.raises(PluginBusy):
            shares.call("slow", finish.wait, 0.01, "first")
    slow = shares.of("slow")
    threading.Thread(target=lambda: (until_equal(lambda: slow.waiting, 1), finish.set())).start()

    assert shares.call("slow", lambda: 1, 5, "first") == 1


def test_an_endpoint_has_as_long_as_a_received_document_may_be_computed():
    longest = MAX_SECONDS_PER_CPU_SECOND * Settings().compute_seconds
    assert longest <= calls.ENDPOINT_SECONDS


def test_calls_are_counted_while_they_run():
    """Also one that raises, or is no longer waited for, until it has ended."""
    shares, ended = Shares(), threading.Event()
    with pytest.raises(PluginBusy):
        shares.call("a", lambda: ended.wait(30), 0.01)
    with pytest.raises(ZeroDivisionError):
        shares.call("b", lambda: 1 / 0, 5)

    assert shares.running() >= 1
    ended.set()
    until_equal(shares.running, 0)


def test_a_plugin_answers_as_many_calls_as_it_says_or_as_the_others():
    shares = Shares(3)

    assert [shares.of("a").limit.in_all, shares.of("b", 2).limit.in_all] == [3, 2]
    assert shares.of("b") is shares.of("b")
