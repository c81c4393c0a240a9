"""The client that sends many requests side by side on one thread."""

from __future__ import annotations

import gc
import socket
import threading
import time
from contextlib import ExitStack
from dataclasses import replace

import pytest

from einvoice.http import (
    Blocked,
    BrokenOff,
    ConcurrentClient,
    HttpFault,
    Limits,
    Policy,
    Request,
    Response,
    ResponseTooLarge,
    TimedOut,
    TlsFailed,
    Unreachable,
)
from einvoice.http.connections import KeptConnections
from tests.access_points import http_network
from tests.access_points.http_network import Behaviour
from tests.http.resolving import INSIDE, OK, resolving_to
from tests.loopback import answering, dropping, silent

CHUNKED = (
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3\r\nabc\r\nA;x=1\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n"
)
OUTSIDE = Policy(https_only=False)


def results(client, requests, **options):
    """The results in the order of the requests, each given once."""
    found = [result for group in client.send_all(requests, **options) for result in group]
    assert sorted(position for position, _ in found) == list(range(len(requests)))
    return [result for _, result in sorted(found, key=lambda result: result[0])]


def result(client, request, **options):
    (found,) = results(client, [request], **options)
    return found


def post(server, host="127.0.0.1", **more):
    return Request("POST", server.url(host), body=b"{}", **more)


@pytest.fixture
def network(tmp_path):
    """`network(latency=…)` starts an HTTP server that takes many connections; its address."""
    with ExitStack() as stack:
        yield lambda **behaviour: stack.enter_context(
            http_network.running(tmp_path / "ledger", Behaviour(**behaviour))
        )


def messages(url, count):
    return [Request("POST", f"{url}/messages/m{number}", body=b"<x/>") for number in range(count)]


# -- many --------------------------------------------------------------------------------------


def test_requests_run_side_by_side_on_one_thread(network):
    """A hundred that take half a second each take far less than fifty seconds together."""
    url = network(latency=0.5)
    threads, began = threading.active_count(), time.monotonic()

    found = results(ConcurrentClient(INSIDE), messages(url, 100))

    assert all(f">m{n}<".encode() in response.body for n, response in enumerate(found))
    assert time.monotonic() - began < 25
    assert threading.active_count() <= threads


def test_connections_are_kept_for_the_next_call(network):
    """A second call opens no connection where the first one left enough."""
    url, calls = network(), []

    def resolve(*arguments, **more):
        calls.append(arguments)
        return socket.getaddrinfo(*arguments, **more)

    client = ConcurrentClient(INSIDE, per_host=5, resolver=resolve)
    results(client, messages(url, 20))
    looked_up = len(calls)
    results(client, messages(url, len(client.kept._free)))

    assert looked_up
    assert len(calls) == looked_up


def test_a_client_that_is_dropped_closes_its_connections(network):
    """Also one that refers to itself, which the collector finds."""
    client = ConcurrentClient(INSIDE)
    result(client, Request("POST", f"{network()}/documents", body=b"{}"))
    [connection] = client.kept._free
    client.itself = client
    del client
    gc.collect()

    assert connection._socket.fileno() == -1


def test_a_host_gets_no_more_connections_than_allowed(network):
    """Requests beyond the bound wait for a connection to be free."""
    url = network(latency=0.1, max_connections=3)  # closes the fourth at once
    found = results(ConcurrentClient(INSIDE, per_host=3), messages(url, 12))

    assert [response.status for response in found] == [200] * 12


def test_the_connections_of_a_call_are_bounded_over_all_hosts(network):
    """Two are in use and two are kept: a fifth would be closed by the server at once."""
    url = network(latency=0.1, max_connections=4)
    client = ConcurrentClient(INSIDE, connections=2, resolver=resolving_to("127.0.0.1"))
    hosts = [url.replace("127.0.0.1", f"h{number}.example") for number in range(6)]
    found = results(client, [Request("POST", f"{host}/messages/x") for host in hosts])

    assert len({type(response) for response in found}) == 1
    assert {response.status for response in found} == {200}


