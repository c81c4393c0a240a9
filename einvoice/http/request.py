"""A request that is sent beside others (einvoice/http/many), and its bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from urllib3.util import Url

SAFE_METHODS = {"GET", "HEAD"}
_OUR_HEADERS = {"connection", "content-length", "host", "transfer-encoding"}
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


@dataclass(frozen=True, slots=True)
class Request:
    """One request. Raises ValueError for a method or header that cannot be written.

    seconds  how much longer than the client's limits its answer may take
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        for name in (self.method, *self.headers):
            if not _TOKEN.fullmatch(name):
                raise ValueError(f"{name!r} is neither a method nor the name of a header")
        for name, value in self.headers.items():
            if name.lower() in _OUR_HEADERS:
                raise ValueError(f"the client writes the header {name} itself")
            if not _VALUE.fullmatch(value):
                raise ValueError(f"the header {name} contains control characters")

    def written(self, parts: Url, user_agent: str) -> bytes:
        """The bytes of the request (RFC 9112, 3). `parts` of the URL."""
        headers = {
            "host": str(parts.netloc),
            "user-agent": user_agent,
            "accept": "*/*",
            "accept-encoding": "identity",
        }
        headers |= {name.lower(): value for name, value in self.headers.items()}
        if self.body is not None or self.method not in SAFE_METHODS:
            headers["content-length"] = str(len(self.body or b""))
        lines = [f"{self.method} {parts.request_uri} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "\r\n"]).encode("latin-1") + (self.body or b"")
