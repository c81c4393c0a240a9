"""The REST calls to an access point: paths, the token, time limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from einvoice.http import Client, Limits, Policy, Response

TIMEOUT_SECONDS: Final = 75.0  # more than the total of a request
_LIMITS: Final = Limits(connect=10.0, read=60.0, total=60.0, answer_bytes=4 << 20)


class RestClient:
    """Calls of one access point. Safe to share between threads.

    Both operations raise HttpFault.
    """

    def __init__(self, url: str, token: str, policy: Policy, ca_file: str | None = None) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._http = Client(policy, limits=_LIMITS, ca_file=ca_file)

    def post(self, path: str, body: bytes = b"") -> Response:
        """POST an XML document."""
        headers = {"x-token": self._token, "content-type": "application/xml"}
        return self._http.send("POST", f"{self._url}{path}", headers=headers, body=body)

    def get(self, path: str) -> Response:
        return self._http.send("GET", f"{self._url}{path}", headers={"x-token": self._token})


def member(values: Mapping[str, Any], name: str) -> str:
    """A member of a JSON object as text; empty if it is absent or another kind of value."""
    value = values.get(name)
    return value.strip() if isinstance(value, str) else ""