def test_a_slow_request_does_not_hold_back_the_others(network, serve):
    """Groups are yielded as they complete: what is known is not kept waiting."""
    url, slow = network(), serve(silent)
    client = ConcurrentClient(INSIDE, limits=Limits(read=60.0, total=60.0))
    groups = client.send_all([post(slow), *messages(url, 10)], gather=0.01)
    known = []
    while len(known) < 10:
        known += next(groups)
    groups.close()

    assert {position for position, _ in known} == set(range(1, 11))


def test_gathering_makes_groups_of_what_completes_together(network):
    """One commit for all of them is cheaper than one for each."""
    url = network(latency=0.05)
    groups = list(ConcurrentClient(INSIDE).send_all(messages(url, 20), gather=5.0))

    assert [len(group) for group in groups] == [20]


def test_requests_are_taken_while_those_before_them_are_sent(serve):
    """Making a request takes time: others are answered meanwhile."""
    asked = threading.Event()

    def answer(connection):
        asked.set()
        answering(OK)(connection)

    def made():
        yield post(serve(answer))
        for _ in range(500):
            if asked.wait(0.01):
                break
            yield Request("GET", "ftp://refused.example/")

    results = [one for group in ConcurrentClient(INSIDE).send_all(made()) for one in group]

    assert asked.is_set()
    assert len(results) < 500
    assert [type(one) for _, one in results if not isinstance(one, Blocked)] == [Response]


def test_one_fault_does_not_affect_the_others(network):
    """Each request has a result of its own."""
    url = network()
    refused = Request("GET", "ftp://receiver.example/")
    found = results(ConcurrentClient(INSIDE), [refused, *messages(url, 2), refused])

    assert [type(one) for one in found] == [Blocked, Response, Response, Blocked]


def test_no_requests_have_no_results():
    assert list(ConcurrentClient(OUTSIDE).send_all([])) == []


def test_a_call_that_is_given_up_closes_its_connections(serve):
    """The server sees the end of the connection."""
    ended = threading.Event()

    def until_closed(connection):
        silent(connection)
        ended.set()

    server = serve(until_closed)
    quick = serve(answering(OK))
    groups = ConcurrentClient(INSIDE).send_all([post(server), post(quick)])
    next(groups)
    groups.close()

    assert ended.wait(30)


# -- addresses -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["169.254.169.254"], ["93.184.215.14", "10.0.0.1"]],
)
def test_a_name_with_any_private_address_is_blocked(addresses, serve):
    """One is enough, because an attacker could influence which address is used."""
    server = serve(answering(OK))
    client = ConcurrentClient(OUTSIDE, resolver=resolving_to(*addresses))
    fault = result(client, post(server, "receiver.example"))

    assert isinstance(fault, Blocked)
    assert not fault.maybe_sent
    assert not any(address in str(fault) for address in addresses)
    assert server.heads == []


@pytest.mark.parametrize("url", ["https://127.0.0.1/", "http://receiver.example/", "https://a@b/"])
def test_a_url_is_refused_by_its_form(url):
    """As `Client` refuses it: without DNS and without a connection."""
    client = ConcurrentClient(Policy(), resolver=resolving_to())

    assert isinstance(result(client, Request("POST", url)), Blocked)
    assert client.resolver.asked == []


def test_a_name_is_resolved_once_and_the_checked_address_is_used(network):
    """For all requests of a call: another answer of the name server has no effect."""
    url = network().replace("127.0.0.1", "receiver.example")
    resolver = resolving_to("127.0.0.1")
    found = results(ConcurrentClient(INSIDE, resolver=resolver), messages(url, 5))

    assert [response.status for response in found] == [200] * 5
    assert resolver.asked == ["receiver.example"]


def test_the_next_address_is_tried_when_one_does_not_answer(serve):
    server = serve(answering(OK))
    client = ConcurrentClient(INSIDE, resolver=resolving_to("127.0.0.2", "127.0.0.1"))

    assert result(client, post(server, "receiver.example")).status == 200


def test_an_address_that_drops_packets_leaves_time_for_the_next_one(serve):
    server = serve(answering(OK))
    resolver = resolving_to("127.0.0.2", "127.0.0.1")
    client = ConcurrentClient(INSIDE, resolver=resolver, limits=Limits(connect=1.0))

    with dropping("127.0.0.2", server.port):
        assert result(client, post(server, "receiver.example")).status == 200


