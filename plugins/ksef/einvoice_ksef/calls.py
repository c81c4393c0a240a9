"""Calls by the account of a taxpayer: within its limits, with its token, renewed where it ends."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from einvoice import clock
from einvoice.http import Response
from einvoice.network.connections import Connection, Renew
from einvoice.network.types import Blocked, NotSent
from einvoice_ksef.answers import Fault, Kind, fault_of
from einvoice_ksef.client import Api
from einvoice_ksef.limits import Group, LimitsOf, Spent
from einvoice_ksef.moments import moment_or_none
from einvoice_ksef.refusals import Refusals
from einvoice_ksef.tokens import ACCESS, ACCESS_ENDS, SECRET

_RENEW_BEFORE: Final = timedelta(seconds=30)
MAX_DELAY_SECONDS: Final = 60.0  # of the other documents of the connection
_RETRY_SECONDS: Final = 60.0


class Refused(Exception):
    """The account cannot be used now; `outcome` is that of the document."""

    def __init__(self, outcome: Blocked | NotSent) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


class Failed(Exception):
    """The answer to a call is not the expected one."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault


class Calls:
    """The calls for one connection. `refusals`: where the rights are noted that it lacks."""

    def __init__(
        self,
        api: Api,
        limits: LimitsOf,
        connection: Connection,
        renew: Renew,
        refusals: Refusals | None = None,
    ) -> None:
        self.api, self.limits = api, limits
        self._connection, self._renew = connection, renew
        self._refusals = refusals

    @property
    def secret(self) -> str:
        """The secret from which the keys of sessions are derived."""
        return self._connection.credentials.get(SECRET, "")

    def make(
        self,
        group: Group,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """The response of a call that succeeded. Raises Failed, Refused, Spent and HttpFault."""
        if self._ends_soon():
            self._renewed()
        for is_repeated in (False, True):
            self.limits.take(group)
            token = self._connection.credentials.get(ACCESS, "")
            response = self.api.call(method, path, token, body, query=query, headers=headers)
            if response.status != 401 or is_repeated:
                break
            self._renewed()
        if response.status in (200, 201, 202, 204):
            return response
        fault = fault_of(response)
        if fault.missing and self._refusals is not None:
            self._refusals.note(fault.missing)
        if fault.kind is not Kind.LIMIT:
            raise self.refused(fault)
        seconds = fault.retry_after or _RETRY_SECONDS
        self.limits.pause(group, seconds)
        raise Spent(group, seconds)

    def refused(self, fault: Fault) -> Failed | Refused:
        """The error to raise for a call that KSeF refuses."""
        return Failed(fault)

    def _ends_soon(self) -> bool:
        ends = moment_or_none(self._connection.state.get(ACCESS_ENDS))
        return ends is not None and ends - clock.now() < _RENEW_BEFORE

    def _renewed(self) -> None:
        renewed = self._renew(self._connection)
        if not isinstance(renewed, Connection):
            raise Refused(renewed)
        self._connection = renewed


def text_in(response: Response, name: str) -> str:
    """A member of the answer. Raises Failed where it has none, as a page of a gateway."""
    found = response.members().get(name)
    if isinstance(found, str):
        return found
    raise Failed(Fault(Kind.UNKNOWN, response.status, f"KSeF gives no {name}."))


def not_sent(fault: Spent | Failed | Refused | Exception) -> NotSent | Blocked:
    """The outcome of a document of which nothing was sent."""
    match fault:
        case Refused():
            return fault.outcome
        case Spent():
            return NotSent(str(fault), retry_after=min(fault.retry_after, MAX_DELAY_SECONDS))
        case Failed() if fault.fault.kind is Kind.CONNECTION:
            return Blocked(without_right(fault.fault))
        case Failed() if fault.fault.kind is Kind.TOKEN:
            return NotSent(str(fault), retry_after=_RETRY_SECONDS)
    return NotSent(str(fault))


def without_right(fault: Fault) -> str:
    """The words of a refused account, with the rights one of which it needs."""
    if not fault.missing:
        return fault.text
    return f"{fault.text} It needs one of: {', '.join(fault.missing)}."
