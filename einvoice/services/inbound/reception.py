"""Receiving documents: find the owner, read, validate and store them; then acknowledge.

A network repeats a message until it is acknowledged, so this may run twice, concurrently, or stop
at any line. One transaction writes the document, its receipt, the event and its deliveries; the
unique message id decides which of several calls was the first. A document that cannot be read is
stored too: the network does not send it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.network.messages import FollowsDocuments, Outgoing
from einvoice.network.registry import AccessPoints
from einvoice.network.types import (
    Busy,
    Delivered,
    Duplicate,
    Evidence,
    Inbound,
    InboundVerdict,
    InvoiceReference,
    NotServiced,
    Pending,
    PushVerdict,
    Rejected,
    Stored,
)
from einvoice.observability import logging, metrics
from einvoice.services.account import tenants
from einvoice.services.caches import Caches
from einvoice.services.computing.pool import Computing
from einvoice.services.delivery import messages, pushing
from einvoice.services.delivery.settlement import NO_CAPABILITIES
from einvoice.services.forms import Forms
from einvoice.services.inbound import storing
from einvoice.services.inbound.storing import Arrival
from einvoice.store import db, received
from einvoice.store.received import MessageKey
from einvoice.xml import MAX_RECEIVED_BYTES

log = logging.get(__name__)

# The accepted document types, by the part before `##`: any customization.
_ACCEPTED_TYPES = (
    "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice",
    "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2::CreditNote",
    "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100::CrossIndustryInvoice",
)


_NO_DATABASE = (OperationalError, InterfaceError, NoConnection)

Context = Callable[[], AbstractContextManager[object]]


@dataclass(frozen=True, slots=True)
class Reception:
    """The inbox of plugins (network/types.Inbox), for any thread, with or without a context.

    context     opens an application context
    to_compute  opens another one for the processing of a document, so that the web can limit
                concurrency
    points      the access points, which are loaded after the inbox was made
    """

    context: Context = field(repr=False)
    caches: Caches = field(repr=False)
    computing: Computing = field(repr=False)
    forms: Forms = field(repr=False)
    to_compute: Context | None = field(default=None, repr=False)
    points: Callable[[], AccessPoints] | None = field(default=None, repr=False)

    def deliver_inbound(self, inbound: Inbound) -> InboundVerdict:
        with (self.to_compute or self.context)():
            followed = self._follows(inbound.access_point)
            return receive(inbound, self.caches, self.computing, self.forms, followed=followed)

    def _follows(self, access_point: str) -> bool:
        """Whether the access point is called with what becomes of its documents."""
        points = self.points() if self.points else ()
        return any(p.name == access_point and isinstance(p, FollowsDocuments) for p in points)

    def queue_message(self, access_point: str, message: Outgoing) -> str:
        with self.context():
            return messages.queue(access_point, message)

    def settle(
        self, access_point: str, reference: str, outcome: Delivered | Rejected | Pending
    ) -> PushVerdict:
        with self.context():
            can = self.points().capabilities_of(access_point) if self.points else NO_CAPABILITIES
            return _or_busy(lambda: pushing.settle(access_point, reference, outcome, can))

    def deliver_evidence(
        self, access_point: str, reference: str | InvoiceReference, evidence: Sequence[Evidence]
    ) -> PushVerdict:
        with self.context():
            if isinstance(reference, InvoiceReference):
                return _or_busy(lambda: self._evidence_of(access_point, reference, evidence))
            return _or_busy(lambda: _deliver_evidence(access_point, reference, evidence))

    def _evidence_of(
        self, access_point: str, reference: InvoiceReference, evidence: Sequence[Evidence]
    ) -> PushVerdict:
        owner = tenants.owner_of(reference.environment, reference.sender, self.caches)
        if owner is None:
            return NotServiced(f"no tenant owns {reference.sender} in {reference.environment}")
        return pushing.deliver_evidence_of_invoice(access_point, owner, reference, evidence)

    def serves(
        self,
        environment: Environment,
        participant: ParticipantId,
        document_type: DocumentTypeId,
        process: ProcessId,
    ) -> bool:
        with self.context():
            owner = tenants.owner_of(environment, participant, self.caches)
            return owner is not None and accepts_type(document_type, self.forms)


def _deliver_evidence(
    access_point: str, reference: str, evidence: Sequence[Evidence]
) -> PushVerdict:
    """Keep evidence of a transmission, else of a message with this instance id."""
    verdict = pushing.deliver_evidence(access_point, reference, evidence)
    if not isinstance(verdict, NotServiced):
        return verdict
    return messages.deliver_evidence(access_point, reference, evidence) or verdict


def _or_busy(push: Callable[[], PushVerdict]) -> PushVerdict:
    try:
        return push()
    except _NO_DATABASE as fault:
        log.warning("a push waits for the database", fault=type(fault).__name__)
        return Busy()


def accepts_type(document_type: DocumentTypeId, forms: Forms) -> bool:
    """Whether it is an invoice or credit note in UBL or CII, of any customization and process, or a
    document of an installed profile."""
    known = document_type.value.partition("##")[0] in _ACCEPTED_TYPES
    return known or forms.of_type(document_type) is not None


def receive(
    inbound: Inbound,
    caches: Caches,
    computing: Computing,
    forms: Forms,
    *,
    followed: bool = False,
) -> InboundVerdict:
    """Store an arrived document, once. Returns Busy if the database is not available.

    followed  its access point is called with what becomes of it
    """
    try:
        verdict = _receive(inbound, caches, computing, forms, followed=followed)
    except _NO_DATABASE as fault:
        log.warning("inbound waits for the database", fault=type(fault).__name__)
        verdict = Busy()
    metrics.document_arrived(inbound.access_point, type(verdict).__name__)
    if isinstance(verdict, NotServiced):
        log.warning(
            "inbound not serviced", access_point=inbound.access_point, reason=verdict.reason
        )
    return verdict


def _receive(
    inbound: Inbound, caches: Caches, computing: Computing, forms: Forms, *, followed: bool
) -> InboundVerdict:
    if not accepts_type(inbound.document_type, forms):
        return NotServiced(f"documents of the type {inbound.document_type} are not accepted")
    if len(inbound.document) > MAX_RECEIVED_BYTES:
        return NotServiced(f"documents of more than {MAX_RECEIVED_BYTES:,} bytes are not accepted")
    tenant_id = _owner(inbound, caches)
    if tenant_id is None:
        return NotServiced(f"no tenant owns {inbound.receiver} in {inbound.environment}")
    arrival = _arrival(inbound, tenant_id, followed=followed)
    return _repeated(arrival) or _store(arrival, computing, forms)


def _owner(inbound: Inbound, caches: Caches) -> str | None:
    """The tenant that owns the receiver id (decisions 19.7), or None.

    The sandbox accepts any sender id, so there a reply to a tenant's document is the tenant's.
    """
    owner = tenants.owner_of(inbound.environment, inbound.receiver, caches)
    if owner is None and inbound.in_reply_to and inbound.environment is Environment.TEST:
        return received.sender_of(inbound.in_reply_to, inbound.environment.value)
    return owner


def _arrival(inbound: Inbound, tenant_id: str, *, followed: bool) -> Arrival:
    key = MessageKey(
        inbound.access_point,
        inbound.instance_id,
        inbound.sender.canonical,
        inbound.receiver.canonical,
    )
    return Arrival(
        key=key,
        tenant_id=tenant_id,
        environment=inbound.environment,
        sender=inbound.sender,
        receiver=inbound.receiver,
        document_type=inbound.document_type,
        process=inbound.process,
        document=inbound.document,
        receipt=inbound.receipt,
        receipt_type=inbound.receipt_type,
        state=inbound.state if followed else None,
    )


def _repeated(arrival: Arrival) -> Duplicate | None:
    """Duplicate with the first receipt, if the message is known."""
    known = storing.known(arrival)
    return None if known is None else Duplicate(known.invoice_id, known.receipt)


def _store(arrival: Arrival, computing: Computing, forms: Forms) -> InboundVerdict:
    new = storing.read(arrival, computing, forms)
    with db.writing() as connection:
        first = storing.add(connection, new)
    if not first:
        return _repeated(arrival) or Busy()
    log.info(
        "document received",
        invoice=new.row.invoice_id,
        transmission=new.row.transmission_id,
        tenant=new.row.tenant_id,
        light=new.light,
    )
    return Stored(new.row.invoice_id, arrival.receipt)
