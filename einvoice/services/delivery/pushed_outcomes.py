"""Outcomes and evidence that a network pushes, instead of being polled for them."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice import clock
from einvoice.domain import artefacts as kinds
from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import (
    Busy,
    Delivered,
    Evidence,
    InvoiceReference,
    KeptDocument,
    NotServiced,
    Pending,
    Rejected,
    Repeat,
    Settled,
)
from einvoice.services.delivery import outcomes, sent_notices, settlement
from einvoice.services.delivery.settlement import NO_CAPABILITIES, SettledWork
from einvoice.store.core import db
from einvoice.store.invoices import artefacts
from einvoice.store.sending import messages, transmissions
from einvoice.store.sending.transmissions import Work

_REFUSAL = "RE"  # of a Message Level Status


def settle(
    access_point: str,
    reference: str,
    outcome: Delivered | Rejected | Pending,
    points: AccessPoints | None = None,
) -> Settled | NotServiced | Busy:
    """Settle the transmission that waits with this reference, once.

    reference  the reference of its Pending, or the transmission id
    points     the installed ones

    Of a transmission that is final already, evidence that is new is kept; nothing else changes. One
    whose worker stopped may be queued again when the outcome of its first submission comes: where
    the network recognises the repeat, that outcome is the document's.
    """
    work = transmissions.by_reference(access_point, reference)
    if work is None:
        return _unknown(access_point, reference)
    if isinstance(outcome, Pending):
        return Settled(work.id, changed=_wait(work, outcome))
    capabilities = points.capabilities_of(access_point) if points else NO_CAPABILITIES
    is_repeated = capabilities.repeat is Repeat.IDEMPOTENT and work.attempts > 0
    if work.status == NetworkStatus.PROCESSING and (_was_submitted(work) or is_repeated):
        verdict = outcomes.settle(work, work.fence, outcome, capabilities, clock.now())
        if settlement.write([SettledWork(work, verdict)], None, points):
            return Settled(work.id, changed=True)
        if is_repeated:
            return Busy()  # a worker has it in hand; the push is repeated
    settlement.add_evidence(work, outcome.evidence)
    return Settled(work.id, changed=False)


def deliver_evidence(
    access_point: str,
    reference: str,
    evidence: Sequence[Evidence],
    points: AccessPoints | None = None,
) -> Settled | NotServiced:
    """Keep evidence of a transmission, whatever its status; what is there already is kept once.

    That of a message is kept with the document that it answers: NotServiced, if it answers none.
    An access point of `points` gets a notice of a document that its receiver's refuses (RE).
    """
    work = transmissions.by_reference(access_point, reference)
    if work is None or not work.invoice_id:
        return _unknown(access_point, reference)
    if any(each.kind == kinds.MLS and each.response_code == _REFUSAL for each in evidence):
        sent_notices.add_refused(work, points)
    return _kept(work, evidence)


def deliver_evidence_of_invoice(
    access_point: str, tenant_id: str, invoice: InvoiceReference, evidence: Sequence[Evidence]
) -> Settled | NotServiced:
    """Keep evidence of the tenant's invoice that its receiver refers to, as `deliver_evidence`."""
    work = transmissions.by_invoice(
        access_point,
        (tenant_id, invoice.environment.value),
        invoice.number,
        (invoice.sender.canonical, invoice.receiver.canonical),
        invoice.issue_date,
    )
    if work is None:
        return _unknown(access_point, f"{invoice.number} to {invoice.receiver}")
    return _kept(work, evidence)


def kept_document(access_point: str, reference: str) -> KeptDocument | None:
    """The kept document of a transmission; None without such a transmission, and for a message
    that answers no document."""
    work = transmissions.by_reference(access_point, reference)
    kept_with = None if work is None else _kept_with(work)
    return None if work is None or kept_with is None else _sent(work, kept_with)


def _kept_with(work: Work) -> str | None:
    """The transmission that keeps evidence: for a message, the one of the invoice it answers."""
    if work.kind is None:
        return work.id
    with db.reading() as connection:
        message = messages.record(connection, work.id)
    return None if message is None else message.transmission_id


def _sent(work: Work, transmission_id: str) -> KeptDocument:
    kept = artefacts.of_transmission(transmission_id, work.invoice_id, work.tenant_id)
    return KeptDocument(
        receiver=None if work.receiver is None else ParticipantId.parse(work.receiver),
        document_type=DocumentTypeId.parse(work.document_type),
        process=ProcessId.parse(work.process),
        receipts=tuple(each.content for each in kept if each.kind.endswith(kinds.RECEIPT.code)),
    )


def _kept(work: Work, evidence: Sequence[Evidence]) -> Settled:
    settlement.add_evidence(work, evidence)
    return Settled(work.id, False, work.tenant_id, work.sender_country)


def _was_submitted(work: Work) -> bool:
    """An outcome of a document that is still queued belongs to an earlier attempt."""
    return work.phase != Phase.QUEUED


def _wait(work: Work, onwards: Pending) -> bool:
    """Wait on with another Pending; what a worker is finding out meanwhile is discarded."""
    if work.status != NetworkStatus.PROCESSING or work.phase != Phase.PENDING:
        return False
    with db.writing() as connection:
        changed = transmissions.set_pending(connection, work, outcomes.pending_as_json(onwards))
        if changed:
            settlement.plan(connection, work, *outcomes.next_step(onwards, clock.now()))
    return changed


def _unknown(access_point: str, reference: str) -> NotServiced:
    return NotServiced(f"{access_point} has no transmission {reference[:80]!r}")
