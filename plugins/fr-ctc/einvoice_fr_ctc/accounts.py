"""Accounts of companies at their platforms: tokens by client credentials, checks, web-hooks."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from einvoice import clock
from einvoice.http import Blocked as AddressBlocked
from einvoice.http import HttpFault, Response
from einvoice.network.connections import (
    Broken,
    CheckOutcome,
    Connection,
    ConnectionField,
    ConnectionForm,
    FieldKind,
    NeedsPerson,
    NotChecked,
    Works,
)
from einvoice_fr_ctc.answers import Unreadable, fault_in, members, shown, unreadable
from einvoice_fr_ctc.client import Api, Platform
from einvoice_fr_ctc.companies import siren_of
from einvoice_fr_ctc.configuration import Side
from einvoice_fr_ctc.hooks import Hooks
from einvoice_fr_ctc.reporting import company as reporting

TOKEN, TOKEN_ENDS = "accessToken", "tokenEnds"
HOOK: Final = "hook"  # name in the state of a connection: the secret part of its address
_MARGIN: Final = timedelta(seconds=20)  # before the end of a token
_DEFAULT_SECONDS: Final = 300.0  # of a token that does not say when it ends
_MAX_SECONDS: Final = 90 * 86_400.0

_FIELDS: Final = (
    ConnectionField(
        "url",
        "Address of the platform's Flow Service",
        hint="https://api.flow.example.fr/flow-service, without /v1",
        max_size=500,
    ),
    ConnectionField("tokenUrl", "Address of its OAuth2 token endpoint", max_size=500),
    ConnectionField("clientId", "Client id", max_size=300),
    ConnectionField("clientSecret", "Client secret", FieldKind.SECRET),
    ConnectionField(
        "organizationId",
        "Organization-Id, where one contract serves several companies",
        required=False,
        max_size=200,
    ),
    *reporting.FIELDS,
)


@dataclass(frozen=True, slots=True)
class NewToken:
    value: str
    ends: datetime

    def added_to(self, credentials: Mapping[str, str]) -> dict[str, str]:
        """The credentials with this token."""
        return {**credentials, TOKEN: self.value, TOKEN_ENDS: self.ends.isoformat()}


class NoToken(Exception):
    """The platform gives no token; `refused`: because of the credentials."""

    def __init__(self, reason: str, *, refused: bool) -> None:
        super().__init__(reason)
        self.refused = refused


class Accounts:
    """The part of the access point that knows accounts."""

    def __init__(self, side: Side, api: Api, hooks: Hooks) -> None:
        self._side, self._api, self._hooks = side, api, hooks

    def describe(self) -> ConnectionForm:
        return ConnectionForm(
            _FIELDS, account_label="SIREN or VAT number", check_every=timedelta(hours=6)
        )

    def open(self, connection: Connection) -> CheckOutcome:
        return self.check(connection)

    def check(self, connection: Connection) -> CheckOutcome:
        """See whether the platform answers and takes the credentials; renew the token."""
        platform = Platform.of(connection.credentials)
        wrong = self._fault_of(connection, platform)
        if wrong is not None:
            return NeedsPerson(connection_id=connection.id, reason=wrong)
        try:
            return self._checked(connection, platform)
        except NoToken as fault:
            if fault.refused:
                return NeedsPerson(connection_id=connection.id, reason=str(fault))
            return NotChecked(str(fault))
        except AddressBlocked as fault:
            reason = f"The address of the platform is not allowed: {fault}."
            return NeedsPerson(connection_id=connection.id, reason=reason)
        except HttpFault as fault:
            return NotChecked(f"The platform does not answer: {fault}")

    def leave(self, connection: Connection) -> None:
        """Delete the web-hook at the platform. Raises NoToken, HttpFault and Unreadable."""
        secret = connection.state.get(HOOK)
        if self._side.hooks is None or not secret:
            return
        platform, ends = Platform.of(connection.credentials), ends_of(connection)
        token = connection.credentials.get(TOKEN, "")
        if ends is None or ends <= clock.now():
            token = self._token(platform).value
        self._hooks.unregister(self._api, platform, token, self._address(secret))

    def _address(self, secret: str) -> str:
        return f"{self._side.hooks}/{self._side.name}/{secret}"

    def renewed(self, connection: Connection) -> Connection:
        """The connection with a new token. Raises NoToken and HttpFault."""
        token = self._token(Platform.of(connection.credentials))
        return replace(connection, credentials=token.added_to(connection.credentials))

    def _fault_of(self, connection: Connection, platform: Platform) -> str | None:
        """The faults of the values that the tenant gave, without asking the network."""
        if siren_of(connection.account) is None:
            return f"{connection.account} is neither a SIREN nor a French VAT number."
        for label, url in (("platform", platform.url), ("token endpoint", platform.token_url)):
            try:
                self._side.policy.check_url(url)
            except AddressBlocked as fault:
                return f"The address of the {label} is not allowed: {fault}."
        return next(reporting.faults(connection), None)

    def _checked(self, connection: Connection, platform: Platform) -> CheckOutcome:
        """Raises NoToken and HttpFault."""
        held = connection.credentials.get(TOKEN, "")
        ends = ends_of(connection)
        if held and ends is not None and ends > clock.now():
            answer = self._answer(platform, held)
            if answer.status != 401:
                return self._outcome(connection, platform, NewToken(held, ends), answer)
        token = self._token(platform)
        return self._outcome(connection, platform, token, self._answer(platform, token.value))

    def _answer(self, platform: Platform, token: str) -> Response:
        """The answer to the health check, or if that is good, to an empty search."""
        health = self._api.healthy(platform, token)
        if health.status != 200:
            return health
        return self._api.search(
            platform, token, {"updatedAfter": clock.timestamp(clock.now())}, limit=1
        )

    def _outcome(
        self, connection: Connection, platform: Platform, token: NewToken, answer: Response
    ) -> CheckOutcome:
        credentials = token.added_to(connection.credentials)
        fault = fault_in(answer)
        if answer.status in (401, 403) and fault is not None:
            reason = f"The platform refuses the account: {fault.words}"
            return Broken(connection_id=connection.id, reason=reason, credentials=credentials)
        if answer.status != 200:
            return NotChecked(f"The platform says {fault.words if fault else unreadable(answer)}")
        try:
            members(answer)
        except Unreadable as strange:
            return NotChecked(f"The search is not answered: {strange}")
        state = self._with_hook(connection, platform, token.value)
        return Works(
            connection_id=connection.id,
            credentials=credentials,
            state=state,
            valid_until=token.ends,
        )

    def _with_hook(
        self, connection: Connection, platform: Platform, token: str
    ) -> dict[str, str] | None:
        """The state with the web-hook, if this check has registered one."""
        if self._side.hooks is None:
            return None
        secret = connection.state.get(HOOK) or secrets.token_urlsafe(32)
        try:
            if not self._hooks.is_registered(self._api, platform, token, self._address(secret)):
                return None
        except HttpFault:
            return None
        self._hooks.remember(secret, connection.id)
        return {**connection.state, HOOK: secret}

    def _token(self, platform: Platform) -> NewToken:
        return token_of(self._api.token(platform))


def token_of(response: Response) -> NewToken:
    """The token in the answer of a token endpoint. Raises NoToken."""
    try:
        values = members(response)
    except Unreadable as strange:
        raise NoToken(f"The token endpoint answers {strange}", refused=False) from strange
    if response.status in (400, 401, 403) and isinstance(values.get("error"), str):
        words = shown(values.get("error_description") or values["error"])
        raise NoToken(f"The token endpoint refuses the credentials: {words}", refused=True)
    token = values.get("access_token")
    if response.status != 200 or not isinstance(token, str) or not token:
        raise NoToken(f"The token endpoint answers HTTP {response.status}", refused=False)
    return NewToken(token, clock.now() + _lifetime(values.get("expires_in")))


def _lifetime(seconds: object) -> timedelta:
    """How long a token is used.

    >>> _lifetime("3600").total_seconds(), _lifetime(None).total_seconds()
    (3580.0, 280.0)
    """
    try:
        given = float(seconds)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        given = _DEFAULT_SECONDS
    if not 0 < given <= _MAX_SECONDS:
        given = _DEFAULT_SECONDS
    return max(timedelta(seconds=given) - _MARGIN, timedelta(seconds=given / 2))


def ends_of(connection: Connection) -> datetime | None:
    """When the token of a connection ends; None without one."""
    try:
        return datetime.fromisoformat(connection.credentials[TOKEN_ENDS])
    except (KeyError, ValueError):
        return None
