"""Addresses of a plugin's own: what a gateway pushes arrives here (hook `einvoice_endpoints`).

Free of any web framework: a request is a value, the answer another. The service mounts an endpoint
below /networks/<name>/ and keeps to its limits before the plugin sees anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked. `path` is the part below the endpoint, "/" at least; names of headers are in
    lower case; `remote` is the address that asked, behind the trusted proxies."""

    method: str
    path: str
    body: bytes = b""
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    remote: str | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """What is answered, exactly: bytes and a status."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/xml"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One plugin's place below /networks/<name>/.

    `answer` is called from several threads at once. It alone decides who may ask: nobody has been
    authenticated before it. `max_bytes` bounds a body, `per_minute` the requests of one address;
    what is beyond is answered 413 and 429 without it.
    """

    name: str
    answer: Callable[[Request], Response]
    max_bytes: int = 20 * MIB
    per_minute: int = 600
