"""PEF as an access point of its own: one login for all sellers, and no packages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

import structlog

from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.profiles import UBL
from einvoice.network import reasons
from einvoice.network.connections import Connection, Renew
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import (
    AccessPointBase,
    Envelope,
    NetworkFinding,
    NotSent,
    Outcome,
    Pending,
    Prepared,
    Rejected,
)
from einvoice.xml import NotXml
from einvoice_ksef.access_point import BoundKsef, KsefBase, Offered
from einvoice_ksef.answers import Fault, Kind
from einvoice_ksef.calls import MAX_DELAY_SECONDS, Calls, Failed, Refused
from einvoice_ksef.client import nip_of
from einvoice_ksef.configuration import Provider, Side
from einvoice_ksef.forms import PEF, PEF_KOR, form_of
from einvoice_ksef.limits import LimitsOf
from einvoice_ksef.pef import form
from einvoice_ksef.pef.accounts import Sellers, permission_missing
from einvoice_ksef.pef.seller import numbers_of
from einvoice_ksef.polling import NO_SCOPE, Polling
from einvoice_ksef.submission import Submission
from einvoice_ksef.tokens import SECRET

log = structlog.get_logger()

_AT_ONCE: Final = 30  # documents of a job: a minute of the limit of KSeF


class _Pef(KsefBase):
    network = form.NETWORK
    capabilities = replace(KsefBase.capabilities, formats=(UBL,), bulk=_AT_ONCE, named_only=True)

    @staticmethod
    def name_at(side: Side) -> str:
        return form.access_point(side.name)

    def serves(self, participant: ParticipantId) -> bool:
        """The buyer reads the invoice in KSeF by its NIP, whatever its participant id."""
        return True


class KsefPef(_Pef, Offered, Sellers):
    """The access point of the plugin where the operator is a provider of Peppol services."""

    def __init__(
        self,
        side: Side,
        provider: Provider,
        store: PluginStore,
        patience: timedelta | None = None,
    ) -> None:
        Offered.__init__(self, side, store, patience)
        Sellers.__init__(self, side, provider, store, self.api, self.keys)

    def limits_of(self, connection: Connection) -> LimitsOf:
        return self.limits_of_provider()

    def refusals_of(self, connection: Connection) -> None:
        """None: the account is the operator's, whose rights no tenant can give."""

    def sessions_of(self, connection: Connection) -> str:
        """Those of the provider. Their keys are derived from its secret, so another one, as after
        a change of the certificate, has sessions of its own."""
        secret = connection.credentials.get(SECRET, "")
        return f"session-{self.name}-{hashlib.sha256(secret.encode()).hexdigest()[:16]}"

    def bound(self, connection: Connection, renew: Renew) -> BoundPef:
        return BoundPef(self, connection, renew)


class _OfProvider(Calls):
    """Calls by the account of the provider: a tenant can do nothing about what it lacks."""

    def refused(self, fault: Fault) -> Failed | Refused:
        if fault.kind is not Kind.CONNECTION:
            return super().refused(fault)
        log.error("KSeF refuses the provider of Peppol services", reason=fault.text)
        words = f"KSeF refuses the provider of Peppol services: {fault.text}"
        return Refused(NotSent(words, retry_after=MAX_DELAY_SECONDS))


class _Singly(Submission):
    """Sends documents one by one: KSeF takes no packages of PEF."""

    def _distance(self, count: int) -> float:
        return MAX_DELAY_SECONDS


class _InOwnSessions(Polling):
    """Reads invoices in the sessions of the provider only, which has no right to read others."""

    def _is_same(self, number: str, session: str, digest: str) -> bool | None:
        """An invoice of another session was not sent from here, so it is a different one."""
        try:
            rows = [row for row in self._inquiry.invoices(session) if row.number == number]
        except Failed as failed:
            return False if failed.fault.kind is Kind.SESSION else None
        return rows[0].digest == digest if rows else None


class BoundPef(_Pef, BoundKsef):
    """Sends the PEF of one company."""

    calls_class = _OfProvider
    submission_class = _Singly
    polling_class = _InOwnSessions
    has_own_sessions = False  # they are the provider's, with documents of other companies

    def __init__(self, offered: KsefPef, connection: Connection, renew: Renew) -> None:
        super().__init__(offered, connection, renew)
        self._company, self._provider = nip_of(connection.account), offered.provider.id

    def prepare(self, envelope: Envelope) -> Prepared | Rejected:  # type: ignore[override]
        """The document is sent unchanged. Its seller has to be the company of the connection: the
        provider may send for others too, so KSeF would not refuse it."""
        if form_of(envelope.document) not in (PEF, PEF_KOR):
            return _refused("not-pef", "It is neither an invoice nor a credit note in UBL.")
        try:
            sellers = numbers_of(envelope.document)
        except NotXml as fault:
            return _refused("not-pef", f"It is not well-formed: {fault}")
        if sellers != {self._company}:
            named = ", ".join(sorted(sellers)) or "none"
            words = f"The connection is of the seller {self._company}; the document names {named}."
            return Rejected("seller", words, reason_code=reasons.SENDER_REFUSED.code)
        return AccessPointBase.prepare(self, envelope)

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        return self._explained(super().poll(envelope, pending))

    def poll_many(self, batch: Sequence[tuple[Envelope, Pending]]) -> Sequence[Outcome]:
        return [self._explained(each) for each in super().poll_many(batch)]

    def _explained(self, outcome: Outcome) -> Outcome:
        """A refusal because the permission is missing says what the company has to do."""
        if not isinstance(outcome, Rejected) or outcome.code != str(NO_SCOPE):
            return outcome
        words = permission_missing(self._company, self._provider)
        finding = NetworkFinding(outcome.reason, advice=words)
        return replace(outcome, reason=words, findings=(finding, *outcome.findings))


def _refused(code: str, words: str) -> Rejected:
    return Rejected(code, words, reason_code=reasons.DOCUMENT_REFUSED.code)
