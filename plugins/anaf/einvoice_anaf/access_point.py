"""RO e-Factura as an access point: for all companies (`RoEfactura`), and as seen by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from einvoice.domain.delivery import Clearance, DeliveredMeans
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.connections import Connection, NotChecked, Renew, Works
from einvoice.network.mailboxes import Fetched, FetchOutcome, FetchTerms, NotFetched
from einvoice.network.messages import InvoiceAnswer, Outgoing
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
    SentDocument,
)
from einvoice_anaf import client, form, mailbox, responses, uploads
from einvoice_anaf.accounts import ACCESS, Accounts
from einvoice_anaf.calls import Calls
from einvoice_anaf.client import Api, cif_of
from einvoice_anaf.configuration import Side
from einvoice_anaf.ledger import Ledger
from einvoice_anaf.mailbox import Reading, TokenEnded
from einvoice_anaf.polling import MAX_NOTE, Polling, untrusted_series
from einvoice_anaf.quota import Budget
from einvoice_anaf.search import Search
from einvoice_anaf.submission import Submission

SCHEME: Final = "9947"  # Romanian VAT numbers


@dataclass(frozen=True, slots=True)
class Timing:
    """How long the authority is waited for.

    first_poll  time from the upload to the first query of its state
    search      how long an upload without an answer is searched for before it is repeated
    margin      how far the end of a list stays behind our clock; ANAF refuses one in the future
    """

    first_poll: timedelta = timedelta(seconds=5)
    search: timedelta = timedelta(minutes=15)
    margin: timedelta = timedelta(seconds=30)


_TIMINGS: Final = {
    Environment.LIVE: Timing(),
    # Documents of the sandbox are repeated for two minutes only.
    Environment.TEST: Timing(search=timedelta(seconds=60)),
}


class _RoEfactura(AccessPointBase):
    network = form.NETWORK
    capabilities = Capabilities(
        has_status=True,
        concurrency=8,
        timeout=client.TIMEOUT_SECONDS,
        max_bytes=client.MAX_BYTES,
        needs_lookup=False,
        reaches_without_id=True,
        delivered_means=DeliveredMeans.PLATFORM,
        clearance=Clearance.MARKED,
    )

    def __init__(self, side: Side, store: PluginStore, timing: Timing | None = None) -> None:
        self.name, self.environment = side.name, side.environment
        self.side, self.store = side, store
        self.own_address = OwnAddress(store, side.name)
        self.timing = timing or _TIMINGS[side.environment]

    def serves(self, participant: ParticipantId) -> bool:
        return participant.scheme == SCHEME

    def lookup(self, participant: ParticipantId) -> NotRegistered:
        return NotRegistered()  # not called: there is no directory


class RoEfactura(_RoEfactura, Accounts):
    """The access point of the plugin: accounts of companies, mailboxes, responses to invoices."""

    def __init__(self, side: Side, store: PluginStore, timing: Timing | None = None) -> None:
        super().__init__(side, store, timing)
        self.budget = Budget(store, side.name)
        self.api = Api(side, self.budget, self.own_address)
        Accounts.__init__(self, side, self.api, self.own_address)

    def bound(self, connection: Connection, renew: Renew) -> BoundRoEfactura:
        return BoundRoEfactura(self, connection, renew)

    def fetch_terms(self) -> FetchTerms:
        return FetchTerms(at_least=timedelta(seconds=2), kept=mailbox.KEPT)

    def fetch(self, connection: Connection, cursor: str | None) -> FetchOutcome:
        """The next received documents. No check runs beside it, so it may renew the tokens."""
        try:
            return self._read(connection, cursor)
        except TokenEnded:
            checked = self.check(connection)
        if not isinstance(checked, Works):
            return NotFetched(checked.reason) if isinstance(checked, NotChecked) else checked
        tokens = checked.credentials
        renewed = replace(connection, credentials=tokens or connection.credentials)
        try:
            found = self._read(renewed, cursor)
        except TokenEnded:
            found = NotFetched("The gateway of ANAF refuses the new token.", retry_after=600.0)
        return replace(found, credentials=tokens)

    def _read(self, connection: Connection, cursor: str | None) -> Fetched | NotFetched:
        token, account = connection.credentials.get(ACCESS, ""), connection.account
        margin = self.timing.margin
        return Reading(self.api, self.side, token, account, margin, self._note).fetched(cursor)

    def _note(self, words: str) -> None:
        """Note a received file for the doctor."""
        self.store.append(untrusted_series(self.name), words[:MAX_NOTE])

    def takes_responses(self, receiver: ParticipantId) -> bool:
        return self.serves(receiver)

    def response_message(self, answer: InvoiceAnswer) -> Outgoing:
        """The response as a message to the seller, which has no effect by law."""
        return responses.message_of(answer)


class BoundRoEfactura(_RoEfactura):
    """Sends the documents of one company."""

    def __init__(self, offered: RoEfactura, connection: Connection, renew: Renew) -> None:
        super().__init__(offered.side, offered.store, offered.timing)
        cif = cif_of(connection.account)
        calls = Calls(offered.api, connection, renew)
        ledger = Ledger(offered.store, offered.name, cif)
        self._submission = Submission(calls, ledger, cif, self.timing.first_poll)
        self._polling = Polling(calls, offered.side, offered.store)
        self._search = Search(calls, ledger, cif, self.timing.search)

    def prepare(self, envelope: Envelope) -> Prepared | Rejected:  # type: ignore[override]
        """Choose the call and its parameters from the document, which is sent unchanged."""
        if envelope.document_type == uploads.MESSAGE:
            upload: uploads.Upload | None = uploads.BUYER_MESSAGE
        else:
            upload = uploads.chosen(envelope.document, envelope.receiver)
        if upload is None:
            return Rejected("not-ubl", "It is neither an invoice nor a credit note in UBL.")
        return replace(super().prepare(envelope), state=upload.as_state())

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        return self._submission.outcome(envelope, prepared)

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        return self._polling.outcome(envelope, pending)

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        return self._search.found(envelope, prepared)

    def sent_since(self, moment: datetime) -> Iterable[SentDocument]:
        return self._search.sent_since(moment)
