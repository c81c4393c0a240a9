"""Documents submitted as XML: what is stored in addition to their invoices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import select
from sqlalchemy.engine import Connection

from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Artefact, Invoice, Submission, Transmission


@dataclass(frozen=True, slots=True)
class SubmissionRecord:
    """How an invoice was submitted and transmitted; the first three are None for JSON, and for a
    received one."""

    form: str | None
    network: str | None
    took_ms: int | None
    access_point: str
    sender_country: str | None
    receiver_country: str | None
    authority_reference: str | None


_COLUMNS: dict[str, Any] = {
    "form": Submission.form,
    "network": Submission.network,
    "took_ms": Submission.took_ms,
    "access_point": Transmission.access_point,
    "sender_country": Transmission.sender_country,
    "receiver_country": Transmission.receiver_country,
    "authority_reference": select(sa.func.max(Artefact.authority_reference))
    .where(Artefact.invoice_id == Invoice.id)
    .scalar_subquery(),
}
_SUBMISSION = RecordColumns(SubmissionRecord, **_COLUMNS)


@dataclass(frozen=True, slots=True)
class ListedSubmission(SubmissionRecord):
    """The submission of an invoice in a list; of a received one, `form` and `network` are None."""

    invoice_id: str
    kind: str
    phase: str


_LISTED = RecordColumns(
    ListedSubmission,
    invoice_id=Invoice.id,
    kind=Invoice.kind,
    phase=Transmission.phase,
    **_COLUMNS,
)


def listed(invoice_ids: Sequence[str], tenant_id: str) -> dict[str, ListedSubmission]:
    """The submissions of the invoices that are this tenant's, by invoice id."""
    if not invoice_ids:
        return {}
    query = (
        _LISTED.select()
        .select_from(Invoice)
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .outerjoin(Submission, Submission.invoice_id == Invoice.id)
        .where(rows.in_values(Invoice.id, invoice_ids), Invoice.tenant_id == tenant_id)
    )
    with db.reading_by_key() as connection:
        return {found.invoice_id: found for found in _LISTED.all(connection.execute(query))}


def find(invoice_id: str, tenant_id: str, environment: str) -> SubmissionRecord | None:
    """The submission of an invoice, if it is this tenant's in this environment."""
    query = (
        _SUBMISSION.select()
        .select_from(Invoice)
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .outerjoin(Submission, Submission.invoice_id == Invoice.id)
        .where(
            Invoice.id == invoice_id,
            Invoice.tenant_id == tenant_id,
            Invoice.environment == environment,
        )
    )
    with db.reading() as connection:
        return _SUBMISSION.one_or_none(connection.execute(query))


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """The findings of the validation of a sent invoice when it was accepted."""

    invoice_id: str
    kind: str
    rule_pack: str
    rule_set_chosen_by: str | None
    findings: Sequence[Mapping[str, Any]]
    form: str | None
    took_ms: int | None


_VERDICT = RecordColumns(
    VerdictRecord,
    Invoice,
    invoice_id=Invoice.id,
    form=Submission.form,
    took_ms=Submission.took_ms,
)


def verdicts(invoice_ids: Sequence[str], tenant_id: str, environment: str) -> list[VerdictRecord]:
    """The verdicts of the invoices that this tenant sent in this environment."""
    if not invoice_ids:
        return []
    query = (
        _VERDICT.select()
        .select_from(Invoice)
        .outerjoin(Submission, Submission.invoice_id == Invoice.id)
        .where(
            rows.in_values(Invoice.id, invoice_ids),
            Invoice.tenant_id == tenant_id,
            Invoice.environment == environment,
            Invoice.direction == "sent",
        )
    )
    with db.reading_by_key() as connection:
        return _VERDICT.all(connection.execute(query))


def among(connection: Connection, invoice_ids: Iterable[str]) -> set[str]:
    """The ids of those that were submitted as XML, among these invoices."""
    query = select(Submission.invoice_id).where(rows.in_values(Submission.invoice_id, invoice_ids))
    return set(connection.execute(query).scalars())
