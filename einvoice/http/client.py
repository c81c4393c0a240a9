"""The client: requests over urllib3 connections that check addresses and enforce deadlines."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError

from einvoice.http.exchange import (
    Exchange,
    GuardedConnection,
    GuardedTlsConnection,
    Limits,
    Resolver,
)
from einvoice.http.faults import (
    Blocked,
    BrokenOff,
    HttpFault,
    ResponseTooLarge,
    TimedOut,
    TlsFailed,
    Unreachable,
)
from einvoice.http.json_bodies import json_of, members_of
from einvoice.http.policy import Policy

_CHUNK_BYTES = 65536
_SAFE_METHODS = {"GET", "HEAD"}


@dataclass(frozen=True, slots=True)
class Response:
    """A response. `complete` is False only if the caller accepted an excerpt."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    complete: bool = True

    def json(self) -> Any:
        """The JSON in the body; None if there is none that can be read."""
        return json_of(self.body)

    def members(self) -> dict[str, Any]:
        """The members of the JSON object in the body; {} for anything else."""
        return members_of(self.body)


class Client:
    """Sends requests under one policy. Safe to share between threads; keeps connections alive."""

    def __init__(
        self,
        policy: Policy,
        *,
        limits: Limits | None = None,
        user_agent: str = "einvoice",
        ca_file: str | None = None,
        client_certificate: tuple[str, str] | None = None,
        resolver: Resolver = socket.getaddrinfo,
    ) -> None:
        self._policy = policy
        self._limits = limits or Limits()
        self._resolver = resolver
        self._session = _session(user_agent, ca_file, client_certificate)

    def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        limits: Limits | None = None,
        excerpt: bool = False,
    ) -> Response:
        """Send a request and return its response, of any status; redirects are not followed.

        With `excerpt` a body that is too long, too slow or incomplete is cut, without an exception.
        Raises Blocked, Unreachable, TlsFailed, TimedOut, BrokenOff or ResponseTooLarge.
        """
        self._policy.check_url(url)
        exchange = Exchange(self._policy, self._resolver, limits or self._limits)
        with exchange.deadline(), _translated(exchange):
            response = self._request(exchange, method, url, headers, body)
            with closing(response):
                content, complete = _read(response, exchange, excerpt)
            return Response(response.status_code, response.headers, content, complete)

    def close(self) -> None:
        """Close the connections kept alive."""
        self._session.close()

    def _request(
        self,
        exchange: Exchange,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        body: bytes | None,
    ) -> requests.Response:
        """Send the request and read the head of the response.

        The server may close a kept-alive connection while the next request is written. A safe
        method is then repeated, until it is sent on a new connection (RFC 9110, 9.2.2).
        """
        limits = exchange.limits
        while True:
            try:
                return self._session.request(
                    method,
                    url,
                    headers=headers,
                    data=body,
                    timeout=(limits.connect, limits.read),
                    allow_redirects=False,
                    stream=True,
                )
            except requests.ConnectionError:
                if method not in _SAFE_METHODS or exchange.dialled or exchange.expired:
                    raise
                exchange.sent = False


def _read(response: requests.Response, exchange: Exchange, excerpt: bool) -> tuple[bytes, bool]:
    """The body up to the limit, and whether it is complete."""
    limit = exchange.limits.answer_bytes
    content = bytearray()
    try:
        for chunk in response.iter_content(min(_CHUNK_BYTES, limit + 1)):
            content += chunk
            if len(content) > limit:
                if excerpt:
                    return bytes(content[:limit]), False
                raise ResponseTooLarge(f"the answer is longer than {limit} bytes", maybe_sent=True)
    except (requests.RequestException, HTTPError, OSError):
        if not excerpt:
            raise
        return bytes(content), False
    if exchange.expired and not excerpt:
        raise TimedOut("the answer did not end in time", maybe_sent=True)
    return bytes(content), not exchange.expired


def _session(
    user_agent: str, ca_file: str | None, client_certificate: tuple[str, str] | None
) -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    session.verify = ca_file or True
    session.cert = client_certificate
    session.headers = {"user-agent": user_agent, "accept": "*/*", "accept-encoding": "identity"}
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    for prefix in ("https://", "http://"):
        session.mount(prefix, _Adapter())
    return session


@contextmanager
def _translated(exchange: Exchange) -> Iterator[None]:
    """Raise exceptions of the libraries as an HttpFault."""
    try:
        yield
    except HttpFault:
        raise
    except (requests.RequestException, HTTPError, OSError) as fault:
        raise _as_http_fault(fault, exchange) from fault


def _as_http_fault(fault: Exception, exchange: Exchange) -> HttpFault:
    """An expired deadline comes first: closing the socket causes all kinds of exceptions."""
    sent = exchange.sent
    if exchange.expired:
        return TimedOut(f"no answer within {exchange.limits.total:g} s", maybe_sent=sent)
    if isinstance(fault, requests.exceptions.ConnectTimeout) and not sent:
        return TimedOut("connecting took too long")
    if isinstance(fault, requests.exceptions.SSLError):
        return TlsFailed(f"TLS: {_root(fault)}", maybe_sent=sent)
    if isinstance(fault, requests.exceptions.Timeout) or "timed out" in str(fault):
        return TimedOut("the other side stopped talking", maybe_sent=sent)
    if isinstance(fault, requests.exceptions.InvalidURL):
        return Blocked("the URL cannot be read")
    if not sent:
        return Unreachable(f"no connection: {_root(fault)}")
    return BrokenOff(f"the connection broke off: {_root(fault)}", maybe_sent=True)


def _root(fault: BaseException) -> str:
    """The message of the innermost cause: the outer ones only repeat host and URL."""
    while True:
        inner = fault.__cause__ or fault.__context__
        if inner is None:
            return str(fault) or type(fault).__name__
        fault = inner


class _Pool(HTTPConnectionPool):
    ConnectionCls = GuardedConnection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = GuardedTlsConnection


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}
