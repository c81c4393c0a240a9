"""Invoices as they are read: always by id, tenant and environment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.engine import Connection

from einvoice.domain.artefacts import EmbeddedPdf
from einvoice.domain.delivery import NetworkStatus
from einvoice.store import db, shares
from einvoice.store.tables import Attempt, Invoice, Transmission


@dataclass(frozen=True, slots=True)
class InvoiceRecord:
    """An invoice with its newest transmission. What a received one does not say is None."""

    id: str
    environment: str
    direction: str
    kind: str
    number: str | None
    issue_date: date | None
    due_date: date | None
    currency: str | None
    subtotal: Decimal | None
    tax_amount: Decimal | None
    grand_total: Decimal | None
    payable: Decimal | None
    supplier_name: str | None
    buyer_name: str | None
    sender: str
    receiver: str
    rule_pack: str
    findings: Sequence[Mapping[str, Any]]
    warnings: Sequence[Mapping[str, Any]]
    created_at: datetime
    transmission_id: str
    status: str
    phase: str
    attention: bool
    reason: str | None
    reason_code: str | None
    retryable: bool | None
    submitted_at: datetime | None
    settled_at: datetime | None
    shared: bool

    @property
    def is_received(self) -> bool:
        """A bill that came in: never sent again, never shared with a buyer."""
        return self.direction == "received"

    @property
    def may_be_shared(self) -> bool:
        """Only a delivered invoice of the tenant's own (specification, "Share endpoints")."""
        return not self.is_received and self.status == NetworkStatus.DELIVERED


_RECORD = select(
    Invoice.id, Invoice.environment, Invoice.direction, Invoice.kind, Invoice.number,
    Invoice.issue_date, Invoice.due_date, Invoice.currency, Invoice.subtotal, Invoice.tax_amount,
    Invoice.grand_total, Invoice.payable, Invoice.supplier_name, Invoice.buyer_name,
    Invoice.sender, Invoice.receiver, Invoice.rule_pack, Invoice.findings, Invoice.warnings,
    Invoice.created_at, Transmission.id, Transmission.status, Transmission.phase,
    Transmission.attention, Transmission.reason, Transmission.reason_code, Transmission.retryable,
    Transmission.submitted_at, Transmission.settled_at, shares.is_shared(),
).join(Transmission, Transmission.id == Invoice.transmission_id)  # fmt: skip


def find(invoice_id: str, tenant_id: str, environments: Iterable[str]) -> InvoiceRecord | None:
    """The invoice, if it is this tenant's in one of these environments."""
    query = _RECORD.where(
        Invoice.id == invoice_id,
        Invoice.tenant_id == tenant_id,
        Invoice.environment.in_(list(environments)),
    )
    with db.reading() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else InvoiceRecord(*tuple(row))


@dataclass(frozen=True, slots=True)
class InvoiceDocuments:
    """The bytes of an invoice: what was submitted and what is sent."""

    number: str | None
    direction: str
    original_type: str
    original: bytes
    document: bytes
    embed_pdf: str | None


def documents(invoice_id: str, tenant_id: str, environment: str) -> InvoiceDocuments | None:
    query = select(
        Invoice.number,
        Invoice.direction,
        Invoice.original_type,
        Invoice.original,
        Invoice.document,
        Invoice.embed_pdf,
    ).where(
        Invoice.id == invoice_id,
        Invoice.tenant_id == tenant_id,
        Invoice.environment == environment,
    )
    with db.reading() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else InvoiceDocuments(*row)


def document(invoice_id: str) -> bytes:
    """What is sent of an invoice of any tenant: for workers."""
    with db.reading() as connection:
        found: bytes = connection.execute(
            select(Invoice.document).where(Invoice.id == invoice_id)
        ).scalar_one()
    return found


def complete(connection: Connection, invoice_id: str, document: bytes) -> bool:
    """Replace the document by the one with its PDF inside; False where that has been done."""
    changed = connection.execute(
        update(Invoice)
        .where(Invoice.id == invoice_id, Invoice.embed_pdf == EmbeddedPdf.DUE.value)
        .values(document=document, embed_pdf=EmbeddedPdf.DONE.value)
    )
    return bool(changed.rowcount)


@dataclass(frozen=True, slots=True)
class TransmissionEntry:
    """One transmission of the invoice, for its history."""

    id: str
    status: str
    created_at: datetime
    settled_at: datetime | None
    reason: str | None


def transmissions(invoice_id: str) -> list[TransmissionEntry]:
    """All transmissions of the invoice, oldest first."""
    query = (
        select(
            Transmission.id,
            Transmission.status,
            Transmission.created_at,
            Transmission.settled_at,
            Transmission.reason,
        )
        .where(Transmission.invoice_id == invoice_id)
        .order_by(Transmission.created_at)
    )
    with db.reading() as connection:
        return [TransmissionEntry(*row) for row in connection.execute(query)]


@dataclass(frozen=True, slots=True)
class AttemptEntry:
    """One attempt of a transmission."""

    transmission_id: str
    number: int
    started_at: datetime
    outcome: str
    detail: str | None


def attempts(invoice_id: str) -> list[AttemptEntry]:
    """All attempts for the invoice, in order."""
    query = (
        select(
            Attempt.transmission_id,
            Attempt.number,
            Attempt.started_at,
            Attempt.outcome,
            Attempt.detail,
        )
        .join(Transmission, Transmission.id == Attempt.transmission_id)
        .where(Transmission.invoice_id == invoice_id)
        .order_by(Attempt.started_at)
    )
    with db.reading() as connection:
        return [AttemptEntry(*row) for row in connection.execute(query)]


@dataclass(frozen=True, slots=True)
class TransmissionFailure:
    """Why a transmission failed."""

    reason: str | None
    error_code: str | None
    upstream_status: int | None
    retryable: bool | None


def failure(transmission_id: str) -> TransmissionFailure:
    query = select(
        Transmission.reason,
        Transmission.error_code,
        Transmission.upstream_status,
        Transmission.retryable,
    ).where(Transmission.id == transmission_id)
    with db.reading() as connection:
        return TransmissionFailure(*connection.execute(query).one())


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """How the sending request was answered, or until when it may still be waiting."""

    answered: str | None
    answer_by: datetime | None
    warnings: Sequence[Mapping[str, Any]]

    def lapsed(self, now: datetime) -> bool:
        """NULL past its time counts as Processing: the web process died."""
        return self.answer_by is None or self.answer_by < now


def first_answer(transmission_id: str) -> FirstAnswer:
    query = (
        select(Transmission.answered, Transmission.answer_by, Invoice.warnings)
        .join(Invoice, Invoice.id == Transmission.invoice_id)
        .where(Transmission.id == transmission_id)
    )
    with db.reading() as connection:
        return FirstAnswer(*connection.execute(query).one())
