"""The simulated access point.

It is stateless, because web and worker processes share no memory and any of them may end. Its
outcomes depend on the envelope, the stored state and the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.domain.delivery import DeliveredMeans
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.messages import InvoiceAnswer, Outgoing
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    Delivered,
    Envelope,
    Found,
    Inbound,
    InboundVerdict,
    ListedParticipant,
    NeverSeen,
    NotRegistered,
    NotSent,
    Outcome,
    Pending,
    Prepared,
    Registration,
    Repeat,
    Unknown,
)
from einvoice_loopback.directory import Directory
from einvoice_loopback.evidence import (
    arrival_receipt,
    authority_receipt,
    delivery_receipt,
    message_id,
)
from einvoice_loopback.follow_ups import STATE_KEY, follow_up_outcome, promised
from einvoice_loopback.participants import NO_RESPONSES, RESERVED, Behaviour, behaviour_of
from einvoice_loopback.responses import response_message

_TIMES = ("since", "due", "delivered")  # in states
DeliverInbound = Callable[[Inbound], InboundVerdict]


class Simulator(AccessPointBase):
    """Simulates a network for the sandbox (decisions 14). Implements AccessPoint,
    Advanceable, SimulatesTime, SimulatesArrivals, SearchesParticipants and RespondsToInvoices.

    `deliver_inbound` takes the invoice that 0088:9520000000127 sends back; without it that
    participant behaves as an ordinary one.
    """

    name = "simulator"
    network = "simulator"
    environment = Environment.TEST
    capabilities = Capabilities(
        has_status=True,
        repeat=Repeat.IDEMPOTENT,
        concurrency=8,
        bulk=100,
        timeout=5.0,
        formats=("ubl", "cii"),
        reserved=RESERVED,
    )

    def __init__(self, directory: Directory, deliver_inbound: DeliverInbound | None = None) -> None:
        self._directory = directory
        self._deliver_inbound = deliver_inbound

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        return self._directory.lookup(participant)

    def search_participants(
        self, name: str, country: str | None, limit: int
    ) -> Iterator[ListedParticipant]:
        return self._directory.search(name, country, limit)

    def takes_responses(self, receiver: ParticipantId) -> bool:
        """Whether the simulated directory has the participant for invoices."""
        return behaviour_of(receiver).directory not in NO_RESPONSES

    def response_message(self, answer: InvoiceAnswer) -> Outgoing:
        return response_message(answer)

    def prepare(self, envelope: Envelope) -> Prepared:
        behaviour = behaviour_of(envelope.named_receiver)
        if behaviour.responds and behaviour.connects:
            return Prepared(message_id(envelope))
        return Prepared(message_id(envelope), state={"since": clock.timestamp(clock.now())})

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        return _submit(envelope, prepared, clock.now())

    def submit_many(self, batch: Sequence[tuple[Envelope, Prepared]]) -> Sequence[Outcome]:
        now = clock.now()
        return [_submit(envelope, prepared, now) for envelope, prepared in batch]

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        """A Pending without `due` stays as it is until it is advanced."""
        due = _moment(pending, "due")
        if due is None or clock.now() < due:
            return pending
        if STATE_KEY in pending.state:
            return follow_up_outcome(envelope, pending, due, self._deliver_inbound)
        behaviour = behaviour_of(envelope.named_receiver)
        return behaviour.final_refusal or self._delivered(envelope, behaviour, due)

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        """Stateless, so the outcome is that of a submit at this moment."""
        outcome = _submit(envelope, prepared, clock.now())
        return NeverSeen() if isinstance(outcome, NotSent) else outcome

    def advance(self, envelope: Envelope, pending: Pending) -> Pending:
        """Make the next step due now."""
        now = clock.now()
        state = {**pending.state, "due": clock.timestamp(now)}
        return replace(pending, next_poll_at=now, state=state)

    def earlier(self, state: Mapping[str, str], by: timedelta) -> Mapping[str, str]:
        return {
            name: clock.timestamp(datetime.fromisoformat(value) - by) if name in _TIMES else value
            for name, value in state.items()
        }

    def handed_over(self, inbound: Inbound) -> Inbound:
        receipt = arrival_receipt(inbound, clock.now())
        return replace(inbound, access_point=self.name, receipt=receipt)

    def _delivered(self, envelope: Envelope, behaviour: Behaviour, at: datetime) -> Delivered:
        follow_up = promised(
            envelope, behaviour, at, may_send_back=self._deliver_inbound is not None
        )
        kept = delivery_receipt(envelope, at)
        if behaviour.authority is None:
            return Delivered((kept,), follow_up)
        given = authority_receipt(envelope, behaviour.authority, at)
        return Delivered((kept, given), follow_up, DeliveredMeans.PLATFORM)


def _submit(envelope: Envelope, prepared: Prepared, now: datetime) -> Outcome:
    behaviour = behaviour_of(envelope.named_receiver)
    if behaviour.immediate_refusal is not None:
        return behaviour.immediate_refusal
    if behaviour.first_attempt is not None and envelope.attempt == 1:
        return behaviour.first_attempt
    if not (behaviour.responds and behaviour.connects):
        return _late(envelope, prepared, behaviour, now)
    return _pending(prepared, behaviour, now)


def _pending(prepared: Prepared, behaviour: Behaviour, now: datetime) -> Pending:
    if behaviour.after is None:
        return Pending(prepared.message_id)
    due = now + timedelta(seconds=behaviour.after)
    return Pending(prepared.message_id, due, state={"due": clock.timestamp(due)})


def _late(envelope: Envelope, prepared: Prepared, behaviour: Behaviour, now: datetime) -> Outcome:
    """Delivered once `after` seconds have passed since the document was prepared. Until then the
    outcome is Unknown, or NotSent without a connection.

    Sleeping instead would delay the other tenants' sends in the same worker.
    """
    since = datetime.fromisoformat(prepared.state["since"])
    known_at = since + timedelta(seconds=behaviour.after or 0.0)
    if now >= known_at:
        return Delivered((delivery_receipt(envelope, known_at),))
    wait = (known_at - now).total_seconds()
    if behaviour.connects:
        return Unknown("Simulated: the access point did not answer in time.", wait)
    return NotSent("Simulated: the access point has not answered yet.", wait, "SIM-NOT-YET")


def _moment(pending: Pending, name: str) -> datetime | None:
    text = pending.state.get(name)
    return None if text is None else datetime.fromisoformat(text)
