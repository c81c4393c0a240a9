"""Tokens of KSeF: by a KSeF token, or by a request that is signed with a certificate.

Both ways begin with a challenge, and end with an access token (about 15 minutes) and a refresh
token (up to 7 days). When they end is what `validUntil` says. A login that KSeF has not finished is
gone on with by the next call (`running_logins`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from einvoice import clock
from einvoice.http import HttpFault, Response
from einvoice.network.plugin_store import PluginStore
from einvoice_ksef import xades
from einvoice_ksef.answers import FIRST_EXCEPTION, Area, Fault, Kind, fault_of, status_of
from einvoice_ksef.client import QUICK, Api
from einvoice_ksef.identity import Identity
from einvoice_ksef.keys import Keys, NoKey, Usage
from einvoice_ksef.limits import Group, LimitsOf, Spent
from einvoice_ksef.moments import moment
from einvoice_ksef.running_logins import Operation, RunningLogin, secret_of
from einvoice_ksef.xades import Context

PATIENCE_SECONDS: Final = 18.0  # for the status of a login; checks of issuers take long
_TURN_SECONDS: Final = 8.0  # for a call of all accounts together
_TOO_MANY: Final = 429
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 2.0


@dataclass(frozen=True, slots=True)
class Token:
    """A token and its end."""

    value: str = field(repr=False)
    ends: datetime


class LoginFailed(Exception):
    """No tokens. CONNECTION and OPERATOR last until somebody acts; other kinds do not.

    is_refusal  KSeF has judged the login, and not failed itself
    """

    def __init__(self, kind: Kind, text: str, *, is_refusal: bool = False) -> None:
        super().__init__(text)
        self.kind, self.is_refusal = kind, is_refusal


class Login:
    """Logs in at one environment. Safe to share between threads."""

    def __init__(
        self,
        api: Api,
        keys: Keys,
        store: PluginStore,
        name: str,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self._api, self._keys, self._limits = api, keys, LimitsOf(store, name, "all")
        self._store, self._name, self._patience = store, name, patience

    def by_token(self, context: tuple[Context, str], token: str) -> tuple[Token, Token]:
        """The access and the refresh token for a KSeF token. Raises LoginFailed."""
        running = RunningLogin(self._store, self._name, context[1], token)
        return self._tokens(lambda: self._by_token(context, token), running)

    def by_certificate(
        self, context: tuple[Context, str], identity: Identity
    ) -> tuple[Token, Token]:
        """The access and the refresh token for a certificate. Raises LoginFailed."""
        running = RunningLogin(self._store, self._name, context[1], secret_of(identity))
        return self._tokens(lambda: self._by_certificate(context, identity), running)

    def refreshed(self, refresh: str) -> Token:
        """A new access token. Raises LoginFailed."""
        with _as_failures():
            response = self._call("POST", "auth/token/refresh", refresh)
        return _token(_expected(response, 200), "accessToken")

    def _tokens(self, begin: Callable[[], Response], running: RunningLogin) -> tuple[Token, Token]:
        """The tokens of the login that is running, else of a new one.

        A new one is repeated once where a challenge or key was out of date.
        """
        kept = running.get()
        if kept is not None:
            try:
                return self._redeemed(kept, running)
            except LoginFailed as failed:
                if failed.kind in (Kind.RUNNING, Kind.UNKNOWN, Kind.LIMIT):
                    raise
        try:
            return self._redeemed(self._begun(begin, running), running)
        except LoginFailed as failed:
            if failed.kind not in (Kind.KEYS, Kind.RETRY):
                raise
            self._keys.forget()
        return self._redeemed(self._begun(begin, running), running)

    def _begun(self, begin: Callable[[], Response], running: RunningLogin) -> Operation:
        """A new login, which is kept. Raises LoginFailed."""
        with _as_failures():
            begun = _expected(begin(), 202)
        token = _token(begun, "authenticationToken")
        operation = Operation(_text(begun, "referenceNumber"), token.value, token.ends)
        running.keep(operation)
        return operation

    def _redeemed(self, operation: Operation, running: RunningLogin) -> tuple[Token, Token]:
        """The tokens of a login, which is kept while KSeF works on it. Raises LoginFailed."""
        try:
            with _as_failures():
                self._wait(operation)
                response = self._call("POST", "auth/token/redeem", operation.token)
                values = _expected(response, 200)
        except LoginFailed as failed:
            if failed.kind not in (Kind.RUNNING, Kind.UNKNOWN, Kind.LIMIT):
                running.forget()
            raise
        running.forget()
        return _token(values, "accessToken"), _token(values, "refreshToken")

    def _challenge(self) -> tuple[str, int]:
        values = _expected(self._call("POST", "auth/challenge"), 200)
        return _text(values, "challenge"), int(_text(values, "timestampMs"))

    def _by_token(self, context: tuple[Context, str], token: str) -> Response:
        """The time is that of the challenge, so that our clock does not matter."""
        challenge, milliseconds = self._challenge()
        key = self._keys.current(Usage.TOKEN)
        body = {
            "challenge": challenge,
            "contextIdentifier": {"type": context[0], "value": context[1]},
            "encryptedToken": key.wrapped(f"{token}|{milliseconds}".encode()),
            "publicKeyId": key.id,
        }
        return self._call("POST", "auth/ksef-token", body=body)

    def _by_certificate(self, context: tuple[Context, str], identity: Identity) -> Response:
        challenge, milliseconds = self._challenge()
        now = datetime.fromtimestamp(milliseconds / 1000, tz=clock.now().tzinfo)
        document = xades.signed(xades.request(challenge, context), identity, now)
        return self._counted(lambda: self._api.signed_login(document))

    def _wait(self, operation: Operation) -> None:
        """Wait until the login has succeeded. Raises LoginFailed."""
        until, pause = clock.monotonic() + self._patience, _FIRST_WAIT
        while True:
            response = self._call("GET", f"auth/{operation.reference}", operation.token)
            status = status_of(Area.LOGIN, _expected(response, 200).get("status"))
            if status.kind is Kind.DONE:
                return
            if status.kind is not Kind.RUNNING:
                words = f"KSeF refuses the login: {status.text}"
                raise LoginFailed(status.kind, words, is_refusal=400 <= status.code < 500)
            if clock.monotonic() > until:
                raise LoginFailed(Kind.RUNNING, "KSeF has not finished the login yet.")
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_WAIT)

    def _call(self, method: str, path: str, token: str = "", body: object = None) -> Response:
        return self._counted(lambda: self._api.call(method, path, token, body, limits=QUICK))

    def _counted(self, call: Callable[[], Response]) -> Response:
        """A call of the login, counted for all accounts together. Raises Spent and HttpFault."""
        self._limits.take(Group.LOGIN, _TURN_SECONDS)
        response = call()
        if response.status == _TOO_MANY:
            self._limits.pause(Group.LOGIN, fault_of(response).retry_after or 1.0)
        return response


def _expected(response: Response, status: int) -> dict[str, Any]:
    """The members of the answer. Raises LoginFailed for another one."""
    if response.status == status:
        return response.members()
    fault: Fault = fault_of(response)
    raise LoginFailed(
        fault.kind,
        f"KSeF refuses the login ({fault.code}): {fault.text}",
        is_refusal=fault.code >= FIRST_EXCEPTION,
    )


@contextmanager
def _as_failures() -> Iterator[None]:
    """Faults of calls as LoginFailed."""
    try:
        yield
    except (HttpFault, NoKey) as fault:
        raise LoginFailed(Kind.UNKNOWN, str(fault)) from fault
    except Spent as spent:
        raise LoginFailed(Kind.LIMIT, str(spent)) from spent


def _text(values: dict[str, Any], name: str) -> str:
    if name not in values:
        raise LoginFailed(Kind.UNKNOWN, f"KSeF gives no {name}.")
    return str(values[name])


def _token(values: dict[str, Any], name: str) -> Token:
    try:
        return Token(str(values[name]["token"]), moment(values[name]["validUntil"]))
    except (KeyError, TypeError, ValueError) as fault:
        raise LoginFailed(Kind.UNKNOWN, f"KSeF gives no {name}.") from fault
