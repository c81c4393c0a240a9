"""The address-checking client, against real servers on loopback and a stub of DNS."""

from __future__ import annotations

import gzip
import socket
import threading
import time

import pytest

from einvoice.http import (
    Blocked,
    BrokenOff,
    Client,
    Limits,
    Policy,
    ResponseTooLarge,
    TimedOut,
    TlsFailed,
    Unreachable,
    exchange,
)
from tests.loopback import answering, dropping, silent

OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
INSIDE = Policy(https_only=False, allow_private=True)
OUTSIDE = Policy(https_only=False)
QUICK = Limits(connect=60.0, read=60.0, total=1.0)
PATIENT = Limits(connect=60.0, read=60.0, total=60.0)


def resolving_to(*addresses):
    """A resolver that returns these addresses for every name, and counts its calls."""
    asked = []

    def resolve(host, port, **_):
        asked.append(host)
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port, 0, 0))
            if ":" in address
            else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in addresses
        ]

    resolve.asked = asked
    return resolve


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://receiver.example/", "https://"),
        ("ftp://receiver.example/", "https:// or http://"),
        ("//receiver.example/", "https:// or http://"),
        ("https://user@receiver.example/", "user name"),
        ("https://user:secret@receiver.example/", "user name"),
        ("https://@receiver.example/", "user name"),
        ("https:///path", "no host"),
        ("https://receiver.example:25/", "port 25 is not allowed: allowed are 443 only"),
        ("https://receiver.example\\@127.0.0.1/", "backslashes"),
        ("https://receiver.example/a b", "spaces"),
        ("https://receiver.example/\r\nX-Injected: 1", "control"),
        ("https://localhost/", "not a public host name"),
        ("https://printer.local./", "not a public host name"),
        ("https://metadata.google.internal/", "not a public host name"),
        ("https://intranet/", "not a public host name"),
        ("https://127.0.0.1/", "not a public address"),
        ("https://2130706433/", "not a public address"),
        ("https://0x7f.1/", "not a public address"),
        ("https://[::1]/", "not a public address"),
        ("https://[::ffff:10.0.0.1]/", "not a public address"),
        ("https://[fe80::1%25eth0]/", "not a public address"),
        ("https://169.254.169.254/latest/meta-data/", "not a public address"),
    ],
)
def test_a_url_is_refused_by_its_form(url, why):
    """With a reason, without DNS and without a connection."""
    with pytest.raises(Blocked, match=why):
        Policy(ports={443}, ports_in_words="443 only").check_url(url)


@pytest.mark.parametrize("url", ["https://receiver.example/h?x=1#y", "https://93.184.215.14:443/"])
def test_an_ordinary_url_is_admitted(url):
    """Public names and addresses on an allowed port pass."""
    Policy(ports={443}, ports_in_words="443 only").check_url(url)


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["169.254.169.254"],
        ["::1"],
        ["::ffff:127.0.0.1"],
        ["64:ff9b::a00:1"],
        ["93.184.215.14", "10.0.0.1"],
        ["10.0.0.1", "93.184.215.14"],
    ],
)
def test_a_name_with_any_private_address_is_blocked(addresses, serve):
    """One is enough, because an attacker could influence which address is used."""
    server = serve(answering(OK))
    client = Client(OUTSIDE, resolver=resolving_to(*addresses))

    with pytest.raises(Blocked) as refusal:
        client.send("POST", server.url("receiver.example"))

    assert not refusal.value.maybe_sent
    assert not any(address in str(refusal.value) for address in addresses)
    assert server.heads == []


def test_a_name_is_resolved_once_and_the_checked_address_is_used(serve):
    """Otherwise a name could resolve to another address the second time (DNS rebinding)."""
    server = serve(answering(OK))
    resolver = resolving_to("127.0.0.1")
    client = Client(INSIDE, resolver=resolver)

    answer = client.send("POST", server.url("receiver.example"), body=b"{}")

    assert answer.status == 200
    assert resolver.asked == ["receiver.example"]
    assert f"Host: receiver.example:{server.port}".encode() in server.heads[0]


