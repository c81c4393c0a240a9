"""What is kept of documents that came as XML, beside their invoices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import select
from sqlalchemy.engine import Connection

from einvoice.store import db, rows
from einvoice.store.tables import Artefact, Invoice, Submission, Transmission


@dataclass(frozen=True, slots=True)
class Record:
    """How a sent invoice came and went. The first three are None for one that came as JSON."""

    form: str | None
    network: str | None
    took_ms: int | None
    access_point: str
    sender_country: str | None
    receiver_country: str | None
    authority_reference: str | None


def find(invoice_id: str, tenant_id: str, environment: str) -> Record | None:
    """Of a sent invoice, if it is this tenant's in this environment."""
    authority = (
        select(sa.func.max(Artefact.authority_reference))
        .where(Artefact.invoice_id == Invoice.id)
        .scalar_subquery()
    )
    query = (
        select(
            Submission.form,
            Submission.network,
            Submission.took_ms,
            Transmission.access_point,
            Transmission.sender_country,
            Transmission.receiver_country,
            authority,
        )
        .select_from(Invoice)
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .outerjoin(Submission, Submission.invoice_id == Invoice.id)
        .where(
            Invoice.id == invoice_id,
            Invoice.tenant_id == tenant_id,
            Invoice.environment == environment,
            Invoice.direction == "sent",
        )
    )
    with db.reading() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else Record(*tuple(row))


def among(connection: Connection, invoice_ids: Iterable[str]) -> set[str]:
    """Those of the invoices that came as XML."""
    query = select(Submission.invoice_id).where(rows.in_values(Submission.invoice_id, invoice_ids))
    return set(connection.execute(query).scalars())
