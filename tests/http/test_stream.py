"""Requests that are added while others are being sent."""

from __future__ import annotations

import threading
import time

import pytest

from einvoice.http import (
    Blocked,
    ConcurrentClient,
    Limits,
    Policy,
    Request,
    RequestStream,
    Response,
    TimedOut,
)
from tests.http.resolving import INSIDE, OK, resolving_to
from tests.loopback import answering, silent


class Collected:
    """The results of a stream, which a thread of its own sends."""

    def __init__(self, client, **options):
        self.stream = RequestStream(client, **options)
        self.results = {}
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def _collect(self):
        for group in self.stream.completed():
            for position, result in group:
                assert position not in self.results
                self.results[position] = result

    def wait_for(self, position, seconds=30.0):
        until = time.monotonic() + seconds
        while position not in self.results:
            assert time.monotonic() < until
            time.sleep(0.005)
        return self.results[position]

    def end(self):
        self.stream.finish()
        self._thread.join(30)
        assert not self._thread.is_alive()
        return self.results


@pytest.fixture
def stream():
    """`stream(client)` collects the results of a stream that is finished after the test."""
    made = []

    def start(client, **options):
        made.append(Collected(client, **options))
        return made[-1]

    yield start
    for one in made:
        one.end()


def test_a_request_is_sent_while_another_waits_for_its_answer(serve, stream):
    """One that never answers does not delay those that are added later."""
    never, prompt = serve(silent), serve(answering(OK))
    found = stream(ConcurrentClient(INSIDE, limits=Limits(total=2.0)))
    found.stream.add(1, Request("POST", never.url()))
    time.sleep(0.05)
    found.stream.add(2, Request("POST", prompt.url()))

    assert found.wait_for(2, 1.5).status == 200
    assert 1 not in found.results
    assert isinstance(found.wait_for(1), TimedOut)


def test_an_idle_stream_takes_further_requests(serve, stream):
    server = serve(answering(OK))
    found = stream(ConcurrentClient(INSIDE))
    for position in range(3):
        found.stream.add(position, Request("POST", server.url()))

        assert found.wait_for(position).status == 200


def test_finishing_waits_for_what_was_added(serve, stream):
    server = serve(answering(OK))
    found = stream(ConcurrentClient(INSIDE))
    for position in range(20):
        found.stream.add(position, Request("POST", server.url()))

    assert sorted(found.end()) == list(range(20))
    assert all(isinstance(result, Response) for result in found.results.values())


def test_a_request_that_is_refused_has_a_result_like_any_other(stream):
    found = stream(ConcurrentClient(Policy()))
    found.stream.add(1, Request("POST", "http://receiver.example/"))

    assert isinstance(found.wait_for(1), Blocked)


def test_a_name_is_looked_up_again_when_nothing_is_open_to_it(serve, stream):
    """A stream runs for days, and the address of a host may change."""
    server = serve(answering(OK))
    resolver = resolving_to("127.0.0.1")
    found = stream(ConcurrentClient(INSIDE, resolver=resolver))
    for position in range(2):
        found.stream.add(position, Request("POST", server.url("receiver.example")))
        found.wait_for(position)

    assert resolver.asked == ["receiver.example"] * 2


def test_an_address_is_checked_at_each_lookup(serve, stream):
    """The second lookup of a name may give an address inside (DNS rebinding)."""
    server = serve(answering(OK))
    answers = [resolving_to("127.0.0.1"), resolving_to("169.254.169.254")]

    def resolver(host, port, **options):
        return answers.pop(0)(host, port, **options)

    found = stream(ConcurrentClient(INSIDE, resolver=resolver))
    for position in range(2):
        found.stream.add(position, Request("POST", server.url("receiver.example")))
        found.wait_for(position)

    assert found.results[0].status == 200
    assert isinstance(found.results[1], Blocked)


def test_nothing_is_kept_of_hosts_without_an_open_request(serve, stream):
    """However many hosts there are in the life of a stream."""
    found = stream(ConcurrentClient(INSIDE, resolver=resolving_to("127.0.0.1")))
    for position in range(5):
        server = serve(answering(OK))
        found.stream.add(position, Request("POST", server.url(f"receiver-{position}.example")))
        found.wait_for(position)

    assert (found.stream._names, dict(found.stream._used), dict(found.stream._waiting)) == ({},) * 3