def test_addresses_that_all_drop_packets_time_out(serve):
    server = serve(silent)
    resolver = resolving_to("127.0.0.2", "127.0.0.3")
    client = ConcurrentClient(INSIDE, resolver=resolver, limits=Limits(connect=0.2))

    with dropping("127.0.0.2", server.port), dropping("127.0.0.3", server.port):
        fault = result(client, post(server, "receiver.example"))

    assert isinstance(fault, TimedOut)
    assert not fault.maybe_sent


def test_an_unknown_name_is_unreachable_for_all_of_its_requests():
    """It is looked up once for all of them."""
    asked = []

    def no_such_name(host, *_, **__):
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    client = ConcurrentClient(OUTSIDE, resolver=no_such_name)
    found = results(client, [Request("POST", "http://receiver.example/")] * 3)

    assert [(type(fault), fault.maybe_sent) for fault in found] == [(Unreachable, False)] * 3
    assert len(asked) == 1


def test_a_redirect_is_not_followed(serve):
    inner = serve(answering(OK))
    outer = serve(answering(f"HTTP/1.1 302 Found\r\nLocation: {inner.url()}\r\n\r\n"))

    assert result(ConcurrentClient(INSIDE), post(outer)).status == 302
    assert inner.heads == []


# -- time ----------------------------------------------------------------------------------------


def drip(head):
    """Send a byte every 50 ms, without end: each read is quick."""

    def script(connection):
        connection.sendall(head)
        while True:
            connection.sendall(b"x")
            time.sleep(0.05)

    return script


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nX: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
    ],
    ids=["in the headers", "in the body", "in a body without end"],
)
@pytest.mark.parametrize("secured", [False, True], ids=["plain", "tls"])
def test_a_slow_endless_response_ends_at_the_deadline(head, secured, serve, authority):
    server = serve(drip(head), tls=authority.context if secured else None)
    client = ConcurrentClient(
        INSIDE, ca_file=authority.ca_file, resolver=resolving_to("127.0.0.1"),
        limits=Limits(connect=60.0, read=60.0, total=1.0),
    )  # fmt: skip
    fault = result(client, post(server, "receiver.example"))

    assert isinstance(fault, TimedOut)
    assert fault.maybe_sent


def test_a_silent_server_times_out_after_one_read(serve):
    server, limits = serve(silent), Limits(connect=60.0, read=0.3, total=60.0)
    fault = result(ConcurrentClient(INSIDE), post(server), limits=limits)

    assert isinstance(fault, TimedOut)
    assert fault.maybe_sent


def test_a_request_may_take_longer_than_the_others(network):
    """A large one, whose receiver needs more time."""
    url = network(latency=0.6)
    client = ConcurrentClient(INSIDE, limits=Limits(read=0.2, total=0.2))
    usual, longer = messages(url, 2)
    late, found = results(client, [usual, replace(longer, seconds=60.0)])

    assert isinstance(late, TimedOut)
    assert isinstance(found, Response)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_does_not_take_part_times_out(scheme):
    """One that accepts connections and neither starts TLS nor reads."""
    client = ConcurrentClient(INSIDE, limits=Limits(connect=0.3, total=0.6))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"{scheme}://127.0.0.1:{listener.getsockname()[1]}/"
        fault = result(client, Request("POST", url))

    assert isinstance(fault, TimedOut)
    assert fault.maybe_sent is (scheme == "http")


def test_a_resolver_that_hangs_times_out():
    """The system's resolver has no time limit of its own."""
    released = threading.Event()
    client = ConcurrentClient(
        OUTSIDE, resolver=lambda *_, **__: released.wait(60), limits=Limits(connect=0.2)
    )
    fault = result(client, Request("POST", "http://receiver.example/"))
    released.set()

    assert isinstance(fault, TimedOut)
    assert not fault.maybe_sent


