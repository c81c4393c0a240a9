"""Deleting the rows of invoices of which everything is dropped, with what stays of them: their
number by month, and one digest of what was deleted together."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import select
from sqlalchemy.engine import Connection

from einvoice.domain.plans import month_of
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.invoices import blocks, ended_counts
from einvoice.store.invoices.blocks import Counted
from einvoice.store.invoices.ended_counts import EndedKind
from einvoice.store.tables import ArchivePart, Attempt, Invoice, Transmission

# Tables with an invoice's id whose rows stay, and why.
STAY: Mapping[str, str] = {
    "archive_holds": "who kept what, and why, is not about the content",
    "batch_items": "deleted 30 days after the batch",
    "events": "deleted 30 days after the event",
    "idempotency_keys": "deleted 30 days after the send",
    "messages": "deleted 1,100 days after their outcome",
}


@dataclass(frozen=True, slots=True)
class EndedInvoice:
    """An invoice of which everything is dropped, with its newest transmission."""

    id: str
    tenant_id: str
    environment: str
    created_at: datetime
    access_point: str
    status: str


_ENDED = RecordColumns(
    EndedInvoice, Invoice, access_point=Transmission.access_point, status=Transmission.status
)


def of(connection: Connection, invoice_ids: Collection[str]) -> list[EndedInvoice]:
    """The invoices, in the order of their ids."""
    query = (
        _ENDED.select()
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .where(rows.in_values(Invoice.id, sorted(invoice_ids)))
        .order_by(Invoice.id)
    )
    return _ENDED.all(connection.execute(query))


def digest(connection: Connection, invoices: Iterable[EndedInvoice]) -> str:
    """The SHA-256 of a line `<invoice id> <part> <kind> <sha256>` of each dropped part, sorted.

    Of an artefact the part is its id.
    """
    given = {one.id for one in invoices}
    part = sa.case(
        (ArchivePart.owner_id == ArchivePart.invoice_id, ArchivePart.part),
        else_=ArchivePart.owner_id,
    )
    query = select(ArchivePart.invoice_id, part, ArchivePart.kind, ArchivePart.sha256).where(
        rows.in_values(ArchivePart.invoice_id, sorted(given))
    )
    lines = sorted(" ".join(row) for row in connection.execute(query))
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def delete(connection: Connection, invoices: Collection[EndedInvoice]) -> None:
    """Delete the invoices from all tables, and count them by month."""
    delete_rows(connection, sorted(one.id for one in invoices))
    ended_counts.add(connection, Counter(map(_kind, invoices)))
    for scope in sorted(_scopes(invoices), key=astuple):
        blocks.reopen_all(connection, scope)


def delete_rows(connection: Connection, invoice_ids: Collection[str]) -> None:
    """Delete the invoices from all tables. The caller has chosen them."""
    given = list(invoice_ids)
    sent = select(Transmission.id).where(rows.in_values(Transmission.invoice_id, given))
    connection.execute(sa.delete(Attempt).where(rows.in_subquery(Attempt.transmission_id, sent)))
    for table in with_invoices():
        connection.execute(sa.delete(table).where(rows.in_values(table.c.invoice_id, given)))
    connection.execute(sa.delete(Invoice).where(rows.in_values(Invoice.id, given)))


def with_invoices() -> list[sa.Table]:
    """The tables whose rows belong to one invoice, each before those that it refers to."""
    return [
        table
        for table in reversed(db.Base.metadata.sorted_tables)
        if "invoice_id" in table.c and table.name not in STAY
    ]


def _kind(invoice: EndedInvoice) -> EndedKind:
    month = month_of(invoice.created_at)
    owner = invoice.tenant_id, invoice.environment
    return EndedKind(*owner, month, invoice.access_point, invoice.status)


def _scopes(invoices: Iterable[EndedInvoice]) -> Iterator[Counted]:
    """The times of each tenant and environment from their first to their last invoice."""
    times: dict[tuple[str, str], list[datetime]] = {}
    for one in invoices:
        times.setdefault((one.tenant_id, one.environment), []).append(one.created_at)
    for owner, created in times.items():
        yield Counted(*owner, first=min(created), last=max(created))