def test_the_next_address_is_tried_when_one_does_not_answer(serve):
    """A host with two addresses is reachable while one of them is."""
    server = serve(answering(OK))
    client = Client(INSIDE, resolver=resolving_to("127.0.0.2", "127.0.0.1"))

    assert client.send("GET", server.url("receiver.example")).status == 200


def test_an_address_that_is_silent_leaves_time_for_the_next_one(serve, monkeypatch):
    """A host with two addresses is reachable while packets to one of them are lost."""
    waited = []

    class Recording(socket.socket):
        def connect(self, where):
            waited.append(self.gettimeout())
            super().connect(where)

    server = serve(answering(OK))
    client = Client(INSIDE, resolver=resolving_to("127.0.0.2", "127.0.0.1"))
    monkeypatch.setattr(socket, "socket", Recording)
    client.send("GET", server.url("receiver.example"), limits=Limits(connect=60.0, total=60.0))
    first, second = waited

    assert first <= 30.0 < second


def test_addresses_that_all_drop_packets_time_out(serve):
    port = serve(silent).port
    client = Client(INSIDE, resolver=resolving_to("127.0.0.2", "127.0.0.3"))

    with dropping("127.0.0.2", port), dropping("127.0.0.3", port), pytest.raises(TimedOut) as fault:
        client.send("GET", f"http://receiver.example:{port}/", limits=Limits(connect=0.2))

    assert not fault.value.maybe_sent


def test_allow_private_still_blocks_metadata():
    """It allows loopback and private networks only."""
    client = Client(INSIDE, resolver=resolving_to("169.254.169.254"))

    with pytest.raises(Blocked):
        client.send("GET", "http://receiver.example/")


def test_a_redirect_is_not_followed(serve):
    """A receiver could redirect the client to any host."""
    inner = serve(answering(OK))
    outer = serve(answering(f"HTTP/1.1 302 Found\r\nLocation: {inner.url()}\r\n\r\n"))

    answer = Client(INSIDE).send("POST", outer.url(), body=b"{}")

    assert answer.status == 302
    assert inner.heads == []


def test_the_environment_has_no_effect(serve, monkeypatch):
    """Neither a proxy variable nor a netrc file is used."""
    server = serve(answering(OK))
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")

    assert Client(INSIDE).send("GET", server.url()).status == 200


def test_cookies_are_not_kept(serve):
    """A request does not depend on earlier ones."""
    server = serve(answering("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n"))
    client = Client(INSIDE)

    client.send("GET", server.url())
    client.send("GET", server.url())

    assert b"cookie" not in server.heads[1].lower()


@pytest.fixture
def hourglass(monkeypatch):
    """The timer of the deadline, which a test fires itself."""

    class Hourglass:
        daemon = True
        end = staticmethod(lambda: None)

        def __init__(self, _, then):
            Hourglass.end = staticmethod(then)

        def start(self):
            pass

        cancel = start

    monkeypatch.setattr(exchange, "Timer", Hourglass)
    return Hourglass


def _drip(head, hourglass):
    """Send without pause and without end; the deadline comes after the first bytes."""

    def script(connection):
        connection.sendall(head + b"x")
        hourglass.end()
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
def test_a_slow_endless_response_ends_at_the_deadline(head, secured, serve, authority, hourglass):
    """Each read is quick, so only the deadline of the whole request can end it."""
    server = serve(_drip(head, hourglass), tls=authority.context if secured else None)
    client = Client(INSIDE, ca_file=authority.ca_file, resolver=resolving_to("127.0.0.1"))

    with pytest.raises(TimedOut) as fault:
        client.send("POST", server.url("receiver.example"), body=b"{}", limits=PATIENT)

    assert fault.value.maybe_sent


