"""HTTP endpoints of plugins, where a gateway pushes documents (hook `einvoice_endpoints`).

Independent of any web framework: a function from a request to a response. The service mounts an
endpoint below /networks/<name>/ and applies its limits before the plugin is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request.

    `path` is the part below the endpoint, at least "/"; header names are in lower case; `remote` is
    the client's address, behind the trusted proxies. `file` holds the body in place of `body` if
    the endpoint is `spooled`; it is closed after the response.
    """

    method: str
    path: str
    body: bytes = b""
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    remote: str | None = None
    file: IO[bytes] | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response, sent as it is."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/xml"
    headers: Mapping[str, str] = field(default_factory=dict)


# Bodies on disk that one endpoint has in a process, where it says nothing else.
FILES_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint of a plugin, mounted at /networks/<name>/.

    `answer` is called from several threads at once. It must authenticate the caller: the service
    does not. `max_bytes` limits a request body, `per_minute` the requests of one address; requests
    beyond are answered 413 and 429 without calling `answer`.

    spooled  bodies arrive in a file (`Request.file`), of more than 1 MiB on disk
    at_once  files on disk in a process; requests beyond are answered 503
    host     a host name (with a port that is not the usual one) whose requests all come here, with
             their whole path, beside those below /networks/<name>/
    """

    name: str
    answer: Callable[[Request], Response]
    max_bytes: int = 20 * MIB
    per_minute: int = 600
    spooled: bool = False
    at_once: int = FILES_AT_ONCE
    host: str | None = None
