"""Calls by the account of a company: with its token, renewed once where that has ended."""

from __future__ import annotations

from collections.abc import Callable

from einvoice.http import Response
from einvoice.network.connections import Connection, Renew
from einvoice.network.types import Blocked, NotSent
from einvoice_anaf.accounts import ACCESS
from einvoice_anaf.client import Api

_RETRY_SECONDS = 600.0


class Refused(Exception):
    """The account cannot be used now; `outcome` is that of the document."""

    def __init__(self, outcome: Blocked | NotSent) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


class Calls:
    """The calls for one connection. Not shared between threads."""

    def __init__(self, api: Api, connection: Connection, renew: Renew) -> None:
        self.api, self._connection, self._renew = api, connection, renew

    def make(self, request: Callable[[str], Response]) -> Response:
        """The response to a request, which is called with the access token.

        Raises Refused, HttpFault and Spent.
        """
        response = request(self._connection.credentials.get(ACCESS, ""))
        if response.status not in (401, 403):
            return response
        renewed = self._renew(self._connection)
        if not isinstance(renewed, Connection):
            raise Refused(renewed)
        self._connection = renewed
        response = request(renewed.credentials.get(ACCESS, ""))
        if response.status in (401, 403):
            words = f"The gateway of ANAF refuses the token: HTTP {response.status}."
            raise Refused(NotSent(words, retry_after=_RETRY_SECONDS))
        return response