@pytest.mark.parametrize("secured", [False, True], ids=["plain", "tls"])
def test_the_deadline_comes_by_itself(secured, serve, authority):
    """With the real timer."""
    server = serve(silent, tls=authority.context if secured else None)
    client = Client(INSIDE, ca_file=authority.ca_file, resolver=resolving_to("127.0.0.1"))
    began = time.monotonic()

    with pytest.raises(TimedOut):
        client.send("GET", server.url("receiver.example"), limits=QUICK)

    assert time.monotonic() - began < 30


def test_a_receiver_that_does_not_respond_times_out(serve):
    """It may have processed the request, so `maybe_sent` is set."""
    server, limits = serve(silent), Limits(connect=60.0, read=0.5, total=60.0)

    with pytest.raises(TimedOut) as fault:
        Client(INSIDE).send("POST", server.url(), body=b"{}", limits=limits)

    assert fault.value.maybe_sent


def test_a_handshake_that_hangs_times_out(serve):
    """A server that accepts the connection and never starts TLS."""
    listener = socket.create_server(("127.0.0.1", 0))
    client = Client(INSIDE)
    with listener, pytest.raises(TimedOut) as fault:
        client.send("GET", f"https://127.0.0.1:{listener.getsockname()[1]}/", limits=QUICK)

    assert not fault.value.maybe_sent


def test_a_resolver_that_hangs_times_out():
    """The system's resolver has no time limit of its own."""
    released = threading.Event()
    client = Client(OUTSIDE, resolver=lambda *_, **__: released.wait(60))
    began = time.monotonic()

    with pytest.raises(TimedOut):
        client.send("GET", "http://receiver.example/", limits=Limits(connect=0.2, total=1))

    assert time.monotonic() - began < 30
    released.set()


def _no_such_name(*_, **__):
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def test_an_unknown_name_is_unreachable():
    """Nothing was sent; trying again later may help."""
    with pytest.raises(Unreachable, match="no address") as fault:
        Client(OUTSIDE, resolver=_no_such_name).send("GET", "http://receiver.example/")

    assert not fault.value.maybe_sent


def test_a_closed_port_is_unreachable():
    """Nothing was sent."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound here, so nothing listens there
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        with pytest.raises(Unreachable) as fault:
            Client(INSIDE).send("GET", url)

    assert not fault.value.maybe_sent


@pytest.mark.parametrize(
    "script",
    [
        answering(""),
        answering("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"),
        answering("SSH-2.0-x\r\n"),
    ],
    ids=["closed at once", "cut short", "not HTTP"],
)
def test_a_request_whose_response_is_incomplete_was_maybe_sent(script, serve):
    """A caller that must not send twice can see that bytes were sent."""
    with pytest.raises(BrokenOff) as fault:
        Client(INSIDE).send("POST", serve(script).url(), body=b"{}")

    assert fault.value.maybe_sent


def test_a_response_that_is_too_large_is_refused_or_cut(serve):
    """The caller's limit bounds the memory, whatever the server sends."""
    server = serve(answering(f"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{'x' * 11}"))
    client = Client(INSIDE)

    with pytest.raises(ResponseTooLarge):
        client.send("GET", server.url(), limits=Limits(answer_bytes=10))
    cut = client.send("GET", server.url(), limits=Limits(answer_bytes=10), excerpt=True)
    whole = client.send("GET", server.url(), limits=Limits(answer_bytes=11))

    assert (cut.body, cut.complete) == (b"x" * 10, False)
    assert (whole.body, whole.complete) == (b"x" * 11, True)


def test_the_limit_is_for_the_decompressed_response(serve):
    """A few kilobytes that decompress to gigabytes are refused at the limit."""
    bomb = gzip.compress(b"\0" * 50_000_000)
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n"
    server = serve(lambda connection: connection.sendall(head.encode() + bomb))

    with pytest.raises(ResponseTooLarge):
        Client(INSIDE).send("GET", server.url(), limits=Limits(answer_bytes=100_000))


