"""Calls by the account of a company: with its token, renewed once where that has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from einvoice import clock
from einvoice.http import Response
from einvoice.network.connections import Connection, Renew
from einvoice.network.types import Blocked, NotSent
from einvoice_fr_ctc.accounts import TOKEN, ends_of
from einvoice_fr_ctc.answers import fault_in
from einvoice_fr_ctc.client import Api, Platform

_RETRY_SECONDS: Final = 300.0


class Refused(Exception):
    """The account cannot be used now; `outcome` is that of the document."""

    def __init__(self, outcome: Blocked | NotSent) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


class Calls:
    """The calls for one connection. Not shared between threads."""

    def __init__(self, api: Api, connection: Connection, renew: Renew) -> None:
        self.api, self._connection, self._renew = api, connection, renew
        self.renewed = False  # whether a call had to renew the token

    @property
    def connection(self) -> Connection:
        return self._connection

    def make(self, request: Callable[[Platform, str], Response]) -> Response:
        """The response to a request, which is called with the platform and a token.

        A 403 that is none of the platform's own is of a firewall before it, which takes nothing.
        Raises Refused and HttpFault.
        """
        if not self._is_fresh():
            self._renew_token()
        response = self._asked(request)
        if response.status == 401:
            self._renew_token()
            response = self._asked(request)
        if response.status == 401:
            words = "The platform refuses a token that it has just issued."
            raise Refused(NotSent(words, retry_after=_RETRY_SECONDS))
        if response.status == 403:
            fault = fault_in(response)
            if fault is not None:
                raise Refused(Blocked(f"The platform refuses the account: {fault.words}"))
            words = "HTTP 403 of a firewall before the platform, which takes nothing."
            raise Refused(NotSent(words, retry_after=_RETRY_SECONDS))
        return response

    def _is_fresh(self) -> bool:
        ends = ends_of(self._connection)
        return ends is not None and ends > clock.now()

    def _asked(self, request: Callable[[Platform, str], Response]) -> Response:
        credentials = self._connection.credentials
        return request(Platform.of(credentials), credentials.get(TOKEN, ""))

    def _renew_token(self) -> None:
        renewed = self._renew(self._connection)
        if not isinstance(renewed, Connection):
            raise Refused(renewed)
        self._connection, self.renewed = renewed, True
