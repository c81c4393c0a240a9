"""Approved platforms as an access point: for all companies (`FrCtc`), and as seen by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from einvoice.domain.delivery import DeliveredMeans
from einvoice.domain.identifiers import PDF_INVOICE, ParticipantId
from einvoice.http import HttpFault
from einvoice.network.connections import (
    CheckOutcome,
    Connection,
    ConnectionForm,
    NeedsPerson,
    Renew,
)
from einvoice.network.facts import Fact
from einvoice.network.mailboxes import Fetched, FetchOutcome, FetchTerms, NotFetched
from einvoice.network.messages import InvoiceAnswer, Outgoing, PaymentNotice
from einvoice.network.period_reports import PeriodContent, PeriodReport, ReportPeriod
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import (
    AccessPointBase,
    Blocked,
    Capabilities,
    Envelope,
    Found,
    ListedParticipant,
    NotRegistered,
    NotSent,
    Outcome,
    Pending,
    Prepared,
    Registration,
)
from einvoice.rules.br_fr import EXTENDED
from einvoice_fr_ctc import client, companies, flows, form, operation, payments, responses
from einvoice_fr_ctc.accounts import Accounts, NoToken
from einvoice_fr_ctc.calls import Calls, Refused
from einvoice_fr_ctc.client import Api
from einvoice_fr_ctc.configuration import Side
from einvoice_fr_ctc.directory import Directory
from einvoice_fr_ctc.hooks import Hooks
from einvoice_fr_ctc.mailbox import Reading
from einvoice_fr_ctc.names import NETWORK
from einvoice_fr_ctc.reporting.periods import gap_of, periods_of
from einvoice_fr_ctc.reporting.report import report_of
from einvoice_fr_ctc.submission import Submission, Timing

_FORMS: Final = (form.INVOICE, form.CREDIT_NOTE, form.CROSS_INDUSTRY)
TYPES: Final = (*_FORMS, PDF_INVOICE, *(each.customized(EXTENDED) for each in _FORMS))
KEPT: Final = timedelta(days=60)
# The service spreads fetches by a twentieth; no search comes earlier than the setting says.
LEAST_OF_INTERVAL: Final = 0.95


class _FrCtc(AccessPointBase):
    """The common part of both."""

    network = NETWORK

    def __init__(self, side: Side, store: PluginStore, timing: Timing) -> None:
        self.name, self.environment = side.name, side.environment
        self.side, self.store, self.timing = side, store, timing
        self.capabilities = Capabilities(
            has_status=True,
            concurrency=8,
            timeout=client.TIMEOUT_SECONDS,
            formats=("ubl", "cii", "hybrid"),
            max_bytes=client.MAX_BYTES,
            needs_lookup=side.directory is not None,
            delivered_means=DeliveredMeans.PLATFORM,
        )
        self._directory = (
            Directory(side.directory, side.operators_policy) if side.directory else None
        )

    def serves(self, participant: ParticipantId) -> bool:
        return companies.siren_in(participant) is not None

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        """Raises DirectoryUnavailable."""
        if self._directory is None:
            return NotRegistered()
        return self._directory.lookup(participant, TYPES)


class FrCtc(_FrCtc):
    """The capabilities of the plugin: accounts, the directory, mailboxes, responses, e-reports."""

    reporting_country = "FR"

    def __init__(self, side: Side, store: PluginStore, timing: Timing | None = None) -> None:
        super().__init__(side, store, timing or Timing())
        self.api = Api(side.policy)
        self.hooks = Hooks(store, side.name)
        self._accounts = Accounts(side, self.api, self.hooks)

    def describe(self) -> ConnectionForm:
        return self._accounts.describe()

    def open(self, connection: Connection) -> CheckOutcome:
        return self._accounts.open(connection)

    def check(self, connection: Connection) -> CheckOutcome:
        return self._accounts.check(connection)

    def leave(self, connection: Connection) -> None:
        self._accounts.leave(connection)

    def connection_facts(self, connection: Connection) -> Iterable[Fact]:
        return operation.of_connection(connection)

    def operation_facts(self, connections: Sequence[Connection]) -> Iterable[Fact]:
        return operation.of_all(connections)

    def bound(self, connection: Connection, renew: Renew) -> BoundFrCtc:
        return BoundFrCtc(self, connection, renew)

    def search_participants(
        self, name: str, country: str | None, limit: int
    ) -> Iterable[ListedParticipant]:
        """Raises DirectoryUnavailable."""
        return self._directory.search(name, country, limit) if self._directory else ()

    # -- mailboxes ---------------------------------------------------------------------------------

    def fetch_terms(self) -> FetchTerms:
        every = timedelta(seconds=self.side.poll_seconds) / LEAST_OF_INTERVAL
        return FetchTerms(every=every, at_least=timedelta(seconds=1), kept=KEPT)

    def fetch(self, connection: Connection, cursor: str | None) -> FetchOutcome:
        """The next flows. No check runs beside it, so it may renew the token itself."""
        calls = Calls(self.api, connection, self._renewed)
        before = self.hooks.called_at(connection.id)
        try:
            found = Reading(calls, self.side).fetched(cursor)
        except Refused as refused:
            return _not_fetched(connection, refused, calls)
        if isinstance(found, Fetched) and self.hooks.called_at(connection.id) != before:
            found = replace(found, more=True)
        return replace(found, credentials=calls.connection.credentials) if calls.renewed else found

    def forget(self, connection_id: str) -> None:
        self.hooks.forget(connection_id)

    def _renewed(self, connection: Connection) -> Connection | Blocked | NotSent:
        try:
            return self._accounts.renewed(connection)
        except NoToken as fault:
            return Blocked(str(fault)) if fault.refused else NotSent(str(fault))
        except HttpFault as fault:
            return NotSent(f"The token endpoint does not answer: {fault}")

    # -- responses and payments --------------------------------------------------------------------

    def takes_responses(self, receiver: ParticipantId) -> bool:
        return self.serves(receiver)

    def response_message(self, answer: InvoiceAnswer) -> Outgoing:
        """The response as a status of the life cycle. Raises ValueError."""
        return responses.message_of(answer)

    def payment_message(self, notice: PaymentNotice) -> Outgoing:
        """A payment of a sale as the status 212. Raises ValueError."""
        return payments.message_of(notice)

    # -- e-reporting -------------------------------------------------------------------------------

    def report_periods(
        self, connection: Connection, since: date, today: date
    ) -> Iterable[ReportPeriod]:
        return periods_of(connection, since, today)

    def period_report(self, content: PeriodContent) -> PeriodReport:
        return report_of(content)

    def reporting_gap(self, connection: Connection, today: date) -> str | None:
        return gap_of(connection, today)


class BoundFrCtc(_FrCtc):
    """Sends the documents of one company."""

    def __init__(self, offered: FrCtc, connection: Connection, renew: Renew) -> None:
        super().__init__(offered.side, offered.store, offered.timing)
        self._submission = Submission(Calls(offered.api, connection, renew), offered.timing)

    def prepare(self, envelope: Envelope) -> Prepared:
        """The document unchanged, with the processing rule that it says."""
        return replace(super().prepare(envelope), state={"rule": flows.rule_of(envelope)})

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        return self._submission.submitted(envelope, prepared)

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        return self._submission.polled(envelope, pending)

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        return self._submission.found(envelope, prepared)


def _not_fetched(connection: Connection, refused: Refused, calls: Calls) -> FetchOutcome:
    credentials = calls.connection.credentials if calls.renewed else None
    outcome = refused.outcome
    if isinstance(outcome, Blocked):
        return NeedsPerson(
            connection_id=connection.id, reason=outcome.reason, credentials=credentials
        )
    return NotFetched(outcome.reason, outcome.retry_after, credentials)
