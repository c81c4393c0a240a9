"""Reading invoices, always by id, tenant and environment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.engine import Connection

from einvoice.domain.artefacts import EmbeddedPdf
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.invoice_head import InvoiceHead, Traded
from einvoice.store import tables
from einvoice.store.archive import archived
from einvoice.store.archive.archived import LazyContent, Part
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.invoices import shares
from einvoice.store.tables import Attempt, Invoice, Outbox, Transmission


@dataclass(frozen=True, slots=True)
class InvoiceRecord(Traded, InvoiceHead):
    """An invoice with its newest transmission."""

    id: str
    tenant_id: str
    environment: str
    direction: str
    sender: str
    receiver: str | None
    rule_pack: str
    rule_set_chosen_by: str | None
    report_form: int | None
    findings: Sequence[Mapping[str, Any]]
    warnings: Sequence[Mapping[str, Any]]
    created_at: datetime
    transmission_id: str
    access_point: str
    status: str
    phase: str
    attention: bool
    response_id: str | None
    response_attention: bool | None
    failure_done_at: datetime | None
    failure_done_by: str | None
    reason: str | None
    reason_code: str | None
    retryable: bool | None
    submitted_at: datetime | None
    settled_at: datetime | None
    shared: bool
    metadata: Mapping[str, str | None] | None
    delivered_means: str | None
    receiver_email: str | None
    amount_paid: Decimal | None

    @property
    def is_received(self) -> bool:
        """Whether it is a bill, which is never resent and never shared."""
        return self.direction == "received"

    @property
    def needs_person(self) -> bool:
        """Whether its outcome is unknown, or its receiver has refused it and nobody has said that
        nothing is left to do."""
        return self.attention or bool(self.response_attention)

    @property
    def may_be_shared(self) -> bool:
        """Whether it is sent and Delivered (decisions 19.14)."""
        return not self.is_received and self.status == NetworkStatus.DELIVERED


_RECORD = RecordColumns(
    InvoiceRecord,
    Invoice,
    transmission_id=Transmission.id,
    access_point=Transmission.access_point,
    status=Transmission.status,
    phase=Transmission.phase,
    attention=Transmission.attention,
    response_id=Transmission.response_id,
    response_attention=Transmission.response_attention,
    failure_done_at=Transmission.failure_done_at,
    failure_done_by=Transmission.failure_done_by,
    reason=Transmission.reason,
    reason_code=Transmission.reason_code,
    retryable=Transmission.retryable,
    submitted_at=Transmission.submitted_at,
    settled_at=Transmission.settled_at,
    shared=shares.is_shared(),
    metadata=Invoice.sender_metadata,
    delivered_means=Transmission.delivered_means,
    receiver_email=Transmission.receiver_email,
)
_SELECT_INVOICE = _RECORD.select().join(Transmission, Transmission.id == Invoice.transmission_id)


def find(invoice_id: str, tenant_id: str, environments: Iterable[str]) -> InvoiceRecord | None:
    """The invoice, if it is this tenant's in one of these environments."""
    query = _SELECT_INVOICE.where(
        Invoice.id == invoice_id,
        Invoice.tenant_id == tenant_id,
        Invoice.environment.in_(list(environments)),
    )
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def metadata_of(invoice_ids: Collection[str]) -> dict[str, Mapping[str, str]]:
    """The metadata of the invoices that have any, by id. The caller has checked whose
    they are."""
    if not invoice_ids:
        return {}
    query = select(Invoice.id, Invoice.sender_metadata).where(
        rows.in_values(Invoice.id, sorted(invoice_ids)), Invoice.sender_metadata.is_not(None)
    )
    with db.reading_by_key() as connection:
        return {row.id: row.sender_metadata for row in connection.execute(query)}


@dataclass(frozen=True, slots=True)
class InvoiceDocuments:
    """The bytes of an invoice: as submitted, and as sent over the network.

    access_point, profile  of its newest transmission
    parts  the content that there is; from the archive it is read when it is asked for, and raises
           DocumentDropped, ArchiveUnavailable and ArchiveDamaged
    """

    id: str
    tenant_id: str
    number: str | None
    direction: str
    original_type: str
    embed_pdf: str | None
    transmission_id: str
    access_point: str
    profile: str | None
    status: str
    parts: Mapping[str, LazyContent] = field(repr=False)

    @property
    def original(self) -> bytes:
        """The bytes that were submitted or received."""
        return self._read(Part.ORIGINAL) or b""

    @property
    def document(self) -> bytes:
        """The UBL; empty if a received document has no such form."""
        return self._read(Part.DOCUMENT) or b""

    @property
    def network_document(self) -> bytes | None:
        """The document that was submitted in place of the UBL, to a network of another form."""
        return self._read(Part.NETWORK_DOCUMENT)

    def _read(self, part: Part) -> bytes | None:
        found = self.parts.get(part)
        return None if found is None else found.read()

    @property
    def is_undelivered(self) -> bool:
        """Whether it is a sent one that has not been delivered."""
        return self.direction == "sent" and self.status != NetworkStatus.DELIVERED


@dataclass(frozen=True, slots=True)
class _DocumentsRow:
    id: str
    tenant_id: str
    number: str | None
    direction: str
    original_type: str
    embed_pdf: str | None
    transmission_id: str
    access_point: str
    profile: str | None
    status: str
    original: bytes
    document: bytes
    network_document: bytes | None
    archived_at: datetime | None