def test_an_excerpt_of_an_endless_body_is_returned(serve, hourglass):
    """The status is known, which is enough for the caller."""
    server = serve(_drip(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n", hourglass))

    answer = Client(INSIDE).send("POST", server.url(), limits=PATIENT, excerpt=True)

    assert (answer.status, answer.complete) == (200, False)


def test_the_certificate_must_be_for_the_host_of_the_url(serve, authority):
    """Connecting to a checked address does not weaken the host name check of TLS."""
    server = serve(answering(OK), tls=authority.context)
    client = Client(INSIDE, ca_file=authority.ca_file, resolver=resolving_to("127.0.0.1"))

    assert client.send("GET", server.url("receiver.example")).status == 200
    with pytest.raises(TlsFailed) as fault:
        client.send("GET", server.url("other.example"))
    assert not fault.value.maybe_sent
    assert len(server.heads) == 1


def test_a_certificate_of_an_unknown_authority_is_refused(serve, authority):
    """Only public authorities are trusted, unless a CA file is given."""
    server = serve(answering(OK), tls=authority.context)

    with pytest.raises(TlsFailed):
        Client(INSIDE, resolver=resolving_to("127.0.0.1")).send(
            "GET", server.url("receiver.example")
        )


def test_a_kept_alive_connection_has_a_new_deadline(serve, hourglass):
    """The second request on a connection has a deadline of its own."""

    def script(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        connection.recv(4096)
        _drip(b"HTTP/1.1 200 OK\r\nX: ", hourglass)(connection)

    server = serve(script)
    resolver = resolving_to("127.0.0.1")
    client = Client(INSIDE, resolver=resolver)
    assert client.send("GET", server.url("a.example")).status == 200

    with pytest.raises(TimedOut):
        client.send("GET", server.url("a.example"), limits=PATIENT)
    assert len(resolver.asked) == 1


@pytest.mark.parametrize(("method", "repeated"), [("GET", True), ("HEAD", True), ("POST", False)])
def test_only_safe_methods_are_repeated_when_a_kept_alive_connection_ends(method, repeated, serve):
    """The server may have processed a POST before it closed the connection."""

    def hang_up_on_the_second(connection):
        connection.sendall(b"HTTP/1.1 204 OK\r\n\r\n")
        if len(server.heads) == 1:
            connection.recv(4096)

    server = serve(hang_up_on_the_second)
    client = Client(INSIDE)
    assert client.send("GET", server.url()).status == 204

    if repeated:
        assert client.send(method, server.url()).status == 204
    else:
        with pytest.raises(BrokenOff) as fault:
            client.send(method, server.url(), body=b"{}")
        assert fault.value.maybe_sent
    assert len(server.heads) == 1 + repeated


def test_a_request_on_a_new_connection_is_not_repeated(serve):
    """Only a kept-alive connection may have been closed before the request arrived."""
    server = serve(lambda connection: None)

    with pytest.raises(BrokenOff):
        Client(INSIDE).send("GET", server.url())

    assert len(server.heads) == 1


def test_the_deadline_ends_a_name_resolution_too():
    """Even if more time is allowed to connect than in total."""
    hanging = threading.Event()
    client = Client(
        Policy(https_only=False),
        limits=Limits(connect=20.0, total=0.2),
        resolver=lambda *_, **__: hanging.wait(30) and [],
    )
    began = time.monotonic()
    with pytest.raises(TimedOut):
        client.send("GET", "http://receiver.example/")
    hanging.set()

    assert time.monotonic() - began < 10


def test_a_socket_that_is_connected_after_the_deadline_is_shut_down():
    """The deadline may pass between the resolution of the name and the connection."""
    late = exchange.Exchange(Policy(), lambda *_, **__: [], Limits())
    late._expire()
    ours, theirs = socket.socketpair()
    theirs.settimeout(5)
    with ours, theirs:
        late.attach(ours)
        late._release()

        assert theirs.recv(1) == b""
