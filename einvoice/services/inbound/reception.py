"""Receiving documents: find the owner, read, validate and store them; then acknowledge.

A network repeats a message until it is acknowledged, so this may run twice, concurrently, or stop
at any line. One transaction writes the document, its receipt, the event and its deliveries, also
for several messages at once (arrivals); the unique message id decides which of several calls was
the first. A document that cannot be read is stored too: the network does not send it again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeVar

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.network.access_points import AccessPoints
from einvoice.network.messages import FollowsDocuments, Outgoing
from einvoice.network.types import (
    Busy,
    Delivered,
    Evidence,
    Inbound,
    InboundVerdict,
    InvoiceReference,
    KeptDocument,
    KeptFile,
    NotServiced,
    Pending,
    PushVerdict,
    Rejected,
)
from einvoice.observability import logging, metrics, tracing
from einvoice.services.account import tenants
from einvoice.services.caches import Caches
from einvoice.services.computing.pool import Computing
from einvoice.services.delivery import messages, pushed_outcomes
from einvoice.services.forms import Forms
from einvoice.services.grouping import Grouping
from einvoice.services.inbound import mailboxes
from einvoice.services.inbound.arrival_storage import Arrival
from einvoice.services.inbound.arrivals import NO_DATABASE, Arrivals, Context
from einvoice.store.connections import connections
from einvoice.store.inbound import received
from einvoice.store.inbound.received import MessageKey
from einvoice.store.invoices import artefacts
from einvoice.xml import MAX_RECEIVED_BYTES

log = logging.get(__name__)

T = TypeVar("T")

# The accepted document types, by the part before `##`: any customization.
_ACCEPTED_TYPES = (
    "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice",
    "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2::CreditNote",
    "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100::CrossIndustryInvoice",
    "urn:peppol:doctype:pdf+xml",  # Factur-X
)


class Reception:
    """The inbox of plugins (network/types.Inbox), for any thread, with or without a context.

    context   opens an application context
    points    the access points, which are loaded after the inbox was made
    grouping  does the work of concurrent messages together
    to_compute  opens an application context for the reading of documents, so that the web can
                limit concurrency
    """

    def __init__(
        self,
        context: Context,
        caches: Caches,
        computing: Computing,
        forms: Forms,
        to_compute: Context | None = None,
        points: Callable[[], AccessPoints] | None = None,
        *,
        grouping: Grouping | None = None,
    ) -> None:
        self.context = context
        self.caches = caches
        self.forms = forms
        self.points = points
        self.arrivals = Arrivals(computing, forms, grouping, to_compute or context)

    def deliver_inbound(self, inbound: Inbound) -> InboundVerdict:
        with self.context():
            followed = self._follows(inbound.access_point)
            return _received(inbound, self.caches, self.forms, self.arrivals, followed=followed)

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
            points = self.points() if self.points else None
            return _or_busy(
                lambda: pushed_outcomes.settle(access_point, reference, outcome, points)
            )

    def deliver_evidence(
        self, access_point: str, reference: str | InvoiceReference, evidence: Sequence[Evidence]
    ) -> PushVerdict:
        with self.context():
            if isinstance(reference, InvoiceReference):
                return _or_busy(lambda: self._evidence_of(access_point, reference, evidence))
            points = self.points() if self.points else None
            return _or_busy(
                lambda: pushed_outcomes.deliver_evidence(access_point, reference, evidence, points)
            )

    def kept_document(self, access_point: str, reference: str) -> KeptDocument | Busy | None:
        with self.context():
            return _or_busy(lambda: pushed_outcomes.kept_document(access_point, reference))

    def kept_files(
        self, access_point: str, connection_id: str, kinds: Collection[str]
    ) -> Iterator[KeptFile]:
        with self.context():
            record = connections.by_id(connection_id)
        if record is None or record.access_point != access_point:
            raise ValueError(f"{access_point} has no connection {connection_id[:40]!r}")
        after: str | None = ""
        while after is not None:
            with self.context():
                found, after = artefacts.of_connection(
                    record.id, record.tenant_id, tuple(kinds), after
                )
            yield from (KeptFile(each.number, each.kind, each.content) for each in found)

    def wake_mailbox(self, access_point: str, connection_id: str) -> bool:
        with self.context():
            return mailboxes.wake(access_point, connection_id)

    def _evidence_of(
        self, access_point: str, reference: InvoiceReference, evidence: Sequence[Evidence]
    ) -> PushVerdict:
        owner = tenants.owner_of(reference.environment, reference.sender, self.caches)
        if owner is None:
            return NotServiced(f"no tenant owns {reference.sender} in {reference.environment}")
        return pushed_outcomes.deliver_evidence_of_invoice(access_point, owner, reference, evidence)

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


def _or_busy(push: Callable[[], T]) -> T | Busy:
    try:
        return push()
    except NO_DATABASE as fault:
        log.warning("a push waits for the database", fault=type(fault).__name__)
        return Busy()


def accepts_type(document_type: DocumentTypeId, forms: Forms) -> bool:
    """Whether it is an invoice or credit note in UBL or CII, or in a PDF, of any customization and
    process, or a document of an installed profile."""
    known = document_type.value.partition("##")[0] in _ACCEPTED_TYPES
    return known or forms.of_type(document_type) is not None


def receive(
    inbound: Inbound,
    caches: Caches,
    computing: Computing,
    forms: Forms,
    *,
    tenant_id: str | None = None,
) -> InboundVerdict:
    """Store an arrived document, once; its access point is not called about it.

    tenant_id  whose it is; None: the owner of the receiver

    Returns Busy if the database is not available.
    """
    arrivals = Arrivals(computing, forms)
    return _received(inbound, caches, forms, arrivals, followed=False, tenant_id=tenant_id)


def _received(
    inbound: Inbound,
    caches: Caches,
    forms: Forms,
    arrivals: Arrivals,
    *,
    followed: bool,
    tenant_id: str | None = None,
) -> InboundVerdict:
    try:
        verdict = _stored(inbound, caches, forms, arrivals, followed=followed, tenant_id=tenant_id)
    except NO_DATABASE as fault:
        log.warning("inbound waits for the database", fault=type(fault).__name__)
        verdict = Busy()
    metrics.document_arrived(inbound.access_point, type(verdict).__name__)
    if isinstance(verdict, NotServiced):
        log.warning(
            "inbound not serviced", access_point=inbound.access_point, reason=verdict.reason
        )
    return verdict


def _stored(
    inbound: Inbound,
    caches: Caches,
    forms: Forms,
    arrivals: Arrivals,
    *,
    followed: bool,
    tenant_id: str | None,
) -> InboundVerdict:
    if not accepts_type(inbound.document_type, forms):
        return NotServiced(f"documents of the type {inbound.document_type} are not accepted")
    if len(inbound.document) > MAX_RECEIVED_BYTES:
        return NotServiced(f"documents of more than {MAX_RECEIVED_BYTES:,} bytes are not accepted")
    tenant_id = tenant_id or _owner(inbound, caches)
    if tenant_id is None:
        return NotServiced(f"no tenant owns {inbound.receiver} in {inbound.environment}")
    if tenants.get(tenant_id, caches).held_at is not None:
        return Busy()  # it moves to another installation: its network sends it again
    return arrivals.store(_arrival(inbound, tenant_id, followed=followed))


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
        trace=tracing.of_arrival(),
    )
