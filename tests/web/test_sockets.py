"""What only a raw socket can send: bodies byte by byte, headers two servers read differently."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
import requests
from flask import Flask

from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, tenants
from einvoice.web.concurrency import MAX_BODIES_PER_CALLER
from tests import databases
from tests.web.test_processes import Integrator

# More than a web process has threads (web/concurrency, EINVOICE_MAX_WAITERS).
MANY = 30


@pytest.fixture(scope="module")
def service(stack) -> Iterator[Flask]:
    """An application of ours beside the processes: it makes tenants and keys."""
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


def told(stack, raw: bytes) -> bytes:
    """All that comes back until the server hangs up."""
    with connect(stack, raw) as found:
        parts = []
        while part := found.recv(65536):
            parts.append(part)
    return b"".join(parts)


def head(key: str, *lines: bytes, method: bytes = b"POST") -> bytes:
    first = method + b" /api/invoices/send HTTP/1.1"
    own = (b"Host: x", b"x-api-key: " + key.encode(), b"Connection: close")
    return b"\r\n".join((first, *own, *lines, b"", b""))


@pytest.fixture
def trickling(stack, integrator) -> Iterator[None]:
    """One key's bodies that have begun and do not end."""
    with ExitStack() as open_ones:
        for _ in range(MANY):
            begun = head(integrator.key, b"Content-Length: 1000") + b"{"
            open_ones.enter_context(connect(stack, begun))
        yield


def test_one_who_dawdles_holds_up_nobody_else(stack, service, trickling):
    """Thirty bodies that never end take six threads for long: others are answered."""
    other = newcomer(stack, service)
    with other.http:
        answer = other.send("0088:9520000000004")

    assert answer.status_code == 200
    assert MAX_BODIES_PER_CALLER < 16


def test_one_who_dawdles_is_told_to_hurry(stack, integrator, trickling):
    """429 with Retry-After for what is more than the places there are."""
    url = f"{stack.url}/api/invoices/send"
    until = time.monotonic() + 60
    while time.monotonic() < until:
        answer = requests.post(url, data=b"{}", headers={"x-api-key": integrator.key}, timeout=60)
        if answer.status_code == 429:
            break
    assert answer.json()["type"].endswith("/errors/rate-limit-exceeded")
    assert int(answer.headers["Retry-After"]) >= 1


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
def test_what_two_servers_read_differently_is_refused_once(stack, integrator, lines, body):
    """One answer, a refusal: nothing behind it is taken for a second request."""
    answer = told(stack, head(integrator.key, *lines) + body)

    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 431 "))
    assert answer.count(b"HTTP/1.1 ") == 1
