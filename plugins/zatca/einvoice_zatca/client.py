"""The calls of Fatoora: address, credentials, JSON, time limits."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from einvoice.http import Client, Limits, Response
from einvoice.network.own_address import OwnAddress
from einvoice_zatca.configuration import Side

TIMEOUT_SECONDS: Final = 30.0
_LIMITS: Final = Limits(connect=5.0, read=20.0, total=25.0, answer_bytes=32 << 20)
_FORBIDDEN, _FAULT = 403, 500  # statuses
MAX_BYTES: Final = 5 << 20  # of a document, beside 20 % for what a stamp adds


@dataclass(frozen=True, slots=True)
class Pass:
    """The credentials of a unit for its calls: a certificate as token, and a secret."""

    token: str = field(repr=False)
    secret: str = field(repr=False)

    @property
    def header(self) -> str:
        return "Basic " + base64.b64encode(f"{self.token}:{self.secret}".encode()).decode()


@dataclass(frozen=True, slots=True)
class Content:
    """A stamped document as the body of a call."""

    uuid: str
    hash: str
    document: bytes = field(repr=False)

    @property
    def body(self) -> dict[str, str]:
        encoded = base64.b64encode(self.document).decode()
        return {"invoiceHash": self.hash, "uuid": self.uuid, "invoice": encoded}


class Api:
    """The calls of one environment. Safe to share between threads. Each raises HttpFault.

    A 403 that is not of Fatoora itself is one of them: AddressRefused.
    """

    def __init__(self, side: Side, own_address: OwnAddress) -> None:
        self._side, self._own_address = side, own_address
        self._http = Client(side.policy, limits=_LIMITS)

    def compliance_certificate(self, request: str, otp: str) -> Response:
        return self._send("POST", "compliance", {"csr": request}, {"otp": otp})

    def check(self, content: Content, credentials: Pass) -> Response:
        """Send a sample document for a check of compliance."""
        return self._send("POST", "compliance/invoices", content.body, credentials=credentials)

    def production_certificate(self, request_id: str, credentials: Pass) -> Response:
        body = {"compliance_request_id": request_id}
        return self._send("POST", "production/csids", body, credentials=credentials)

    def renewed_certificate(self, request: str, otp: str, credentials: Pass) -> Response:
        headers = {"otp": otp}
        return self._send("PATCH", "production/csids", {"csr": request}, headers, credentials)

    def clear(self, content: Content, credentials: Pass) -> Response:
        headers = {"clearance-status": "1"}
        return self._send("POST", "invoices/clearance/single", content.body, headers, credentials)

    def report(self, content: Content, credentials: Pass) -> Response:
        headers = {"clearance-status": "0"}
        return self._send("POST", "invoices/reporting/single", content.body, headers, credentials)

    def _send(
        self,
        method: str,
        path: str,
        body: object,
        headers: Mapping[str, str] | None = None,
        credentials: Pass | None = None,
    ) -> Response:
        sent = {
            "accept": "application/json",
            "accept-version": "V2",
            "accept-language": "en",
            "content-type": "application/json",
            **(headers or {}),
        }
        if credentials is not None:
            sent["authorization"] = credentials.header
        url = f"{self._side.url}/{path}"
        self._own_address.enter()
        response = self._http.send(method, url, headers=sent, body=json.dumps(body).encode())
        if response.status == _FORBIDDEN and not of_fatoora(response):
            raise self._own_address.refused(f"HTTP 403 to {path} without a reason of Fatoora")
        if response.status < _FAULT:
            self._own_address.answered()
        return response


def of_fatoora(response: Response) -> bool:
    """Whether an answer has the form of one of Fatoora, not of a gateway in front of it."""
    said = response.members()
    return any(
        name in said for name in ("validationResults", "errors", "code", "dispositionMessage")
    )
