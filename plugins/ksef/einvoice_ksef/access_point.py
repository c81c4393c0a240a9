"""KSeF as an access point: for all taxpayers (`Ksef`), and as seen by one (`BoundKsef`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from einvoice.domain.delivery import Clearance, DeliveredMeans
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import reasons
from einvoice.network.connections import Connection, NeedsPerson, Renew
from einvoice.network.mailboxes import FetchOutcome, FetchTerms, Known, nothing_known
from einvoice.network.own_address import OwnAddress
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    Envelope,
    Found,
    NotRegistered,
    Outcome,
    Pending,
    Prepared,
    Rejected,
)
from einvoice_ksef import client, mailbox
from einvoice_ksef.accounts import Accounts
from einvoice_ksef.calls import Calls, Failed, without_right
from einvoice_ksef.client import Api, nip_of
from einvoice_ksef.configuration import Side
from einvoice_ksef.fa3.again import written_again
from einvoice_ksef.fa3.form import NETWORK, SYNTAX
from einvoice_ksef.fa3.rules import wrong_numbers
from einvoice_ksef.forms import FA, form_of
from einvoice_ksef.issuing import CORRECTS, Issuing, prepared_state
from einvoice_ksef.keys import Keys
from einvoice_ksef.limits import LimitsOf
from einvoice_ksef.mailbox import Reading, Renewal
from einvoice_ksef.mailbox_faults import MailboxFaults
from einvoice_ksef.offline import CERTIFICATE
from einvoice_ksef.packages import Packages
from einvoice_ksef.polling import Polling
from einvoice_ksef.refusals import Refusals
from einvoice_ksef.search import Search
from einvoice_ksef.sends import Sends
from einvoice_ksef.session_receipts import SessionReceipts
from einvoice_ksef.sessions import Sessions
from einvoice_ksef.submission import Submission, as_prepared
from einvoice_ksef.warnings import Warnings
from einvoice_ksef.xades import Context

SCHEME: Final = "9945"  # Polish VAT numbers
_TIMEOUT_SECONDS: Final = 115.0
_AT_ONCE: Final = 100  # documents of a job
# How long an invoice may be missing in the list of its session. Documents of the sandbox are
# repeated for two minutes only.
_PATIENCE: Final = {
    Environment.LIVE: timedelta(minutes=5),
    Environment.TEST: timedelta(seconds=30),
}


class KsefBase(AccessPointBase):
    """The common part of an access point and its view by one account."""

    network = NETWORK
    capabilities = Capabilities(
        has_status=True,
        concurrency=8,
        bulk=_AT_ONCE,
        poll_bulk=_AT_ONCE,
        timeout=_TIMEOUT_SECONDS,
        formats=(SYNTAX,),
        max_bytes=client.MAX_BYTES,
        needs_lookup=False,
        reaches_without_id=True,
        delivered_means=DeliveredMeans.PLATFORM,
        clearance=Clearance.MARKED,
    )

    def __init__(self, side: Side, store: PluginStore, patience: timedelta | None = None) -> None:
        self.name, self.environment = self.name_at(side), side.environment
        self.side, self.store = side, store
        self.own_address = OwnAddress(store, side.name)
        self.patience = _PATIENCE[side.environment] if patience is None else patience

    @staticmethod
    def name_at(side: Side) -> str:
        """The name of the access point at an environment."""
        return side.name

    def serves(self, participant: ParticipantId) -> bool:
        return participant.scheme == SCHEME

    def lookup(self, participant: ParticipantId) -> NotRegistered:
        return NotRegistered()  # not called: there is no directory

    def batch_key(self, envelope: Envelope) -> str | None:
        """Documents of one form (formCode) go into one session or package."""
        form = form_of(envelope.document)
        return None if form is None else form.system_code


class Offered(KsefBase):
    """An access point as the plugin offers it."""

    def __init__(self, side: Side, store: PluginStore, patience: timedelta | None = None) -> None:
        super().__init__(side, store, patience)
        self.api = Api(side, Warnings(store, side.name), self.own_address)
        self.keys = Keys(self.api, store, side.name)

    def limits_of(self, connection: Connection) -> LimitsOf:
        """The limits of the calls of a connection."""
        return LimitsOf(self.store, self.side.name, nip_of(connection.account))

    def refusals_of(self, connection: Connection) -> Refusals | None:
        """Where the rights are noted that its account lacks."""
        return Refusals(self.store, self.side.name, connection.id)

    def sessions_of(self, connection: Connection) -> str:
        """The name of the sessions that its documents are sent in.

        Tenants with the same NIP have sessions of their own: the keys are their own.
        """
        return f"session-{self.name}-{connection.id}"


class Ksef(Offered, Accounts):
    """The access point of the plugin: accounts of taxpayers, and their mailboxes."""

    def __init__(self, side: Side, store: PluginStore, patience: timedelta | None = None) -> None:
        super().__init__(side, store, patience)
        Accounts.__init__(self, side, store, self.api, self.keys)

    def bound(self, connection: Connection, renew: Renew) -> BoundKsef:
        return BoundKsef(self, connection, renew)

    def fetch_terms(self) -> FetchTerms:
        return mailbox.TERMS

    def fetch(self, connection: Connection, cursor: str | None) -> FetchOutcome:
        return self.fetch_new(connection, cursor, nothing_known)

    def fetch_new(self, connection: Connection, cursor: str | None, known: Known) -> FetchOutcome:
        """The next received invoices. No check runs beside it, so it may renew the tokens."""
        renewal = Renewal(self.check)
        nip = nip_of(connection.account)
        limits = LimitsOf(self.store, self.name, nip)
        calls = Calls(self.api, limits, connection, renewal, self.refusals_of(connection))
        roles = mailbox.roles_of(third_party=self.side.third_party)
        faults = MailboxFaults(self.store, self.name, nip)
        reading = Reading(calls, self.keys, nip, faults, known)
        try:
            found: FetchOutcome = reading.fetched(cursor, roles)
        except Failed as failed:
            words = without_right(failed.fault)
            found = NeedsPerson(connection_id=connection.id, reason=words)
        return renewal.stored(found)


class BoundKsef(KsefBase):
    """Sends the documents of one taxpayer."""

    calls_class: type[Calls] = Calls
    submission_class: type[Submission] = Submission
    polling_class: type[Polling] = Polling
    has_own_sessions = True  # none has invoices of another connection

    def __init__(self, offered: Offered, connection: Connection, renew: Renew) -> None:
        super().__init__(offered.side, offered.store, offered.patience)
        name, store, nip = offered.name, offered.store, nip_of(connection.account)
        limits, refusals = offered.limits_of(connection), offered.refusals_of(connection)
        calls = self.calls_class(offered.api, limits, connection, renew, refusals)
        sends = Sends(store, name, nip)
        sessions = Sessions(calls, offered.keys, store, offered.sessions_of(connection))
        packages = Packages(calls, offered.keys, sends)
        live = offered.environment is Environment.LIVE  # others are to fail soon, to be seen
        issuing = Issuing(store, name, nip, patient=live)
        self._connection, self._issuing = connection, issuing
        self._submission = self.submission_class(calls, sessions, packages, sends, issuing)
        wanted = offered.side.session_upo and self.has_own_sessions
        prefix = f"upo-{name}-{connection.id}"
        session_receipts = SessionReceipts(calls, store, prefix, wanted=wanted)
        self._polling = self.polling_class(calls, self._submission, issuing, session_receipts)
        self._search = Search(calls, sends, issuing, self.patience)

    def prepare(self, envelope: Envelope) -> Prepared | Rejected:  # type: ignore[override]
        """The document is sent unchanged, encrypted for the session; its digest identifies it.

        One that was issued offline and refused is written again: if the result differs, it is sent
        as technical correction. So is one that was issued offline under a number that was used, and
        comes again with another one.
        """
        if form_of(envelope.document) is not FA:
            return Rejected("not-fa", "It is not an FA(3).")
        if self.environment is Environment.LIVE:
            wrong = wrong_numbers(envelope.document)
            if wrong:
                words = f"The check digit of a NIP is wrong: {', '.join(wrong)}."
                return Rejected("nip", words, reason_code=reasons.DOCUMENT_REFUSED.code)
        made = super().prepare(envelope)
        corrects, content = self._correction(envelope)
        context = Context.NIP, nip_of(self._connection.account)
        given = self._connection.credentials
        state = prepared_state(content or envelope.document, context, self.name, given)
        if corrects:
            state[CORRECTS] = corrects
        return replace(made, content=content, state=state)

    def _correction(self, envelope: Envelope) -> tuple[str | None, bytes | None]:
        """The digest of the refused invoice, and the document of its technical correction.

        The document is None where it is that of the envelope, with a number that is free.
        """
        if not self._connection.credentials.get(CERTIFICATE):
            return None, None
        renumbered = self._issuing.renumbered(envelope)
        if renumbered is not None or envelope.source is None:
            return renumbered, None
        refused = self._issuing.refused_before(envelope)
        if refused is None:
            return None, None
        document = written_again(envelope.source, envelope.document)
        if document is None or document == envelope.document:
            return None, None
        return refused, document

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        [[(_, outcome)]] = self._submission.submitted([(envelope, prepared)])
        return outcome

    def submit_as_completed(
        self, batch: Sequence[tuple[Envelope, Prepared]]
    ) -> Iterator[Sequence[tuple[int, Outcome]]]:
        return self._submission.submitted(batch)

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        return self._polling.outcomes([(envelope, pending)])[0]

    def poll_many(self, batch: Sequence[tuple[Envelope, Pending]]) -> Sequence[Outcome]:
        return self._polling.outcomes(batch)

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        return self._search.found(as_prepared(envelope, prepared), prepared)
