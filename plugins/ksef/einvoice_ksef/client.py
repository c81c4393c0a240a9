"""The calls of KSeF: address, token, JSON, time limits, warnings of the system."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from einvoice.http import Client, Limits, Response
from einvoice.network.own_address import OwnAddress
from einvoice_ksef.answers import blames_account
from einvoice_ksef.configuration import Side
from einvoice_ksef.warnings import Warnings

MAX_BYTES: Final = 1_000_000  # of an invoice without attachments
_LIMITS: Final = Limits(connect=5.0, read=20.0, total=20.0, answer_bytes=8 << 20)
_PART: Final = Limits(connect=5.0, read=60.0, total=60.0, answer_bytes=64 << 10)
_FILE: Final = Limits(connect=5.0, read=15.0, total=15.0, answer_bytes=16 << 20)
_EXPORTED: Final = Limits(connect=5.0, read=20.0, total=20.0, answer_bytes=52 << 20)
_FORBIDDEN, _FAULT = 403, 500  # statuses
QUICK: Final = Limits(connect=3.0, read=5.0, total=5.0, answer_bytes=4 << 20)


class Api:
    """The calls of one environment. Safe to share between threads. Each raises HttpFault.

    A 403 that is not KSeF's own is one of them: AddressRefused.
    """

    def __init__(self, side: Side, warnings: Warnings, own_address: OwnAddress) -> None:
        self._side, self._warnings, self._own_address = side, warnings, own_address
        self._http = Client(side.policy, limits=_LIMITS)
        self.signers = side.signers

    def call(
        self,
        method: str,
        path: str,
        token: str = "",
        body: object = None,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        limits: Limits = _LIMITS,
    ) -> Response:
        """The response to a call with this token; `body` is sent as JSON."""
        sent = {"x-error-format": "problem-details"}
        if token:
            sent["authorization"] = f"Bearer {token}"
        if body is not None:
            sent["content-type"] = "application/json"
        content = None if body is None else json.dumps(body).encode()
        return self._send(method, path, content, sent | dict(headers or {}), query, limits)

    def signed_login(self, document: bytes) -> Response:
        """Send a signed AuthTokenRequest."""
        headers = {"content-type": "application/xml", "x-error-format": "problem-details"}
        return self._send("POST", "auth/xades-signature", document, headers, None, QUICK)

    def public_keys(self) -> Response:
        return self.call("GET", "security/public-key-certificates", limits=QUICK)

    def download(self, url: str) -> Response:
        """A file by a link that the network gave, without a token. Redirects are not followed."""
        return self._http.send("GET", url, limits=_FILE)

    def download_part(self, url: str) -> Response:
        """A part of an export package by its link, as `download`."""
        return self._http.send("GET", url, limits=_EXPORTED)

    def upload(self, request: Mapping[str, Any], content: bytes) -> Response:
        """Upload a part of a package as its partUploadRequest says, without a token."""
        headers = {str(k): str(v) for k, v in (request.get("headers") or {}).items() if v}
        method, url = str(request["method"]).upper(), str(request["url"])
        return self._http.send(method, url, headers=headers, body=content, limits=_PART)

    def _send(
        self,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        query: Mapping[str, str] | None,
        limits: Limits,
    ) -> Response:
        url = f"{self._side.url}/{path}" + (f"?{urlencode(query)}" if query else "")
        self._own_address.enter()
        response = self._http.send(method, url, headers=headers, body=body, limits=limits)
        if response.status == _FORBIDDEN and not blames_account(response):
            raise self._own_address.refused(f"HTTP 403 to {path} without a reason of KSeF")
        if response.status < _FAULT:
            self._own_address.answered()
        warning = response.headers.get("x-system-warning")
        if warning:
            self._warnings.note(warning)
        return response


def nip_of(account: str) -> str:
    """The NIP of an account: ten digits, without prefix and hyphens.

    >>> nip_of("PL 526-587-76-35")
    '5265877635'
    """
    return "".join(filter(str.isdecimal, account.removeprefix("PL")))
