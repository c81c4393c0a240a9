"""Receiving documents: find the owner, read, validate and store them; then acknowledge.

A network repeats a message until it is acknowledged, so this may run twice, concurrently, or stop
at any line. One transaction writes the document, its receipt, the event and its deliveries; the
unique message id decides which of several calls was the first. A document that cannot be read is
stored too: the network does not send it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from einvoice import clock
from einvoice.domain import artefacts as kinds
from einvoice.domain import events, ids
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.directory import Supplier
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.network.messages import FollowsDocuments, Outgoing, Step
from einvoice.network.registry import PEPPOL, AccessPoints
from einvoice.network.types import (
    Busy,
    Delivered,
    Duplicate,
    Evidence,
    Inbound,
    InboundVerdict,
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
from einvoice.services.directory import entries
from einvoice.services.forms import Forms
from einvoice.services.inbound import notices, reading
from einvoice.services.inbound.reading import ReadDocument
from einvoice.services.webhooks import deliveries
from einvoice.store import artefacts, db, received
from einvoice.store.new_documents import Addressing, DocumentContent
from einvoice.store.received import KnownMessage, MessageKey, NewReceived

log = logging.get(__name__)

MAX_BYTES = 100 * 1024 * 1024  # networks allow less
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
        self, access_point: str, reference: str, evidence: Sequence[Evidence]
    ) -> PushVerdict:
        with self.context():
            return _or_busy(lambda: pushing.deliver_evidence(access_point, reference, evidence))

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
    if len(inbound.document) > MAX_BYTES:
        return NotServiced(f"documents of more than {MAX_BYTES:,} bytes are not accepted")
    tenant_id = _owner(inbound, caches)
    if tenant_id is None:
        return NotServiced(f"no tenant owns {inbound.receiver} in {inbound.environment}")
    key = _key(inbound)
    return _repeated(key, inbound) or _store(
        key, inbound, tenant_id, computing, forms, followed=followed
    )


def _owner(inbound: Inbound, caches: Caches) -> str | None:
    """The tenant that owns the receiver id (decisions 19.7), or None.

    The sandbox accepts any sender id, so there a reply to a tenant's document is the tenant's.
    """
    owner = tenants.owner_of(inbound.environment, inbound.receiver, caches)
    if owner is None and inbound.in_reply_to and inbound.environment is Environment.TEST:
        return received.sender_of(inbound.in_reply_to, inbound.environment.value)
    return owner


def _key(inbound: Inbound) -> MessageKey:
    return MessageKey(
        inbound.access_point,
        inbound.instance_id,
        inbound.sender.canonical,
        inbound.receiver.canonical,
    )


def _repeated(key: MessageKey, inbound: Inbound) -> Duplicate | None:
    """Duplicate with the first receipt, if the message is known."""
    known = received.known(key)
    if known is None:
        return None
    _log_changed_content(known, inbound)
    return Duplicate(known.invoice_id, known.receipt)


def _log_changed_content(known: KnownMessage, inbound: Inbound) -> None:
    """Log that the network used a message id for two documents; the first one is kept."""
    if known.sha256 != _digest(inbound.document):
        log.error(
            "message id used for another document",
            access_point=inbound.access_point,
            invoice=known.invoice_id,
        )


def _store(
    key: MessageKey,
    inbound: Inbound,
    tenant_id: str,
    computing: Computing,
    forms: Forms,
    *,
    followed: bool,
) -> InboundVerdict:
    own = forms.of_type(inbound.document_type) or forms.of(PEPPOL)
    opened = reading.read(inbound.document, inbound.document_type, tenant_id, computing, own)
    new = _new_received(key, inbound, tenant_id, opened)
    if followed:
        new = replace(new, inbound_state=dict(inbound.state))
    with db.writing() as connection:
        first = received.add(connection, new)
        if first:
            artefacts.add_missing(connection, _receipt(new, inbound))
            deliveries.emit_many(connection, [_event(new)])
            if followed:
                notices.add(connection, new.invoice_id, Step.JUDGED, tenant_id, key.access_point)
    if not first:
        return _repeated(key, inbound) or Busy()
    log.info("document received", invoice=new.invoice_id, light=opened.report.light.value)
    return Stored(new.invoice_id, inbound.receipt)


def _new_received(
    key: MessageKey, inbound: Inbound, tenant_id: str, opened: ReadDocument
) -> NewReceived:
    head, environment = opened.head.as_head(), inbound.environment.value
    now = clock.now()
    suppliers = entries.find_suppliers(
        tenant_id, inbound.sender, head.supplier_tax_id, head.supplier_name or ""
    )
    supplier = suppliers[0] if len(suppliers) == 1 else None
    addressing = Addressing(
        sender=str(inbound.sender),
        receiver=str(inbound.receiver),
        sender_country=head.supplier_country,
        receiver_country=head.buyer_country,
        access_point=key.access_point,
        registration_id=None,
        document_type=str(inbound.document_type),
        process=str(inbound.process),
        profile=None,
    )
    content = DocumentContent(
        original_type="application/xml" if opened.is_xml else "application/octet-stream",
        original=inbound.document,
        document=opened.ubl,
        network_document=None,
        rule_pack=opened.report.rule_set,
        rule_set_chosen_by=opened.report.chosen_by.value,
        findings=[finding.as_data() for finding in opened.report.findings],
        warnings=[
            *_warnings(tenant_id, environment, addressing.sender, opened),
            *_undecided(suppliers),
        ],
    )
    return NewReceived(
        invoice_id=str(ids.time_ordered(now)),
        transmission_id=ids.transmission_id(now),
        tenant_id=tenant_id,
        environment=environment,
        head=head,
        addressing=addressing,
        content=content,
        key=key,
        syntax=opened.report.form,
        sha256=_digest(inbound.document),
        receipt=inbound.receipt,
        supplier_id=supplier.id if supplier else None,
        gl_account_code=supplier.default_gl_account_code if supplier else None,
        created_at=now,
    )


def _warnings(
    tenant_id: str, environment: str, sender: str, opened: ReadDocument
) -> list[Mapping[str, object]]:
    warnings: list[Mapping[str, object]] = []
    number = opened.head.number
    if not opened.report.is_document:
        words = "The document cannot be read as an invoice; it is kept as received (ORIGINAL)."
        warnings.append({"code": "unreadable-document", "field": None, "message": words})
    if number is not None and received.has_number(tenant_id, environment, sender, number):
        words = f"An invoice {number} of this sender was received before."
        warnings.append({"code": "possible-duplicate", "field": "invoice.number", "message": words})
    return warnings


def _undecided(suppliers: Sequence[Supplier]) -> list[Mapping[str, object]]:
    """The warning that several suppliers match a bill, which then has none."""
    if len(suppliers) < 2:
        return []
    words = (
        "Several suppliers have its participant id, tax id or name, so the bill has none: "
        f"{entries.named(suppliers)}. Merge them, or correct the one that is wrong."
    )
    return [{"code": "supplier-ambiguous", "field": "supplierId", "message": words}]


def _receipt(new: NewReceived, inbound: Inbound) -> list[artefacts.NewArtefact]:
    """The receipt returned to the network: the tenant's proof of when the document arrived."""
    if inbound.receipt is None:
        return []
    return [
        artefacts.NewArtefact(
            id=str(ids.time_ordered(new.created_at)),
            tenant_id=new.tenant_id,
            invoice_id=new.invoice_id,
            transmission_id=new.transmission_id,
            kind=kinds.RECEIPT.code,
            name=kinds.RECEIPT.file_name_of(new.head.number or new.invoice_id),
            content_type=inbound.receipt_type,
            sha256=_digest(inbound.receipt),
            size=len(inbound.receipt),
            authority_reference=None,
            legal_original=False,
            retention_years=None,
            created_at=new.created_at,
            content=inbound.receipt,
        )
    ]


def _event(new: NewReceived) -> deliveries.NewEvent:
    """transaction.received (decisions 4): ids only, no party data."""
    return deliveries.NewEvent(
        tenant_id=new.tenant_id,
        environment=new.environment,
        type=events.TRANSACTION_RECEIVED,
        invoice_id=new.invoice_id,
        payload={
            "transactionId": new.transmission_id,
            "invoiceId": new.invoice_id,
            "documentId": new.invoice_id,
            "status": NetworkStatus.RECEIVED.value,
            "senderParticipantId": new.addressing.sender,
            "receiverParticipantId": new.addressing.receiver,
            "documentTypeId": new.addressing.document_type,
            "documentNumber": new.head.number,
        },
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
