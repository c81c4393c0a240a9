"""The calls of the Flow Service: paths, headers, the multipart body, time limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from einvoice.http import Client, Limits, Policy, Response

TIMEOUT_SECONDS: Final = 110.0  # two requests, and up to 40 for a new token
MAX_BYTES: Final = 100 * 1024 * 1024
_SEND: Final = Limits(connect=5.0, read=30.0, total=35.0, answer_bytes=1 << 20)
_CHECK: Final = Limits(connect=3.0, read=7.0, total=8.0, answer_bytes=1 << 20)
_SEARCH: Final = Limits(connect=5.0, read=15.0, total=20.0, answer_bytes=4 << 20)
_FILE: Final = Limits(connect=5.0, read=30.0, total=30.0, answer_bytes=MAX_BYTES)
_JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Platform:
    """The platform of a tenant, as its connection names it.

    organization  the company that is meant, where one contract serves several
    """

    url: str
    token_url: str
    client_id: str
    client_secret: str
    organization: str = ""

    @classmethod
    def of(cls, credentials: Mapping[str, str]) -> Platform:
        return cls(
            credentials.get("url", "").strip().rstrip("/"),
            credentials.get("tokenUrl", "").strip(),
            credentials.get("clientId", "").strip(),
            credentials.get("clientSecret", ""),
            credentials.get("organizationId", "").strip(),
        )


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to submit: what `flowInfo` says of it, and its content type."""

    info: Mapping[str, str]
    content: bytes
    content_type: str = "application/xml"


def request_token(http: Client, platform: Platform, limits: Limits) -> Response:
    """Ask for a token with the client credentials (RFC 6749, 4.4). Raises HttpFault."""
    form = {
        "grant_type": "client_credentials",
        "client_id": platform.client_id,
        "client_secret": platform.client_secret,
    }
    headers = {"content-type": "application/x-www-form-urlencoded", "accept": _JSON}
    body = urlencode(form).encode()
    return http.send("POST", platform.token_url, headers=headers, body=body, limits=limits)


class Api:
    """The calls of one environment. Safe to share between threads.

    Each takes the platform and an access token, and raises HttpFault.
    """

    def __init__(self, policy: Policy) -> None:
        self._http = Client(policy, limits=_SEND)

    def token(self, platform: Platform, limits: Limits = _CHECK) -> Response:
        """Ask for a token with the client credentials."""
        return request_token(self._http, platform, limits)

    def healthy(self, platform: Platform, token: str) -> Response:
        return self._send(platform, token, "GET", "healthcheck", limits=_CHECK)

    def submit(self, platform: Platform, token: str, upload: Upload) -> Response:
        boundary, body = multipart(upload)
        kind = f"multipart/form-data; boundary={boundary}"
        return self._send(platform, token, "POST", "flows", body, kind, _SEND)

    def search(
        self,
        platform: Platform,
        token: str,
        where: Mapping[str, Any],
        cursor: str | None = None,
        limit: int = 100,
    ) -> Response:
        values = {"limit": limit, "where": dict(where)} | ({"cursor": cursor} if cursor else {})
        body = json.dumps(values).encode()
        return self._send(platform, token, "POST", "flows/search", body, _JSON, _SEARCH)

    def flow(self, platform: Platform, token: str, flow_id: str) -> Response:
        """The platform's answer about a flow."""
        path = f"flows/{quote(flow_id, safe='')}?docType=Metadata"
        return self._send(platform, token, "GET", path, limits=_SEARCH)

    def file(self, platform: Platform, token: str, flow_id: str) -> Response:
        """The file of a flow, as it was submitted."""
        path = f"flows/{quote(flow_id, safe='')}?docType=Original"
        return self._send(platform, token, "GET", path, limits=_FILE)

    def hooks(self, platform: Platform, token: str) -> Response:
        return self._send(platform, token, "GET", "webhooks", limits=_CHECK)

    def add_hook(self, platform: Platform, token: str, address: str) -> Response:
        body = json.dumps({"callbackUrl": address}).encode()
        return self._send(platform, token, "POST", "webhooks", body, _JSON, _CHECK)

    def remove_hook(self, platform: Platform, token: str, number: str) -> Response:
        path = f"webhooks/{quote(number, safe='')}"
        return self._send(platform, token, "DELETE", path, limits=_CHECK)

    def _send(
        self,
        platform: Platform,
        token: str,
        method: str,
        path: str,
        body: bytes | None = None,
        content_type: str = "",
        limits: Limits = _SEND,
    ) -> Response:
        headers = {"authorization": f"Bearer {token}", "accept": "*/*"}
        if platform.organization:
            headers["organization-id"] = platform.organization
        if body is not None:
            headers["content-type"] = content_type
        url = f"{platform.url}/v1/{path}"
        return self._http.send(method, url, headers=headers, body=body, limits=limits)


def multipart(upload: Upload) -> tuple[str, bytes]:
    """The boundary and the bytes of a body with `flowInfo` and `file`.

    The boundary is derived from the checksum, which no content has as a line of its own.
    """
    boundary = f"flow-{upload.info['sha256']}"
    name = upload.info["name"]
    parts = (
        b'Content-Disposition: form-data; name="flowInfo"\r\n'
        b"Content-Type: application/json\r\n\r\n" + json.dumps(dict(upload.info)).encode(),
        f'Content-Disposition: form-data; name="file"; filename="{name}"\r\n'
        f"Content-Type: {upload.content_type}\r\n\r\n".encode()
        + upload.content,
    )
    mark = f"--{boundary}".encode()
    body = b"".join(mark + b"\r\n" + part + b"\r\n" for part in parts)
    return boundary, body + mark + b"--\r\n"
