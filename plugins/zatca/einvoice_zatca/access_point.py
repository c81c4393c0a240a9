"""Fatoora as an access point: for all units (`Fatoora`), and as seen by one (`BoundFatoora`)."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from einvoice import clock
from einvoice.domain.delivery import Clearance, DeliveredMeans
from einvoice.domain.identifiers import ParticipantId
from einvoice.http import HttpFault
from einvoice.network.connections import Connection, Renew
from einvoice.network.facts import Fact
from einvoice.network.own_address import OwnAddress
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import (
    AccessPointBase,
    Blocked,
    Capabilities,
    ConnectionState,
    Delivered,
    Envelope,
    Found,
    NotRegistered,
    Outcome,
    Prepared,
    Rejected,
    Repeat,
    Unknown,
)
from einvoice.xml import parse
from einvoice_zatca import answers, client, riyadh, unit_facts
from einvoice_zatca.answers import SEE_OTHER, Sent
from einvoice_zatca.chain import KEY, Chain
from einvoice_zatca.client import Api, Content
from einvoice_zatca.configuration import Side
from einvoice_zatca.form import NETWORK, SYNTAX
from einvoice_zatca.identity import UnusableIdentity
from einvoice_zatca.names import CBC
from einvoice_zatca.refused_places import RefusedPlaces
from einvoice_zatca.stamp import Place, is_simplified, stamped
from einvoice_zatca.units import Units, identity_of, pass_of
from einvoice_zatca.unreported import REPORTED_WITHIN, Unreported

_IDS: Final = uuid.UUID("6f6a0f0e-3d5b-5c55-9f7c-6f3a51a6d1f4")  # of documents, by transmission
_HASH, _COUNTER = "hash", "counter"  # in the state of what was prepared
# A document has its place in the chain, so it is sent until it has an answer.
RETRY_FOR: Final = timedelta(days=30)


class _Fatoora(AccessPointBase):
    network = NETWORK
    capabilities = Capabilities(
        repeat=Repeat.IDEMPOTENT,
        concurrency=8,
        timeout=client.TIMEOUT_SECONDS,
        formats=(SYNTAX,),
        max_bytes=client.MAX_BYTES,
        needs_lookup=False,
        reaches_without_id=True,
        delivered_means=DeliveredMeans.AUTHORITY,
        clearance=Clearance.WITHHELD,
    )

    def __init__(self, side: Side, store: PluginStore) -> None:
        self.name, self.environment = side.name, side.environment
        self.side, self.store = side, store
        self.own_address = OwnAddress(store, side.name)
        self.unreported = Unreported(store, side.name)
        self.refused = RefusedPlaces(store, side.name)

    def serves(self, participant: ParticipantId) -> bool:
        return False  # no participant id is of this network: senders name it

    def lookup(self, participant: ParticipantId) -> NotRegistered:
        return NotRegistered()  # not called: there is no directory


class Fatoora(_Fatoora, Units):
    """The access point of the plugin: units, and the order of their documents."""

    def __init__(self, side: Side, store: PluginStore) -> None:
        super().__init__(side, store)
        self.api = Api(side, self.own_address)
        Units.__init__(self, side, self.api, self.refused)

    def operation_facts(self, connections: Sequence[Connection]) -> Iterator[Fact]:
        """Units, and the oldest simplified document that is not reported."""
        return unit_facts.of_all(connections, self.unreported)

    def bound(self, connection: Connection, renew: Renew) -> BoundFatoora:
        return BoundFatoora(self, connection)

    def sequence_key(self, envelope: Envelope, connection: Connection) -> str:
        """All documents of a unit are one chain."""
        return KEY


class BoundFatoora(_Fatoora):
    """Stamps and sends the documents of one unit."""

    def __init__(self, fatoora: Fatoora, connection: Connection) -> None:
        super().__init__(fatoora.side, fatoora.store)
        self._api, self._connection = fatoora.api, connection
        self.own_address = fatoora.own_address

    def prepare(self, envelope: Envelope) -> Prepared | Rejected | Blocked:  # type: ignore[override]
        """Give the document its place in the chain, and stamp it."""
        try:
            identity = identity_of(self._connection.credentials)
            chain = Chain.of(self._connection.state)
        except (UnusableIdentity, KeyError, ValueError) as fault:
            return Blocked(f"This unit cannot stamp documents: {fault}.")
        moment = _accepted(envelope)
        place = Place(
            str(uuid.uuid5(_IDS, envelope.transmission_id)),
            chain.counter + 1,
            chain.hash,
            _time_of(envelope, moment),
        )
        try:
            made = stamped(envelope.document, place, identity, moment)
        except ValueError as fault:
            return Rejected("unstamped", f"The document cannot be stamped: {fault}.")
        state = chain.after(made).in_state(self._connection.state)
        return Prepared(
            made.uuid,
            made.content,
            {_HASH: made.hash, _COUNTER: str(made.counter)},
            ConnectionState(self._connection.id, state),
        )

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        document = prepared.content or b""
        simplified = is_simplified(parse(document))
        due_by = _accepted_at(envelope) + REPORTED_WITHIN if simplified else None
        sent = Sent(document, simplified, _retry_until(envelope), due_by)
        outcome = self._sent(sent, prepared)
        if simplified:
            self._note(envelope, prepared.message_id, outcome)
        if isinstance(outcome, Rejected) and _COUNTER in prepared.state:
            self.refused.add(self._connection.id, prepared.state[_COUNTER], clock.now())
        return outcome

    def _sent(self, sent: Sent, prepared: Prepared) -> Outcome:
        document, simplified = sent.document, sent.simplified
        content = Content(prepared.message_id, prepared.state[_HASH], document)
        try:
            credentials = pass_of(self._connection.credentials)
            call = self._api.report if simplified else self._api.clear
            response = call(content, credentials)
            if response.status == SEE_OTHER and not simplified:
                response = self._api.report(content, credentials)
        except KeyError:
            return Blocked("This unit has no certificate: give an OTP.")
        except HttpFault as fault:
            return sent.unknown(str(fault)) if fault.maybe_sent else sent.not_sent(str(fault))
        return answers.outcome(response, sent)

    def _note(self, envelope: Envelope, uuid: str, outcome: Outcome) -> None:
        """Keep for operators which simplified documents wait, and since when."""
        if isinstance(outcome, Delivered | Rejected):
            if envelope.attempt > 1:
                self.unreported.remove(uuid)
        else:
            self.unreported.add(uuid, _accepted_at(envelope))

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        """Fatoora has no question for a document: the same bytes are sent again."""
        return Unknown("Fatoora cannot be asked for a document", retry_until=_retry_until(envelope))


def _accepted(envelope: Envelope) -> datetime:
    """When the document was accepted, in Saudi time: the same whenever it is prepared."""
    return riyadh.local(envelope.accepted_at or datetime.min.replace(year=2026, tzinfo=UTC))


def _time_of(envelope: Envelope, accepted: datetime) -> str:
    """The time of issue: that of the acceptance, or midnight of a document of another day."""
    issued = parse(envelope.document).findtext(f"{CBC}IssueDate")
    return accepted.strftime("%H:%M:%S") if issued == accepted.date().isoformat() else "00:00:00"


def _retry_until(envelope: Envelope) -> datetime:
    return _accepted_at(envelope) + RETRY_FOR


def _accepted_at(envelope: Envelope) -> datetime:
    return envelope.accepted_at or clock.now()
