"""What only a raw socket can send: bodies byte by byte, headers two servers read differently."""

from __future__ import annotations

import gzip
import io
import os
import select
import socket
import time
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from flask import Flask

from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, tenants
from einvoice.web.admission.arrivals import MAX_BODIES_PER_CALLER
from einvoice.web.runtime import runtime_of
from tests import databases
from tests.waiting import until
from tests.web.dashboard import Dashboard
from tests.web.integrator import Integrator

# More than a web process has threads (web/admission/slots, EINVOICE_MAX_WAITERS).
MANY = 30


@pytest.fixture(scope="module")
def service(stack) -> Iterator[Flask]:
    """An application beside the processes, to create tenants and keys."""
    app = create_app(Settings.from_env(stack.environ), plugins=[])
    yield app
    databases.let_go(app)


def newcomer(stack, service) -> Integrator:
    with service.app_context():
        return Integrator(
            stack, credentials.create(API_KEY, tenants.create("T"), "raw", Environment.TEST).secret
        )


@pytest.fixture(scope="module")
def integrator(stack, service) -> Iterator[Integrator]:
    made = newcomer(stack, service)
    with made.http:
        yield made


def connect(stack, raw: bytes) -> socket.socket:
    address = urlsplit(stack.url)
    found = socket.create_connection((address.hostname, address.port), timeout=60)
    found.sendall(raw)
    return found


def exchange(stack, raw: bytes, seconds: float = 60) -> bytes:
    """The response, up to the end of the connection, which waits for no part of it longer."""
    with connect(stack, raw) as found:
        found.settimeout(seconds)
        parts = []
        while part := found.recv(65536):
            parts.append(part)
    return b"".join(parts)


def head(key: str, *lines: bytes, method: bytes = b"POST") -> bytes:
    first = method + b" /api/invoices/send HTTP/1.1"
    own = (b"Host: x", b"x-api-key: " + key.encode(), b"Connection: close")
    return b"\r\n".join((first, *own, *lines, b"", b""))


def form() -> bytes:
    return b"POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"


def slow_bodies(stack, begun: bytes, number: int) -> ExitStack:
    """Connections whose bodies have begun and do not end."""
    with ExitStack() as opened:
        for _ in range(number):
            opened.enter_context(connect(stack, begun))
        return opened.pop_all()


@pytest.mark.parametrize(
    ("inflated", "slug"),
    [(lambda: b"{}", b"missing-routing"), (lambda: b" " * 50_000_000, b"payload-too-large")],
    ids=["small", "bomb"],
)
def test_a_gzip_body_is_read(stack, integrator, inflated, slug):
    """Whether the server receives it at once or in parts."""
    body = gzip.compress(inflated())
    lines = (b"Content-Encoding: gzip", b"Content-Length: %d" % len(body))

    assert slug in exchange(stack, head(integrator.key, *lines) + body)


@pytest.mark.parametrize("route", ["send", "token"])
def test_slow_bodies_hold_up_no_other_request(stack, service, integrator, route):
    """Thirty bodies that do not end, at a route with a credential and at one without."""
    begun = form() if route == "token" else head(integrator.key, b"Content-Length: 1000") + b"{"
    other = newcomer(stack, service)
    with slow_bodies(stack, begun, MANY), other.http:
        began = time.monotonic()
        answer = other.send("0088:9520000000004")
        health = other.get("/healthz")

    assert (answer.status_code, health.status_code) == (200, 200)
    assert time.monotonic() - began < 5


def test_a_caller_with_slow_bodies_may_send_others(stack, integrator):
    with slow_bodies(stack, head(integrator.key, b"Content-Length: 1000") + b"{", MANY):
        assert integrator.send("0088:9520000000004").status_code == 200


def test_slow_bodies_beyond_a_callers_share_are_refused_after_two_seconds(stack, integrator):
    """429 with Retry-After; there is a share in each process."""
    begun = head(integrator.key, b"Content-Length: 1000") + b"{"
    shares = 2 * MAX_BODIES_PER_CALLER
    with ExitStack() as opened:
        waiting = [opened.enter_context(connect(stack, begun)) for _ in range(MANY)]
        until = time.monotonic() + 8
        answered: list[socket.socket] = []
        while len(answered) < MANY - shares and time.monotonic() < until:
            answered, _, _ = select.select(waiting, [], [], 0.2)
            time.sleep(0.1)
        answers = [one.recv(65536) for one in answered]

    assert MANY - shares <= len(answers) <= MANY - MAX_BODIES_PER_CALLER
    for answer in answers:
        assert answer.startswith(b"HTTP/1.1 429 ")
        assert b"/errors/rate-limit-exceeded" in answer
        assert b"\r\nretry-after: 1\r\n" in answer.lower()


UNREAD = {  # first line → status
    b"POST /healthz": 405, b"PUT /nothing": 404, b"POST /api/invoices/send": 401,
}  # fmt: skip


@pytest.mark.parametrize("line", UNREAD)
def test_a_body_that_nobody_reads_ends_its_connection(stack, line):
    """Else a client that writes first waits for its deadline, and a stop of the process for it."""
    begun = line + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n" + b"x" * 10_000
    answer = exchange(stack, begun, seconds=20)

    assert answer.startswith(b"HTTP/1.1 %d " % UNREAD[line])
    assert b"application/problem+json" in answer


