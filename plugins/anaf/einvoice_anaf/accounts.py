"""Accounts of companies: consent in the browser, renewal of tokens, checks.

A token is that of a person, and serves all companies for which the person has rights in SPV: the
credentials of a connection are tokens and their times, nothing of the company.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from einvoice import clock
from einvoice.http import HttpFault
from einvoice.network.connections import (
    CheckOutcome,
    Connection,
    ConnectionForm,
    NeedsPerson,
    NotChecked,
    Works,
)
from einvoice.network.own_address import OwnAddress
from einvoice_anaf.answers import Answer, Kind, classify
from einvoice_anaf.client import Api, cif_of
from einvoice_anaf.configuration import Side
from einvoice_anaf.oauth import CONSENT_DAYS, NoTokens, OAuth, Tokens
from einvoice_anaf.quota import Spent

RENEW_BEFORE: Final = timedelta(days=10)  # before the access token ends
ACCESS, REFRESH = "accessToken", "refreshToken"
_ACCESS_ENDS, _CONSENT_ENDS = "accessEnds", "consentEnds"


class Accounts:
    """The part of the access point that knows accounts, `SharedConsent`."""

    def __init__(self, side: Side, api: Api, own_address: OwnAddress) -> None:
        self._api, self._oauth = api, OAuth(side, own_address)

    def describe(self) -> ConnectionForm:
        return ConnectionForm(browser=True, account_label="Tax number (CUI), with or without RO")

    def authorise_url(self, connection: Connection, state: str, redirect_uri: str) -> str:
        return self._oauth.authorise_url(state, redirect_uri)

    def authorised(self, connection: Connection, code: str, redirect_uri: str) -> CheckOutcome:
        """Exchange the code, and see whether the person has rights for the company."""
        tokens = self._oauth.exchange(code, redirect_uri)
        if isinstance(tokens, NoTokens):
            return _without_tokens(connection, tokens)
        ends = tokens.consent_ends or clock.now() + timedelta(days=CONSENT_DAYS)
        return self._tried(connection, tokens, ends)

    def open(self, connection: Connection) -> CheckOutcome:
        return self.check(connection)

    def check(self, connection: Connection) -> CheckOutcome:
        """See whether the account can be used; renew the tokens if they have ended or soon will."""
        if not connection.credentials.get(REFRESH):
            reason = "No consent was given yet."
            return NeedsPerson(connection_id=connection.id, reason=reason, consent_ended=True)
        ends = _moment(connection, _ACCESS_ENDS)
        if ends is not None and ends - RENEW_BEFORE > clock.now():
            answer = self._answer(connection, connection.credentials.get(ACCESS, ""))
            if answer is None or answer.status != 401:
                return _outcome(connection, answer)
        tokens = self._oauth.refresh(connection.credentials[REFRESH])
        if isinstance(tokens, NoTokens):
            return _without_tokens(connection, tokens)
        consent_ends = tokens.consent_ends or _moment(connection, _CONSENT_ENDS)
        return self._tried(
            connection, tokens, consent_ends or clock.now() + timedelta(days=CONSENT_DAYS)
        )

    def withdraw(self, credentials: Mapping[str, str]) -> NotChecked | None:
        """Revoke both tokens. One that is unknown there has ended."""
        for name in (REFRESH, ACCESS):
            token = credentials.get(name)
            fault = self._oauth.revoke(token) if token else None
            if fault is not None:
                return NotChecked(fault)
        return None

    def _tried(self, connection: Connection, tokens: Tokens, ends: datetime) -> CheckOutcome:
        """The outcome with new tokens, which are kept whatever else is wrong."""
        answer = self._answer(connection, tokens.access)
        return _outcome(connection, answer, tokens, ends)

    def _answer(self, connection: Connection, token: str) -> Answer | None:
        """The answer of the authority about the account; None: it does not answer."""
        try:
            response = self._api.recent(token, cif_of(connection.account))
        except (HttpFault, Spent):
            return None
        return classify(response.status, response.body)


def _outcome(
    connection: Connection,
    answer: Answer | None,
    tokens: Tokens | None = None,
    ends: datetime | None = None,
) -> CheckOutcome:
    """The outcome of a check; `tokens` are new ones, with the end of the consent."""
    credentials = None
    if tokens is not None and ends is not None:
        credentials = {
            ACCESS: tokens.access,
            REFRESH: tokens.refresh,
            _ACCESS_ENDS: tokens.access_ends.isoformat(),
            _CONSENT_ENDS: ends.isoformat(),
        }
    if answer is not None and answer.kind is Kind.NO_RIGHT:
        reason = f"The consent does not cover {connection.account}: {answer.text}."
        return NeedsPerson(connection_id=connection.id, reason=reason, credentials=credentials)
    if tokens is None and (answer is None or answer.kind not in _GOOD):
        return NotChecked(f"ANAF does not answer: {answer.text if answer else 'no response'}.")
    return Works(
        connection_id=connection.id,
        credentials=credentials,
        expires_at=ends or _moment(connection, _CONSENT_ENDS),
        valid_until=tokens.access_ends if tokens else _moment(connection, _ACCESS_ENDS),
    )


_GOOD: Final = frozenset({Kind.LIST, Kind.NOTHING, Kind.TOO_MANY, Kind.QUOTA})


def _without_tokens(connection: Connection, fault: NoTokens) -> CheckOutcome:
    if fault.refused:
        return NeedsPerson(connection_id=connection.id, reason=fault.reason, consent_ended=True)
    return NotChecked(fault.reason)


def _moment(connection: Connection, name: str) -> datetime | None:
    try:
        return datetime.fromisoformat(connection.credentials[name])
    except (KeyError, ValueError):
        return None