def test_a_call_ends_after_its_seconds(serve):
    """What was begun may have been sent; what was not begun was not."""
    client = ConcurrentClient(INSIDE, per_host=1, limits=Limits(read=60.0, total=60.0))
    first, second = results(client, [post(serve(silent))] * 2, seconds=0.3)

    assert isinstance(first, TimedOut)
    assert isinstance(second, TimedOut)
    assert (first.maybe_sent, second.maybe_sent) == (True, False)


# -- responses -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "body"),
    [
        (OK, b"ok"),
        ("HTTP/1.1 204 No Content\r\n\r\n", b""),
        ("HTTP/1.0 200 OK\r\n\r\nuntil the end", b"until the end"),
        (CHUNKED, b"abc0123456789"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok", b"ok"),
    ],
    ids=["length", "no content", "until the end", "chunked", "length given twice"],
)  # fmt: skip
def test_a_response_is_read_to_its_end(text, body, serve):
    found = result(ConcurrentClient(INSIDE), post(serve(answering(text))))

    assert (found.status // 100, found.body, found.complete) == (2, body, True)


def test_interim_responses_are_passed_over(serve):
    server = serve(answering(f"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n{OK}"))

    assert result(ConcurrentClient(INSIDE), post(server)).status == 200


def test_names_of_headers_have_no_case_and_repeated_ones_are_joined(serve):
    server = serve(answering("HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 0\r\n\r\n"))

    assert result(ConcurrentClient(INSIDE), post(server)).headers["X-a"] == "1, 2"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
        "SSH-2.0-x\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 099 Early\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: " + "x" * 100_000,
    ],
    ids=["closed at once", "cut short", "not HTTP", "no status", "long status", "status below 100",
         "negative length", "two lengths", "negative chunk", "chunk cut short", "chunk too long",
         "endless head"],
)  # fmt: skip
def test_a_request_whose_response_cannot_be_read_was_maybe_sent(text, serve):
    """A caller that must not send twice can see that bytes were sent."""
    fault = result(ConcurrentClient(INSIDE), post(serve(answering(text))))

    assert isinstance(fault, BrokenOff)
    assert fault.maybe_sent


@pytest.mark.parametrize("framing", ["length", "chunked", "end"])
def test_a_response_that_is_too_large_is_refused_or_cut(framing, serve):
    """The caller's limit bounds the memory, whatever the server sends."""
    head, body = {
        "length": ("Content-Length: 11\r\n", "x" * 11),
        "chunked": ("Transfer-Encoding: chunked\r\n", f"b\r\n{'x' * 11}\r\n0\r\n\r\n"),
        "end": ("", "x" * 11),
    }[framing]
    server = serve(answering(f"HTTP/1.1 200 OK\r\n{head}\r\n{body}"))
    client = ConcurrentClient(INSIDE)
    refused = result(client, post(server), limits=Limits(answer_bytes=10))
    cut = result(client, post(server), limits=Limits(answer_bytes=10), excerpt=True)
    whole = result(client, post(server), limits=Limits(answer_bytes=11))

    assert isinstance(refused, ResponseTooLarge)
    assert (cut.body, cut.complete) == (b"x" * 10, False)
    assert (whole.body, whole.complete) == (b"x" * 11, True)


