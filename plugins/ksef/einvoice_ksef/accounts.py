"""Accounts of taxpayers: a KSeF token or a certificate, and the tokens that follow from them.

A check refreshes the access token. It logs in again, without a person, where the refresh token has
less than a day left. Which rights the account has is checked after each login.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Final

from einvoice import clock
from einvoice.http import HttpFault, Response
from einvoice.network.connections import (
    MAX_FILE_BYTES,
    CheckOutcome,
    Connection,
    ConnectionField,
    ConnectionForm,
    FieldKind,
    NeedsPerson,
    NotChecked,
    Works,
)
from einvoice.network.plugin_store import MAX_RECORDS_READ, PluginStore
from einvoice.network.types import NotSent
from einvoice_ksef import encryption, issue_right, offline, token_ends
from einvoice_ksef.answers import Kind, fault_of
from einvoice_ksef.calls import Calls, Failed, Refused
from einvoice_ksef.client import QUICK, Api, nip_of
from einvoice_ksef.configuration import Side
from einvoice_ksef.identity import Identity, InvalidIdentity, loaded
from einvoice_ksef.keys import Keys, NoKey
from einvoice_ksef.limits import Group, LimitsOf, Spent
from einvoice_ksef.login import Login, LoginFailed, Token
from einvoice_ksef.login_refusals import TRIES, LoginRefusals
from einvoice_ksef.moments import moment_or_none
from einvoice_ksef.refusals import READ, WRITE, Refusals
from einvoice_ksef.tokens import ACCESS, ACCESS_ENDS, ENDS, REFRESH, REFRESH_ENDS, SECRET
from einvoice_ksef.xades import Context

CHECK_EVERY: Final = timedelta(hours=6)
LOGIN_BEFORE: Final = timedelta(days=1)  # before the refresh token ends
_LOGINS: Final = timedelta(days=8)  # an account in use logs in at least every seven days
_MAX_ACCOUNTS: Final = 10_000
_NIP_DIGITS: Final = 10
_METADATA: Final = {"pageSize": "10"}


class Accounts:
    """The part of the access point that knows accounts, `Connected`."""

    def __init__(self, side: Side, store: PluginStore, api: Api, keys: Keys) -> None:
        self._side, self._store, self._api, self._keys = side, store, api, keys
        self._login = Login(api, keys, store, side.name)

    def describe(self) -> ConnectionForm:
        file, secret = FieldKind.FILE, FieldKind.SECRET
        return ConnectionForm(
            (
                ConnectionField("token", "KSeF token", secret, required=False, hint=_TOKEN_HINT),
                ConnectionField(
                    "certificate", "Certificate", file, False, MAX_FILE_BYTES, _CERTIFICATE_HINT
                ),
                ConnectionField("key", "Private key", file, False, MAX_FILE_BYTES, _KEY_HINT),
                ConnectionField("password", "Password of the private key", secret, required=False),
                *offline.FIELDS,
            ),
            account_label="NIP (tax number)",
            check_every=CHECK_EVERY,
        )

    def open(self, connection: Connection) -> CheckOutcome:
        """Log in with the credentials that were given, whatever tokens there are."""
        try:
            offline.checked(connection.credentials, nip_of(connection.account), clock.now())
        except InvalidIdentity as fault:
            return _person(connection, str(fault))
        self._login_refusals(connection).clear()
        return self._logged_in(connection)

    def check(self, connection: Connection) -> CheckOutcome:
        """Refresh the access token, or log in again, as after a call that lacked a right."""
        ends = moment_or_none(connection.state.get(REFRESH_ENDS))
        refresh = connection.credentials.get(REFRESH)
        is_ending = ends is None or ends - clock.now() < LOGIN_BEFORE
        if not refresh or is_ending or self._refusals(connection).rights:
            return self._logged_in(connection)
        try:
            access = self._login.refreshed(refresh)
        except LoginFailed as failed:
            if failed.kind in (Kind.UNKNOWN, Kind.LIMIT):
                return NotChecked(str(failed))
            return self._logged_in(connection)
        credentials = {**connection.credentials, ACCESS: access.value}
        state = {**connection.state, ACCESS_ENDS: access.ends.isoformat()}
        return self._refreshed(connection, credentials, state)

    def _refreshed(
        self, connection: Connection, credentials: Mapping[str, str], state: Mapping[str, str]
    ) -> CheckOutcome:
        """The outcome of a check that has refreshed the access token."""
        return _works(connection, credentials, state)

    def _logged_in(self, connection: Connection) -> CheckOutcome:
        context = Context.NIP, nip_of(connection.account)
        if len(context[1]) != _NIP_DIGITS:
            return _person(connection, f"{connection.account} is not a NIP of ten digits.")
        try:
            (access, refresh), ends = self._tokens(context, connection.credentials)
        except InvalidIdentity as fault:
            return _person(connection, str(fault))
        except LoginFailed as failed:
            return self._not_logged_in(connection, failed)
        self._login_refusals(connection).clear()
        secret = self._secret(connection)
        credentials = {
            **connection.credentials,
            ACCESS: access.value,
            REFRESH: refresh.value,
            SECRET: secret,
        }
        state = _times(connection.state, access, refresh, ends)
        self._note(context[1], connection.credentials, ends)
        return self._checked_rights(connection, credentials, state, context[1])

    def _not_logged_in(self, connection: Connection, failed: LoginFailed) -> CheckOutcome:
        if failed.kind in (Kind.CONNECTION, Kind.OPERATOR):
            return _person(connection, str(failed))
        if failed.is_refusal and self._login_refusals(connection).note():
            return _person(connection, f"{failed} It was refused {TRIES} times and more.")
        return NotChecked(str(failed))

    def _login_refusals(self, connection: Connection) -> LoginRefusals:
        return LoginRefusals(self._store, self._side.name, connection.id)

    def _secret(self, connection: Connection) -> str:
        """The secret from which the keys of sessions are derived."""
        return connection.credentials.get(SECRET) or encryption.new_secret()

    def _tokens(
        self, context: tuple[Context, str], given: Mapping[str, str]
    ) -> tuple[tuple[Token, Token], datetime | None]:
        """The tokens, and when the credentials end. A certificate is preferred to a token."""
        if given.get("certificate"):
            identity = identity_of(given)
            return self._login.by_certificate(context, identity), identity.ends
        token = given.get("token", "").strip()
        if not token:
            raise InvalidIdentity("Give a KSeF token, or a certificate with its private key.")
        last = token_ends.end_of(token)
        ends = None if last is None else datetime.combine(last, time.max, UTC)
        return self._login.by_token(context, token), ends

    def _checked_rights(
        self,
        connection: Connection,
        credentials: Mapping[str, str],
        state: Mapping[str, str],
        nip: str,
    ) -> CheckOutcome:
        limits = LimitsOf(self._store, self._side.name, nip)
        missing = self._missing(connection, credentials[ACCESS], limits)
        if missing:
            words = f"The account of {nip} has no right {' and '.join(missing)}: grant it in KSeF"
            hint = " and make a token with it." if connection.credentials.get("token") else "."
            return NeedsPerson(
                connection_id=connection.id,
                reason=f"{words}{hint}",
                credentials=credentials,
                state=state,
            )
        return _works(connection, credentials, state)

    def _missing(self, connection: Connection, token: str, limits: LimitsOf) -> list[str]:
        """The rights that the account lacks, of those to send and to receive. Learns its limits.

        One that a refused call lacked counts as missing until it is shown.
        """
        self._learn(token, limits)
        since = (clock.now() - timedelta(hours=1)).isoformat()
        received = {
            "subjectType": "Subject2",
            "dateRange": {"dateType": "PermanentStorage", "from": since},
        }
        online = {"sessionType": "Online", **_METADATA}
        sessions = self._asked(limits, Group.SESSION_LIST, "GET", "sessions", token, query=online)
        listed = self._asked(
            limits, Group.METADATA, "POST", "invoices/query/metadata", token, received, _METADATA
        )
        refusals = self._refusals(connection)
        refused = refusals.rights
        no_read = _is_forbidden(listed, READ) or (READ in refused and not _is_done(listed))
        no_write = _is_forbidden(sessions, WRITE) or (
            WRITE in refused and not self._may_issue(connection, token, limits)
        )
        if not (no_read or no_write):
            refusals.clear()
        return [WRITE] * no_write + [READ] * no_read

    def _learn(self, token: str, limits: LimitsOf) -> None:
        """Store the limits that KSeF states for the account."""
        rates = self._asked(limits, Group.OTHER, "GET", "rate-limits", token)
        if rates is not None and rates.status == 200:
            limits.learn(rates.members())

    def _may_issue(self, connection: Connection, token: str, limits: LimitsOf) -> bool:
        """Whether a session for invoices can be opened."""
        try:
            self._show_right(connection, token, limits)
        except (Failed, Refused, Spent, HttpFault, NoKey):
            return False
        return True

    def _show_right(self, connection: Connection, token: str, limits: LimitsOf) -> None:
        """Open a session for invoices. Raises what `issue_right.show` does."""
        by_token = replace(connection, credentials={ACCESS: token}, state={})
        calls = Calls(self._api, limits, by_token, lambda _: NotSent("The token has ended."))
        issue_right.show(calls, self._keys)

    def _refusals(self, connection: Connection) -> Refusals:
        return Refusals(self._store, self._side.name, connection.id)

    def _asked(
        self,
        limits: LimitsOf,
        group: Group,
        method: str,
        path: str,
        token: str,
        body: object = None,
        query: Mapping[str, str] | None = None,
    ) -> Response | None:
        """The response to a call; None: the network does not answer, or takes no calls now."""
        try:
            limits.take(group)
            response = self._api.call(method, path, token, body, query=query, limits=QUICK)
        except (HttpFault, Spent):
            return None
        if response.status == 429:
            limits.pause(group, fault_of(response).retry_after or 60.0)
        return response

    def _note(self, nip: str, given: Mapping[str, str], ends: datetime | None) -> None:
        """Note the account for the doctor, who sees no connections."""
        way = "certificate" if given.get("certificate") else "token"
        until = offline.end_of(given)
        noted = {
            "nip": nip,
            "way": way,
            "ends": ends.isoformat() if ends else "",
            "offlineEnds": until.isoformat() if until else "",
        }
        self._store.append(accounts_series(self._side.name), json.dumps(noted))


def accounts_series(access_point: str) -> str:
    """The series of the plugin's store that has a record for each login."""
    return f"accounts-{access_point}"


