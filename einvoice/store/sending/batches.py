"""Batches: documents submitted together, with the state of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, select
from sqlalchemy.engine import Connection

from einvoice.store import outbox
from einvoice.store.core import db, rows
from einvoice.store.tables import Artefact, Batch, BatchItem, Invoice, Transmission


@dataclass(frozen=True, slots=True)
class BatchEntry:
    """One document of a batch: its invoice, or slug, detail and requestId of the refusal.

    name  of the file that a person gave
    """

    position: int
    invoice_id: str | None
    error: Mapping[str, Any] | None
    name: str | None = None


FIRST_LOOK = timedelta(seconds=5)  # at what became of the documents of a new batch

_ITEMS = """
INSERT INTO batch_items (batch_id, position, invoice_id, error, name)
SELECT :batch_id, x.position, x.invoice_id, x.error, x.name FROM {rows} WHERE true
"""
_ITEM_COLUMNS = {
    "position": rows.INT, "invoice_id": rows.TEXT, "error": rows.JSON, "name": rows.TEXT,
}  # fmt: skip


def add(
    batch_id: str, tenant_id: str, environment: str, entries: Sequence[BatchEntry], now: datetime
) -> None:
    """Store the batch with its entries."""
    batch = {
        "id": batch_id,
        "tenant_id": tenant_id,
        "environment": environment,
        "total": len(entries),
        "created_at": now,
    }
    items = [{name: getattr(entry, name) for name in _ITEM_COLUMNS} for entry in entries]
    with db.writing() as connection:
        connection.execute(sa.insert(Batch).values(batch))
        rows.execute(connection, _ITEMS, _ITEM_COLUMNS, items, batch_id=batch_id)
        if any(entry.invoice_id is not None for entry in entries):  # else it has ended already
            outbox.enqueue(
                connection,
                kind=outbox.BATCH,
                lane=outbox.CHORES,
                subject_id=batch_id,
                tenant_id=tenant_id,
                due_at=now + FIRST_LOOK,
            )


@dataclass(frozen=True, slots=True)
class BatchCount:
    """The documents of a batch by status; `None` counts those that were refused."""

    tenant_id: str
    environment: str
    created_at: datetime
    by_status: Mapping[str | None, int]


def count(connection: Connection, batch_id: str) -> BatchCount | None:
    """How many documents of the batch have each status; None if it was deleted.

    For workers: the tenant is the batch's.
    """
    query = select(Batch.tenant_id, Batch.environment, Batch.created_at)
    batch = connection.execute(query.where(Batch.id == batch_id)).one_or_none()
    if batch is None:
        return None
    counted = (
        select(Transmission.status, sa.func.count())
        .select_from(BatchItem)
        .outerjoin(
            Invoice,
            sa.and_(Invoice.id == BatchItem.invoice_id, Invoice.tenant_id == batch.tenant_id),
        )
        .outerjoin(Transmission, Transmission.id == Invoice.transmission_id)
        .where(BatchItem.batch_id == batch_id)
        .group_by(Transmission.status)
    )
    by_status: dict[str | None, int] = {row[0]: row[1] for row in connection.execute(counted)}
    return BatchCount(batch.tenant_id, batch.environment, batch.created_at, by_status)


def delete_before(connection: Connection, moment: datetime, limit: int) -> int:
    """Delete up to `limit` batches received before the moment; their invoices stay."""
    old = (
        select(Batch.id)
        .where(Batch.created_at < moment)
        .order_by(Batch.created_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    ids = list(connection.execute(old).scalars())
    connection.execute(delete(BatchItem).where(rows.in_values(BatchItem.batch_id, ids)))
    connection.execute(delete(Batch).where(rows.in_values(Batch.id, ids)))
    return len(ids)


@dataclass(frozen=True, slots=True)
class BatchEntryState:
    """The current state of one entry; of what follows the error all is None if it was refused."""

    position: int
    invoice_id: str | None
    error: Mapping[str, Any] | None
    number: str | None
    status: str | None
    phase: str | None
    authority_reference: str | None
    party: str | None
    grand_total: Decimal | None
    currency: str | None
    reason: str | None
    name: str | None


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch with the current state of its entries."""

    id: str
    total: int
    created_at: datetime
    states: Sequence[BatchEntryState]


@dataclass(frozen=True, slots=True)
class ListedBatch:
    """A batch of a list, with how many of its documents were refused."""

    id: str
    total: int
    created_at: datetime
    refused: int


def recent(tenant_id: str, environment: str, most: int) -> list[ListedBatch]:
    """The newest batches of a tenant, at most `most`; those by API too."""
    newest = (
        select(Batch.id, Batch.total, Batch.created_at)
        .where(Batch.tenant_id == tenant_id, Batch.environment == environment)
        .order_by(Batch.created_at.desc(), Batch.id.desc())
        .limit(most)
        .subquery()
    )
    refused = (
        select(sa.func.count())
        .where(BatchItem.batch_id == newest.c.id, BatchItem.invoice_id.is_(None))
        .correlate(newest)
        .scalar_subquery()
    )
    query = select(newest, refused).order_by(newest.c.created_at.desc(), newest.c.id.desc())
    with db.reading() as connection:
        return [ListedBatch(*row) for row in connection.execute(query)]


def find(batch_id: str, tenant_id: str, environment: str) -> BatchRecord | None:
    """The batch, if it is this tenant's in this environment."""
    query = select(Batch.id, Batch.total, Batch.created_at).where(
        Batch.id == batch_id, Batch.tenant_id == tenant_id, Batch.environment == environment
    )
    with db.reading() as connection:
        row = connection.execute(query).one_or_none()
        if row is None:
            return None
        states = [
            BatchEntryState(**found._asdict())
            for found in connection.execute(_states(batch_id, tenant_id))
        ]
    return BatchRecord(row.id, row.total, row.created_at, states)


def _states(batch_id: str, tenant_id: str) -> sa.Select[Any]:
    authority = (
        select(sa.func.max(Artefact.authority_reference))
        .where(Artefact.invoice_id == BatchItem.invoice_id, Artefact.tenant_id == tenant_id)
        .scalar_subquery()
    )
    return (
        select(
            BatchItem.position,
            BatchItem.invoice_id,
            BatchItem.error,
            Invoice.number,
            Transmission.status,
            Transmission.phase,
            authority.label("authority_reference"),
            Invoice.buyer_name.label("party"),
            Invoice.grand_total,
            Invoice.currency,
            Transmission.reason,
            BatchItem.name,
        )
        .join(Batch, sa.and_(Batch.id == BatchItem.batch_id, Batch.tenant_id == tenant_id))
        .outerjoin(Invoice, Invoice.id == BatchItem.invoice_id)
        .outerjoin(Transmission, Transmission.id == Invoice.transmission_id)
        .where(BatchItem.batch_id == batch_id)
        .order_by(BatchItem.position)
    )