def test_an_excerpt_of_an_endless_body_is_returned(serve):
    """The status is known, which is enough for the caller."""
    server = serve(drip(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n"))
    found = result(
        ConcurrentClient(INSIDE), post(server), limits=Limits(read=60, total=0.5), excerpt=True
    )

    assert (found.status, found.complete) == (200, False)


# -- TLS and connections -------------------------------------------------------------------------


def test_the_certificate_must_be_for_the_host_of_the_url(serve, authority):
    """Connecting to a checked address does not weaken the host name check of TLS."""
    server = serve(answering(OK), tls=authority.context)
    client = ConcurrentClient(INSIDE, ca_file=authority.ca_file, resolver=resolving_to("127.0.0.1"))

    assert result(client, post(server, "receiver.example")).status == 200
    fault = result(client, post(server, "other.example"))
    assert isinstance(fault, TlsFailed)
    assert not fault.maybe_sent
    assert len(server.heads) == 1


def test_a_certificate_of_an_unknown_authority_is_refused(serve, authority):
    server = serve(answering(OK), tls=authority.context)
    client = ConcurrentClient(INSIDE, resolver=resolving_to("127.0.0.1"))

    assert isinstance(result(client, post(server, "receiver.example")), TlsFailed)


def test_a_large_request_and_response_pass_through_tls(serve, authority):
    """Both are longer than what one read or write takes."""
    body = "x" * 2_000_000
    server = serve(
        answering(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}"),
        tls=authority.context,
    )
    client = ConcurrentClient(
        INSIDE, ca_file=authority.ca_file, resolver=resolving_to("127.0.0.1"),
        limits=Limits(answer_bytes=len(body)),
    )  # fmt: skip
    sent = Request("POST", server.url("receiver.example"), body=b"y" * 2_000_000)

    assert len(result(client, sent).body) == len(body)
    assert b"content-length: 2000000" in server.heads[0]


@pytest.mark.parametrize(("method", "repeated"), [("GET", True), ("HEAD", True), ("POST", False)])
def test_only_safe_methods_are_repeated_when_a_kept_connection_ends(method, repeated, serve):
    """The server may have processed a POST before it closed the connection."""

    def hang_up_on_the_second(connection):
        connection.sendall(b"HTTP/1.1 204 OK\r\n\r\n")
        if len(server.heads) == 1:
            connection.recv(4096)

    server = serve(hang_up_on_the_second)
    client = ConcurrentClient(INSIDE)
    assert result(client, Request("GET", server.url())).status == 204
    second = result(client, Request(method, server.url()))

    if repeated:
        assert second.status == 204
    else:
        assert isinstance(second, BrokenOff)
        assert second.maybe_sent


def test_a_connection_that_the_server_closed_is_not_used_again(serve):
    """Seen before the request is written: then a POST is safe on a new connection."""
    closed = threading.Event()

    def answer_and_close(connection):
        connection.sendall(b"HTTP/1.1 204 OK\r\n\r\n")
        connection.shutdown(socket.SHUT_RDWR)
        closed.set()

    server = serve(answer_and_close)
    client = ConcurrentClient(INSIDE)
    for _ in range(2):
        assert result(client, post(server)).status == 204
        assert closed.wait(30)
        time.sleep(0.05)
        closed.clear()


def test_a_closed_port_is_unreachable():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # by us, so no other process listens there
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        fault = result(ConcurrentClient(INSIDE), Request("POST", url))

    assert isinstance(fault, Unreachable)
    assert not fault.maybe_sent


def test_kept_connections_are_bounded_and_end_when_idle(network, monkeypatch):
    url = network(latency=0.05)
    client = ConcurrentClient(INSIDE, connections=5)
    results(client, messages(url, 20))
    assert len(client.kept) == 5

    monkeypatch.setattr(KeptConnections, "IDLE_SECONDS", 0.0)
    results(client, messages(url, 1))
    client.close()

    assert len(client.kept) == 0


# -- requests ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [{"x": "a\r\nX-Injected: 1"}, {"x\r\ny": "1"}, {"x": "ā"}, {"Content-Length": "3"}, {"": "1"}],
)
def test_a_header_that_could_change_the_request_is_refused(headers):
    with pytest.raises(ValueError, match="header"):
        Request("POST", "https://receiver.example/", headers=headers)


def test_given_headers_are_written_and_replace_defaults(serve):
    server = serve(answering(OK))
    result(ConcurrentClient(INSIDE), post(server, headers={"User-Agent": "x/1", "A": "b"}))
    head = server.heads[0].lower().split(b"\r\n")

    assert {b"user-agent: x/1", b"a: b", b"content-length: 2"} <= set(head)
    assert b"user-agent: einvoice" not in head


def test_a_result_is_a_response_or_a_fault(serve):
    """Nothing else is raised or yielded, whatever the other side does."""
    servers = [serve(answering(text)) for text in (OK, "", "x", "HTTP/1.1 200\r\n\r\n")]
    found = results(ConcurrentClient(INSIDE), [post(server) for server in servers])

    assert all(isinstance(one, Response | HttpFault) for one in found)