_DOCUMENTS = RecordColumns(
    _DocumentsRow,
    Invoice,
    access_point=Transmission.access_point,
    profile=Transmission.profile,
    status=Transmission.status,
)
_KEPT = [each.name for each in fields(InvoiceDocuments) if each.name != "parts"]


def documents(invoice_id: str, tenant_id: str, environment: str) -> InvoiceDocuments | None:
    query = (
        _DOCUMENTS.select()
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .where(
            Invoice.id == invoice_id,
            Invoice.tenant_id == tenant_id,
            Invoice.environment == environment,
        )
    )
    with db.reading() as connection:
        row = _DOCUMENTS.one_or_none(connection.execute(query))
    if row is None:
        return None
    own = {
        Part.ORIGINAL: row.original,
        Part.DOCUMENT: row.document,
        Part.NETWORK_DOCUMENT: row.network_document,
    }
    in_row = row.archived_at is None
    parts = archived.parts_of_row(own) if in_row else archived.parts_of_invoice(row.id)
    return InvoiceDocuments(**{name: getattr(row, name) for name in _KEPT}, parts=parts)


def document(invoice_id: str) -> bytes:
    """The document of an invoice of any tenant, for workers."""
    with db.reading() as connection:
        found: bytes = connection.execute(
            select(Invoice.document).where(Invoice.id == invoice_id)
        ).scalar_one()
    return found


def complete(connection: Connection, invoice_id: str, document: bytes) -> bool:
    """Replace the document by the one with the PDF embedded; False if that was done before."""
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
    failure_done_at: datetime | None
    failure_done_by: str | None


_TRANSMISSION = RecordColumns(TransmissionEntry, Transmission)


def transmissions(invoice_id: str, tenant_id: str) -> list[TransmissionEntry]:
    """All transmissions of an invoice of the tenant, oldest first."""
    query = (
        _TRANSMISSION.select()
        .where(Transmission.invoice_id == invoice_id, Transmission.tenant_id == tenant_id)
        .order_by(Transmission.created_at)
    )
    with db.reading() as connection:
        return _TRANSMISSION.all(connection.execute(query))


@dataclass(frozen=True, slots=True)
class AttemptEntry:
    """One attempt of a transmission."""

    transmission_id: str
    number: int
    started_at: datetime
    outcome: str
    detail: str | None


_ATTEMPT = RecordColumns(AttemptEntry, Attempt)


def attempts(invoice_id: str, tenant_id: str) -> list[AttemptEntry]:
    """All attempts for an invoice of the tenant, in order."""
    query = (
        _ATTEMPT.select()
        .join(Transmission, Transmission.id == Attempt.transmission_id)
        .where(Transmission.invoice_id == invoice_id, Transmission.tenant_id == tenant_id)
        .order_by(Attempt.started_at)
    )
    with db.reading_by_key() as connection:
        return _ATTEMPT.all(connection.execute(query))


@dataclass(frozen=True, slots=True)
class ParkingConnection:
    """The connection for which a transmission waits, because it cannot be used."""

    name: str
    account: str
    state: str
    reason: str | None


_PARKING = RecordColumns(ParkingConnection, tables.Connection)


def parking_connection(transmission_id: str) -> ParkingConnection | None:
    """None for a transmission that is not parked."""
    query = (
        _PARKING.select()
        .join(Outbox, Outbox.parked_by == tables.Connection.id)
        .where(Outbox.subject_id == transmission_id)
    )
    with db.reading_by_key() as connection:
        return _PARKING.one_or_none(connection.execute(query))


@dataclass(frozen=True, slots=True)
class TransmissionFailure:
    """Why a transmission failed."""

    reason: str | None
    error_code: str | None
    upstream_status: int | None
    retryable: bool | None


_FAILURE = RecordColumns(TransmissionFailure, Transmission)


def failure(transmission_id: str) -> TransmissionFailure:
    query = _FAILURE.select().where(Transmission.id == transmission_id)
    with db.reading() as connection:
        return _FAILURE.one(connection.execute(query))


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The first answer to the sending request, or until when the request may wait."""

    answered: str | None
    answer_by: datetime | None
    warnings: Sequence[Mapping[str, Any]]

    def lapsed(self, now: datetime) -> bool:
        """Whether the wait ended without an answer (the web died): it counts as Processing."""
        return self.answer_by is None or self.answer_by < now


_FIRST_ANSWER = RecordColumns(FirstAnswer, Transmission, warnings=Invoice.warnings)
_WITH_INVOICE = _FIRST_ANSWER.select().join(Invoice, Invoice.id == Transmission.invoice_id)


def first_answer(transmission_id: str) -> FirstAnswer:
    query = _WITH_INVOICE.where(Transmission.id == transmission_id)
    with db.reading() as connection:
        return _FIRST_ANSWER.one(connection.execute(query))


def first_answers(transmission_ids: Sequence[str]) -> dict[str, FirstAnswer]:
    """The first answers by transmission id. The caller has checked whose they are."""
    if not transmission_ids:
        return {}
    query = _WITH_INVOICE.add_columns(Transmission.id.label("of")).where(
        rows.in_values(Transmission.id, transmission_ids)
    )
    with db.reading_by_key() as connection:
        found = connection.execute(query).all()
    return {row.of: FirstAnswer(row.answered, row.answer_by, row.warnings) for row in found}
