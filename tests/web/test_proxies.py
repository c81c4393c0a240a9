"""The files of deploy/ for proxies, run by the real ones in front of a server on loopback."""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from tests import proxies
from tests.loopback import Server, answering
from tests.ports import free_port
from tests.proxies import PROXIES, Proxy
from tests.waiting import until

CHECK = b"GET /readyz "
OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.fixture(scope="module")
def upstream() -> Iterator[Server]:
    server = Server(answering(OK))
    yield server
    server.stop()


@pytest.fixture(scope="module", params=PROXIES)
def front(request, upstream) -> Iterator[Proxy]:
    try:
        with proxies.proxy(request.param, upstream.port) as found:
            yield found
    except proxies.NotInstalled as missing:
        pytest.skip(str(missing))


@pytest.fixture
def connect(front) -> Iterator[Callable[[], ssl.SSLSocket]]:
    opened = []

    def _connect() -> ssl.SSLSocket:
        raw = socket.create_connection(("127.0.0.1", front.port), timeout=30)
        opened.append(front.context.wrap_socket(raw, server_hostname="127.0.0.1"))
        return opened[-1]

    yield _connect
    for one in opened:
        one.close()


def head(*lines: str, method: str = "POST", path: str = "/api/invoices/send") -> bytes:
    fixed = (f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close")
    return "\r\n".join((*fixed, *lines, "", "")).encode()


def answer_to(connection: ssl.SSLSocket, raw: bytes) -> bytes:
    """The answer, as clients read it that could not send the whole body."""
    with suppress(ssl.SSLEOFError):
        connection.sendall(raw)
    return connection.recv(65536)


def status_of_problem(answer: bytes) -> int:
    """The status of an answer that is a problem document, which says the same one."""
    head, _, body = answer.partition(b"\r\n\r\n")
    status = json.loads(body)["status"]
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert b"content-type: application/problem+json" in head.lower()
    return status


def passed_on(upstream: Server) -> list[bytes]:
    """Heads of the requests, without the checks of the proxy itself."""
    return [head for head in upstream.heads if not head.startswith(CHECK)]


def test_a_request_is_passed_on_with_its_body(connect, upstream):
    upstream.heads.clear()
    answer = answer_to(connect(), head("Content-Length: 4") + b"body")

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert passed_on(upstream)[0].startswith(b"POST /api/invoices/send HTTP/1.1\r\n")


def test_what_a_client_says_of_itself_is_replaced(connect, upstream):
    """Keys are restricted to addresses, and links are made of the host and the scheme."""
    upstream.heads.clear()
    forged = (
        "X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: gopher", "X-Forwarded-Host: evil.example",
        "X-Forwarded-Port: 1", "Forwarded: for=192.0.2.1",
    )  # fmt: skip
    answer_to(connect(), head(*forged, method="GET"))
    lines = [line.lower() for line in passed_on(upstream)[0].decode().split("\r\n")[1:]]
    said = dict(line.split(": ", 1) for line in lines if ": " in line)

    assert said["x-forwarded-for"] == "127.0.0.1"
    assert said["x-forwarded-proto"] == "https"
    assert said["x-forwarded-host"] == said["host"]
    assert said["host"].startswith("127.0.0.1")
    assert not said.keys() & {"x-forwarded-port", "forwarded"}


def test_a_request_is_passed_on_when_its_body_is_complete(connect, upstream):
    """A slow client occupies the proxy, not the service."""
    upstream.heads.clear()
    connection = connect()
    connection.sendall(head("Content-Length: 1000") + b"x" * 999)
    time.sleep(0.5)
    before = passed_on(upstream)

    assert answer_to(connection, b"x").startswith(b"HTTP/1.1 200 ")
    assert (before, len(passed_on(upstream))) == ([], 1)


def test_a_body_that_is_too_large_is_refused_by_the_proxy(connect, upstream):
    """By its length, in the form of all problems."""
    upstream.heads.clear()
    begun = head("Content-Length: 30000000") + b"x" * 40_000

    assert status_of_problem(answer_to(connect(), begun)) == 413
    assert passed_on(upstream) == []


@pytest.mark.parametrize("front", ["nginx"], indirect=True)
def test_an_address_with_a_hundred_requests_is_told_so(connect):
    """HAProxy refuses the connection, and Caddy counts none."""
    waiting = [connect() for _ in range(101)]
    for one in waiting:
        one.sendall(head("Content-Length: 10"))
        one.settimeout(0.01)

    def is_refused(one: ssl.SSLSocket) -> bool:
        with suppress(TimeoutError):
            return status_of_problem(one.recv(65536)) == 429
        return False

    until(lambda: any(map(is_refused, waiting)))


NO_HTTP = {  # head → status
    b"G@T / HTTP/1.1\r\nHo st: x\r\n\r\n": 400,
    b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n": 414,
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 40_000 + b"\r\n\r\n": 431,
}


@pytest.mark.parametrize("front", ["nginx"], indirect=True)
def test_what_nginx_cannot_read_is_a_problem(connect):
    """As it is where the service itself refuses; HAProxy and Caddy have words of their own.

    A client that still sends when nginx has refused it gets the answer, too.
    """
    for raw, status in NO_HTTP.items():
        connection = connect()
        for begin in range(0, len(raw), 17_000):
            connection.sendall(raw[begin : begin + 17_000])
            time.sleep(0.05)
        assert status_of_problem(connection.recv(65536)) == status, raw[:20]


def test_a_message_of_another_access_point_may_be_larger(connect, upstream):
    """Below /networks/, up to 110 MB."""
    begun, large = (
        head(f"Content-Length: {length}", path="/networks/peppol/") + b"x" * 40_000
        for length in (30_000_000, 120_000_000)
    )
    waiting = connect()
    waiting.sendall(begun)
    waiting.settimeout(0.5)

    with pytest.raises(TimeoutError):
        waiting.recv(1)
    assert answer_to(connect(), large).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("front", ["nginx", "haproxy"], indirect=True)
def test_a_request_for_another_name_is_refused(connect, upstream):
    """The service makes no addresses of it; but who asks for another name asks somebody else."""
    upstream.heads.clear()
    other = head(method="GET").replace(b"Host: 127.0.0.1", b"Host: evil.example")

    assert answer_to(connect(), other).startswith(b"HTTP/1.1 421 ")
    assert passed_on(upstream) == []
    assert answer_to(connect(), head(method="GET")).startswith(b"HTTP/1.1 200 ")


UNREADY = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\n\r\nunfit"


@pytest.fixture
def unfit() -> Iterator[Server]:
    """A machine without its database."""
    server = Server(answering(UNREADY))
    yield server
    server.stop()


def asked(front: Proxy, times: int) -> list[bytes]:
    answers = []
    for _ in range(times):
        raw = socket.create_connection(("127.0.0.1", front.port), timeout=30)
        with front.context.wrap_socket(raw, server_hostname="127.0.0.1") as connection:
            answers.append(answer_to(connection, head(method="GET")))
    return answers


@pytest.mark.parametrize("kind", PROXIES)
def test_a_machine_that_is_not_ready_gets_no_requests(kind, unfit, upstream):
    """Its database is away: /readyz says so, and a GET is answered by the other machine."""
    try:
        with proxies.proxy(kind, unfit.port, second=upstream.port) as front:
            if kind != "nginx":  # which has no checks of its own
                until(lambda: len(unfit.heads) > 3)
            unfit.heads.clear()
            answers = asked(front, 8)
    except proxies.NotInstalled as missing:
        pytest.skip(str(missing))

    assert [answer.split(b"\r\n")[0] for answer in answers] == [b"HTTP/1.1 200 OK"] * 8
    assert kind == "nginx" or passed_on(unfit) == []


@pytest.mark.parametrize("kind", ["caddy", "haproxy"])
def test_a_caller_is_told_what_to_do_while_no_machine_is_ready(kind, unfit):
    """HAProxy lets the service itself answer; Caddy says it in a problem document."""
    try:
        with proxies.proxy(kind, unfit.port) as front:
            until(lambda: len(unfit.heads) > 3)
            (answer,) = asked(front, 1)
    except proxies.NotInstalled as missing:
        pytest.skip(str(missing))

    assert answer.startswith(b"HTTP/1.1 503 ")
    if kind == "haproxy":
        assert answer.endswith(b"unfit")
    else:
        assert status_of_problem(answer) == 503
        assert b"Retry-After: 5" in answer


@pytest.mark.parametrize("kind", PROXIES)
def test_a_caller_is_told_what_to_do_while_no_process_listens(kind):
    """As during the restart of the only machine: to repeat it, in a problem document."""
    try:
        with proxies.proxy(kind, free_port()) as front:
            (answer,) = asked(front, 1)
    except proxies.NotInstalled as missing:
        pytest.skip(str(missing))

    assert status_of_problem(answer) == 503
    assert b"retry-after: 5\r\n" in answer.lower()
    assert b"same Idempotency-Key" in answer


@pytest.mark.long
@pytest.mark.parametrize(
    "begun", [b"", b"POST / HTTP/1.1\r\nHo", head("Content-Length: 1000") + b"x"]
)
def test_a_silent_client_is_disconnected(connect, upstream, begun):
    """Within the head's or the body's time; the service saw nothing of it."""
    upstream.heads.clear()
    connection = connect()
    connection.settimeout(90)
    began = time.monotonic()
    connection.sendall(begun)
    while connection.recv(65536):
        pass

    assert time.monotonic() - began < 80
    assert passed_on(upstream) == []