@pytest.mark.long
@pytest.mark.parametrize("length", [b"Content-Length: 1000", b"Transfer-Encoding: chunked"])
def test_a_body_that_does_not_end_is_refused_after_ten_seconds(stack, integrator, length):
    began = time.monotonic()
    answer = exchange(stack, head(integrator.key, length))

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"/errors/body-too-slow" in answer
    assert 9.5 < time.monotonic() - began < 20


def test_a_body_that_ends_early_is_refused(stack, integrator):
    """A CSV or XML file that was cut could look complete."""
    with connect(stack, head(integrator.key, b"Content-Length: 5") + b"{}") as found:
        found.shutdown(socket.SHUT_WR)
        answer = found.recv(65536)

    assert not answer or answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.long
def test_silent_connections_are_closed(stack):
    """Without a byte, after a part of a head, and after an answered request."""
    begun = [b"", b"GET /healthz HTTP/1.1\r\nHo", b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"]
    began = time.monotonic()
    answers = [exchange(stack, raw) for raw in begun]

    assert answers[0] == b""
    assert answers[1].startswith((b"", b"HTTP/1.1 408 "))
    assert answers[2].startswith(b"HTTP/1.1 200 ")
    assert time.monotonic() - began < 3 * 20


SECOND = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("lines", "body"),
    [
        ([b"Content-Length: 4", b"Transfer-Encoding: chunked"], b"0\r\n\r\n" + SECOND),
        ([b"Transfer-Encoding: chunked", b"Content-Length: 4"], b"0\r\n\r\n" + SECOND),
        ([b"Content-Length: 2", b"Content-Length: 60"], b"{}" + SECOND),
        ([b"Content-Length: 2, 60"], b"{}" + SECOND),
        ([b"Content-Length: +2"], b"{}"),
        ([b"Content-Length: -2"], b"{}"),
        ([b"Content-Length: 99999999999999999999999"], b"{}"),
        ([b"Transfer-Encoding: gzip"], b"{}"),
        ([b"Transfer-Encoding: xchunked"], b"0\r\n\r\n"),
        ([b"Transfer-Encoding: chunked, identity"], b"0\r\n\r\n"),
        ([b"Transfer-Encoding : chunked"], b"0\r\n\r\n"),
        ([b"Transfer-Encoding: chunked"], b"ZZ\r\n{}\r\n0\r\n\r\n"),
        ([b"X-A: b", b" folded: c", b"Content-Length: 2"], b"{}"),
        ([b"X-A: b\x00c", b"Content-Length: 2"], b"{}"),
        ([b"X-A: b\rX-B: c", b"Content-Length: 2"], b"{}"),
        ([b": nameless", b"Content-Length: 2"], b"{}"),
        ([b"X-A: " + b"a" * 1_000_000], b""),
        ([b"X-%d: a" % number for number in range(500)], b""),
    ],
    ids=range(18),
)
def test_ambiguous_http_is_refused_with_one_response(stack, integrator, lines, body):
    """The rest is not read as a second request."""
    answer = exchange(stack, head(integrator.key, *lines) + body)

    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 431 "))
    assert answer.count(b"HTTP/1.1 ") == 1


def test_an_export_is_sent_whole_and_in_parts(stack, service):
    """By the server, which reads the file itself; the connection stays usable."""
    person = Dashboard(service)
    with requests.Session() as http:
        http.headers["Authorization"] = f"Bearer {person.token}"
        asked = http.post(f"{stack.url}/api/tenant/exports", timeout=30)
        address = stack.url + asked.headers["Location"]
        until(lambda: http.get(address, timeout=30).json()["status"] == "done", pause=0.2)
        whole = http.get(f"{address}/file", timeout=30)
        part = http.get(f"{address}/file", headers={"Range": "bytes=10-19"}, timeout=30)
        head = http.head(f"{address}/file", timeout=30)
        after = http.get(address, timeout=30)

    assert zipfile.is_zipfile(io.BytesIO(whole.content))
    assert (whole.status_code, part.status_code) == (200, 206)
    assert whole.headers["Content-Length"] == str(len(whole.content))
    assert part.content == whole.content[10:20]
    assert (head.status_code, head.content) == (200, b"")
    assert after.json()["status"] == "done"


def test_a_large_file_is_not_held_in_memory(stack, service):
    """Web processes send what would not fit into their memory."""
    person, size = Dashboard(service), 1024**3
    headers = {"Authorization": f"Bearer {person.token}"}
    asked = requests.post(f"{stack.url}/api/tenant/exports", headers=headers, timeout=30)
    address = stack.url + asked.headers["Location"]
    until(
        lambda: requests.get(address, headers=headers, timeout=30).json()["status"] == "done",
        pause=0.2,
    )
    path = runtime_of(service).settings.export_path / f"{asked.json()['exportId']}.zip"
    os.truncate(path, size)  # without blocks on the disk
    before = peak_megabytes(stack)
    with requests.get(f"{address}/file", headers=headers, stream=True, timeout=60) as answer:
        received = sum(map(len, answer.iter_content(1024**2)))
    path.unlink()

    assert received == size
    assert peak_megabytes(stack) - before < 100


def peak_megabytes(stack) -> int:
    """The largest memory that a web process has had."""
    found = [process.pid for name, process in stack.children.running() if name == "web"]
    assert found
    for pid in found:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        found += map(int, children.split())
    lines = [Path(f"/proc/{pid}/status").read_text().splitlines() for pid in found]
    peaks = [line for status in lines for line in status if line.startswith("VmHWM")]
    return max(int(line.split()[1]) // 1024 for line in peaks)