def logged_in(store: PluginStore, access_point: str) -> dict[str, dict[str, str]]:
    """The accounts in use by NIP.

    Each has its `way` of logging in, when its credentials end (`ends`), and its Offline certificate
    (`offlineEnds`).
    """
    now, last = clock.now(), None
    found: dict[str, dict[str, str]] = {}
    series, until = accounts_series(access_point), now + timedelta(minutes=2)
    while page := store.read(series, now - _LOGINS, until, last):
        for record in page:
            values = json.loads(record.value)
            found[values["nip"]] = values
        if len(page) < MAX_RECORDS_READ or len(found) >= _MAX_ACCOUNTS:
            break
        last = page[-1]
    return found


def identity_of(given: Mapping[str, str]) -> Identity:
    """The certificate in credentials. Raises InvalidIdentity."""
    password = given.get("password", "")
    return loaded(given.get("certificate", ""), given.get("key", ""), password)


def _times(
    state: Mapping[str, str], access: Token, refresh: Token, ends: datetime | None
) -> dict[str, str]:
    found = {**state, ACCESS_ENDS: access.ends.isoformat(), REFRESH_ENDS: refresh.ends.isoformat()}
    return {**found, ENDS: ends.isoformat() if ends else ""}


def _is_forbidden(response: Response | None, right: str) -> bool:
    """Whether the answer says that the account lacks the right."""
    if response is None or response.status != 403:
        return False
    fault = fault_of(response)
    return right in fault.missing and right not in fault.present


def _is_done(response: Response | None) -> bool:
    return response is not None and response.status == 200


def _works(
    connection: Connection, credentials: Mapping[str, str], state: Mapping[str, str]
) -> Works:
    ends = moment_or_none(state.get(ENDS))
    return Works(connection_id=connection.id, credentials=credentials, state=state, expires_at=ends)


def _person(connection: Connection, reason: str) -> NeedsPerson:
    """The outcome of an account that its tenant has to correct."""
    return NeedsPerson(connection_id=connection.id, reason=reason)


_TOKEN_HINT: Final = "Made in the KSeF application, with the rights InvoiceWrite and InvoiceRead"  # noqa: S105
_CERTIFICATE_HINT: Final = "PKCS#12 or PEM: a KSeF certificate, a qualified seal or signature"
_KEY_HINT: Final = "PEM, where it is a file of its own"
