"""Sellers of PEF: companies that have given the operator the permission PefInvoicing.

The login is that of the provider of Peppol services, so it says nothing of the tenant. That the
company is the tenant's own is shown once, when the connection is opened: with its KSeF token or
certificate a session for its invoices is opened, and closed again empty. What was given for it is
not stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import structlog
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

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
from einvoice.network.plugin_store import PluginStore
from einvoice_ksef.accounts import Accounts
from einvoice_ksef.answers import Kind
from einvoice_ksef.calls import Failed, Refused
from einvoice_ksef.client import Api, nip_of
from einvoice_ksef.configuration import Provider, Side
from einvoice_ksef.identity import InvalidIdentity
from einvoice_ksef.keys import Keys, NoKey
from einvoice_ksef.limits import Group, LimitsOf, Spent
from einvoice_ksef.login import LoginFailed, Token
from einvoice_ksef.moments import moment_or_none
from einvoice_ksef.refusals import WRITE
from einvoice_ksef.tokens import ACCESS
from einvoice_ksef.xades import Context

log = structlog.get_logger()

PERMISSION: Final = "PefInvoicing"  # of a company, given to the provider
OWN, SEEN = "ownCompany", "permissionSeen"  # members of the state
ASKED_EVERY: Final = timedelta(hours=5)  # for the permission; a check is made every six hours
_ONCE: Final = "shows that the company is yours, and is not stored"
_HINTS: Final = {
    "token": f"With the right {WRITE}: it {_ONCE}",
    "certificate": f"PKCS#12 or PEM, in place of the token: it {_ONCE}",
}
_PROOF: Final = frozenset({"token", "certificate", "key", "password"})
_NOT_DONE: Final = (HttpFault, NoKey, Refused, Spent)
_GRANTS: Final = "permissions/query/authorizations/grants"


class Sellers(Accounts):
    """The part of the access point for PEF that knows accounts, `Connected`."""

    def __init__(
        self, side: Side, provider: Provider, store: PluginStore, api: Api, keys: Keys
    ) -> None:
        super().__init__(side, store, api, keys)
        self.provider = provider
        self._shared = _shared_secret(provider)

    def describe(self) -> ConnectionForm:
        """The form of the network `ksef`: what is given shows that the company is one's own."""
        form = super().describe()
        fields = tuple(
            replace(each, hint=_HINTS.get(each.name, each.hint))
            for each in form.fields
            if each.name in _PROOF
        )
        return ConnectionForm(
            fields, account_label=form.account_label, check_every=form.check_every
        )

    def open(self, connection: Connection) -> CheckOutcome:
        """Show that the company is the tenant's own; then log in, and ask for the permission."""
        fault = None if self._is_proven(connection) else self._unproven(connection)
        if fault is not None:
            return fault
        own = {OWN: nip_of(connection.account)}
        return self._logged_in(replace(connection, credentials={}, state=own))

    def check(self, connection: Connection) -> CheckOutcome:
        if not self._is_proven(connection):
            return self.open(connection)
        return super().check(connection)

    def _is_proven(self, connection: Connection) -> bool:
        """Whether the company was shown to be the tenant's own, and nothing was given since."""
        is_own = connection.state.get(OWN) == nip_of(connection.account)
        return is_own and not _PROOF & set(connection.credentials)

    def limits_of_provider(self) -> LimitsOf:
        """The limits of the provider, which all its sellers share."""
        return LimitsOf(self._store, self._side.name, self.provider.id)

    # -- the company -------------------------------------------------------------------------------

    def _unproven(self, connection: Connection) -> CheckOutcome | None:
        """Why the company is not shown to be the tenant's own; None: it is."""
        nip = nip_of(connection.account)
        try:
            (access, _), _ = super()._tokens((Context.NIP, nip), connection.credentials)
            self._show_right(connection, access.value, LimitsOf(self._store, self._side.name, nip))
        except InvalidIdentity as fault:
            return NeedsPerson(connection_id=connection.id, reason=str(fault))
        except LoginFailed as failed:
            return super()._not_logged_in(connection, failed)
        except Failed as failed:
            if failed.fault.kind is not Kind.CONNECTION:
                return NotChecked(str(failed))
            words = f"The account of {nip} has no right {WRITE}: give one that has it."
            reason = words if WRITE in failed.fault.missing else str(failed)
            return NeedsPerson(connection_id=connection.id, reason=reason)
        except _NOT_DONE as fault:
            return NotChecked(str(fault))
        return None

    # -- the provider ------------------------------------------------------------------------------

    def _tokens(
        self, context: tuple[Context, str], given: Mapping[str, str]
    ) -> tuple[tuple[Token, Token], datetime | None]:
        """The tokens of the provider. The end of its certificate concerns the operator only."""
        own = Context.PEPPOL_ID, self.provider.id
        return self._login.by_certificate(own, self.provider.identity), None

    def _not_logged_in(self, connection: Connection, failed: LoginFailed) -> CheckOutcome:
        """The tenant can do nothing about a login of the provider."""
        log.error("login of the provider of Peppol services failed", reason=str(failed))
        return NotChecked(f"The provider of Peppol services cannot log in: {failed}")

    def _secret(self, connection: Connection) -> str:
        return self._shared

    def _note(self, nip: str, given: Mapping[str, str], ends: datetime | None) -> None:
        """Nothing is noted for the doctor: the account is the operator's own."""

    def _refreshed(
        self, connection: Connection, credentials: Mapping[str, str], state: Mapping[str, str]
    ) -> CheckOutcome:
        seen = moment_or_none(state.get(SEEN))
        if seen is not None and clock.now() - seen < ASKED_EVERY:
            return Works(connection_id=connection.id, credentials=credentials, state=state)
        return self._asked_for(connection, credentials, state, nip_of(connection.account))

    def _checked_rights(
        self,
        connection: Connection,
        credentials: Mapping[str, str],
        state: Mapping[str, str],
        nip: str,
    ) -> CheckOutcome:
        self._learn(credentials[ACCESS], self.limits_of_provider())
        return self._asked_for(connection, credentials, state, nip)

    def _asked_for(
        self,
        connection: Connection,
        credentials: Mapping[str, str],
        state: Mapping[str, str],
        nip: str,
    ) -> CheckOutcome:
        """The outcome by whether the company has given the permission."""
        has_it = self._is_permitted(nip, credentials[ACCESS])
        if has_it is None and SEEN not in state:
            return NotChecked(f"KSeF does not say whether {nip} has given {PERMISSION}.")
        if has_it is False:
            return NeedsPerson(
                connection_id=connection.id,
                reason=permission_missing(nip, self.provider.id),
                credentials=credentials,
                state={name: value for name, value in state.items() if name != SEEN},
            )
        seen = {SEEN: clock.now().isoformat()} if has_it else {}
        return Works(connection_id=connection.id, credentials=credentials, state={**state, **seen})

    def _is_permitted(self, nip: str, token: str) -> bool | None:
        """Whether a company has given the provider the permission; None: KSeF does not say."""
        company = {"type": "Nip", "value": nip}
        body = {
            "queryType": "Received",
            "authorizingIdentifier": company,
            "permissionTypes": [PERMISSION],
        }
        limits = self.limits_of_provider()
        response = self._asked(limits, Group.OTHER, "POST", _GRANTS, token, body)
        grants = response.members().get("authorizationGrants") if response else None
        if not isinstance(grants, list) or response is None or response.status != 200:
            return None
        return any(_is_of(each, nip) for each in grants)


def permission_missing(nip: str, provider: str) -> str:
    """The next step of the company."""
    return (
        f"The company {nip} has not given the permission {PERMISSION} to the provider of Peppol "
        f"services {provider}: give it in KSeF, among the permissions of entities."
    )


def _is_of(grant: object, nip: str) -> bool:
    """Whether a permission that was received is the one to issue PEF, of this company."""
    values = grant if isinstance(grant, dict) else {}
    company = values.get("authorizingEntityIdentifier")
    number = company.get("value") if isinstance(company, dict) else None
    return values.get("authorizationScope") == PERMISSION and number == nip


def _shared_secret(provider: Provider) -> str:
    """The secret of the sessions that all sellers of the provider share."""
    key = provider.identity.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return hashlib.sha256(b"sessions of PEF " + key).hexdigest()
