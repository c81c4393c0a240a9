"""The calls of RO e-Factura: paths, parameters, the token, time limits, the budget of calls."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from einvoice.http import Client, Limits, Response
from einvoice.network.own_address import OwnAddress
from einvoice_anaf.answers import is_own
from einvoice_anaf.configuration import Side
from einvoice_anaf.quota import Budget

MAX_BYTES: Final = 10 * 1024 * 1024  # of an upload
TIMEOUT_SECONDS: Final = 115.0  # two requests of 30 seconds, and up to 40 for new tokens
_FORBIDDEN, _FAULT = 403, 500  # statuses
_LIMITS: Final = Limits(connect=5.0, read=30.0, total=30.0, answer_bytes=4 << 20)
_CHECK: Final = Limits(connect=3.0, read=7.0, total=7.0, answer_bytes=4 << 20)
_DOWNLOAD: Final = Limits(connect=5.0, read=30.0, total=30.0, answer_bytes=32 << 20)


class Api:
    """The calls of one environment. Safe to share between threads.

    Each takes an access token, and raises HttpFault and Spent. A 403 without words of the authority
    is an HttpFault: AddressRefused.
    """

    def __init__(self, side: Side, budget: Budget, own_address: OwnAddress) -> None:
        self._side, self._budget, self._own_address = side, budget, own_address
        self._http = Client(side.policy, limits=_LIMITS)

    def upload(self, token: str, call: str, query: Mapping[str, str], document: bytes) -> Response:
        """`call`: upload, or uploadb2c for consumers."""
        return self._send("POST", call, token, query, document)

    def state(self, token: str, index: str) -> Response:
        return self._send("GET", "stareMesaj", token, {"id_incarcare": index})

    def download(self, token: str, download_id: str) -> Response:
        return self._send("GET", "descarcare", token, {"id": download_id}, limits=_DOWNLOAD)

    def messages(
        self,
        token: str,
        cif: str,
        since: datetime,
        until: datetime,
        page: int = 1,
        kind: str | None = None,
    ) -> Response:
        """A page of the list of messages; `kind`: E, T, P or R. `until` is not in the future."""
        query = {
            "startTime": str(_milliseconds(since)),
            "endTime": str(_milliseconds(until)),
            "cif": cif,
            "pagina": str(page),
        } | ({"filtru": kind} if kind else {})
        return self._send("GET", "listaMesajePaginatieFactura", token, query)

    def recent(self, token: str, cif: str) -> Response:
        """The messages of the last day, to see whether token and account are valid."""
        return self._send(
            "GET", "listaMesajeFactura", token, {"zile": "1", "cif": cif}, limits=_CHECK
        )

    def _send(
        self,
        method: str,
        call: str,
        token: str,
        query: Mapping[str, str],
        body: bytes | None = None,
        limits: Limits = _LIMITS,
    ) -> Response:
        self._own_address.enter()
        self._budget.take()
        headers = {"authorization": f"Bearer {token}"}
        if body is not None:
            headers["content-type"] = "text/plain"
        url = f"{self._side.url}/{call}?{urlencode(query)}"
        response = self._http.send(method, url, headers=headers, body=body, limits=limits)
        if response.status == _FORBIDDEN and not is_own(response.body):
            raise self._own_address.refused(f"HTTP 403 to {call} without words of ANAF")
        if response.status < _FAULT:
            self._own_address.answered()
        return response


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def cif_of(account: str) -> str:
    """The number of a company as the calls have it: digits, without the prefix of its VAT id.

    >>> cif_of("RO18547290")
    '18547290'
    """
    return account.removeprefix("RO")
