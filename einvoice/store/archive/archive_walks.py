"""Which invoices are moved to the archive next: walks, those to look at again, and their bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import delete, func, select, update
from sqlalchemy.engine import Connection

from einvoice.domain.artefacts import EmbeddedPdf
from einvoice.domain.delivery import Phase
from einvoice.domain.environments import Environment
from einvoice.store.archive.dropped import KeptInvoice
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import (
    ArchiveLater,
    ArchiveWalk,
    Artefact,
    Invoice,
    Outbox,
    Transmission,
)

# -- walks -----------------------------------------------------------------------------------------

UNORDERED = "unordered"  # the end of the names of walks over ids that are not ordered by time


def begin_walk(name: str, start: str, *, token: str, now: datetime, lease: timedelta) -> str | None:
    """Lease the walk and return its position; None while another process walks."""
    values = {"name": name, "position": start}
    with db.writing() as connection:
        connection.execute(upsert(connection, ArchiveWalk).values(values).on_conflict_do_nothing())
        taken = connection.execute(
            update(ArchiveWalk)
            .where(
                ArchiveWalk.name == name,
                sa.or_(ArchiveWalk.token.is_(None), ArchiveWalk.lease_until < now),
            )
            .values(token=token, lease_until=now + lease)
            .returning(ArchiveWalk.position)
        )
        found: str | None = taken.scalar()
    return found


def advance_walk(
    connection: Connection, name: str, token: str, position: str, until: datetime
) -> bool:
    """Store the position and extend the lease; False if another process has the walk."""
    moved = connection.execute(
        update(ArchiveWalk)
        .where(ArchiveWalk.name == name, ArchiveWalk.token == token)
        .values(position=position, lease_until=until)
    )
    return bool(moved.rowcount)


def end_walk(name: str, token: str) -> None:
    """Give the walk back."""
    with db.writing() as connection:
        connection.execute(
            update(ArchiveWalk)
            .where(ArchiveWalk.name == name, ArchiveWalk.token == token)
            .values(token=None, lease_until=None)
        )


def forget_walk(connection: Connection, name: str) -> None:
    """Have the walk begin again."""
    connection.execute(delete(ArchiveWalk).where(ArchiveWalk.name == name))


def rewind(connection: Connection, position: str) -> None:
    """Have walks go back to a position, also those that go on now; walks over ids that are not
    ordered by time begin again."""
    connection.execute(delete(ArchiveWalk).where(ArchiveWalk.name.endswith(UNORDERED)))
    connection.execute(
        update(ArchiveWalk)
        .where(ArchiveWalk.position > position)
        .values(position=position, token=None, lease_until=None)
    )


def first_of(connection: Connection, tenant_id: str) -> datetime | None:
    """When the oldest invoice of a tenant was made."""
    found = [
        connection.execute(
            select(func.min(Invoice.created_at, type_=Invoice.created_at.type)).where(
                Invoice.tenant_id == tenant_id, Invoice.environment == each.value
            )
        ).scalar_one()
        for each in Environment
    ]
    return min((at for at in found if at is not None), default=None)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An invoice in the order of a walk. `size`: bytes of the invoice in its row."""

    id: str
    tenant_id: str
    created_at: datetime
    archived_at: datetime | None
    size: int


_CANDIDATE = RecordColumns(
    Candidate,
    Invoice,
    size=func.length(Invoice.original)
    + func.length(Invoice.document)
    + func.coalesce(func.length(Invoice.network_document), 0),
)


def after(position: str, until: str | None, limit: int) -> list[Candidate]:
    """The next invoices of any tenant, by id; `until`: an id that is not reached."""
    query = _CANDIDATE.select().where(Invoice.id > position).order_by(Invoice.id).limit(limit)
    if until is not None:
        query = query.where(Invoice.id < until)
    with db.reading_by_key() as connection:
        return _CANDIDATE.all(connection.execute(query))


def due_later(now: datetime, limit: int) -> list[Candidate]:
    """Invoices that were put off until now, the longest due first."""
    query = (
        _CANDIDATE.select()
        .join(ArchiveLater, ArchiveLater.invoice_id == Invoice.id)
        .where(ArchiveLater.due_at <= now)
        .order_by(ArchiveLater.due_at)
        .limit(limit)
    )
    with db.reading_by_key() as connection:
        return _CANDIDATE.all(connection.execute(query))


def put_off(connection: Connection, invoice_ids: Iterable[str], due_at: datetime) -> None:
    """Look at the invoices again at this time."""
    values = [{"invoice_id": each, "due_at": due_at} for each in sorted(set(invoice_ids))]
    if values:
        adding = upsert(connection, ArchiveLater)
        changing = {"due_at": adding.excluded.due_at}
        connection.execute(
            adding.on_conflict_do_update(index_elements=["invoice_id"], set_=changing), values
        )


def not_put_off(connection: Connection, invoice_ids: Iterable[str]) -> None:
    """The invoices need no other look."""
    connection.execute(
        delete(ArchiveLater).where(rows.in_values(ArchiveLater.invoice_id, invoice_ids))
    )


def artefact_sizes(invoice_ids: Collection[str]) -> dict[str, int]:
    """Bytes of the artefacts of each invoice that are in their rows."""
    query = (
        select(Artefact.invoice_id, func.sum(Artefact.size))
        .where(
            rows.in_values(Artefact.invoice_id, sorted(invoice_ids)), Artefact.archived_at.is_(None)
        )
        .group_by(Artefact.invoice_id)
    )
    with db.reading_by_key() as connection:
        return {owner: int(size) for owner, size in connection.execute(query)}


def busy(invoice_ids: Collection[str]) -> set[str]:
    """The invoices, of the given ones, that are not final or that a worker has work with."""
    waiting = select(Outbox.id).where(Outbox.subject_id == Transmission.id).exists()
    query = select(Transmission.invoice_id).where(
        rows.in_values(Transmission.invoice_id, sorted(invoice_ids)),
        sa.or_(Transmission.phase != Phase.DONE.value, waiting),
    )
    unfinished = select(Invoice.id).where(
        rows.in_values(Invoice.id, sorted(invoice_ids)), Invoice.embed_pdf == EmbeddedPdf.DUE.value
    )
    with db.reading_by_key() as connection:
        return {*connection.execute(query).scalars(), *connection.execute(unfinished).scalars()}


def count_later() -> int:
    """How many invoices have to be looked at again."""
    with db.reading() as connection:
        return connection.execute(select(func.count()).select_from(ArchiveLater)).scalar_one()


# -- content ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InvoiceBytes(KeptInvoice):
    """The bytes of an invoice that are in its row, and what its retention depends on."""

    original: bytes
    document: bytes
    network_document: bytes | None


@dataclass(frozen=True, slots=True)
class ArtefactBytes:
    """An artefact whose bytes are in its row."""

    id: str
    tenant_id: str
    invoice_id: str
    kind: str
    sha256: str
    retention_years: int | None
    content: bytes


_INVOICE, _ARTEFACT = RecordColumns(InvoiceBytes, Invoice), RecordColumns(ArtefactBytes, Artefact)


def bytes_of(invoice_ids: Collection[str]) -> tuple[list[InvoiceBytes], list[ArtefactBytes]]:
    """The invoices, and their artefacts whose bytes are in rows."""
    own = _INVOICE.select().where(rows.in_values(Invoice.id, sorted(invoice_ids)))
    evidence = _ARTEFACT.select().where(
        rows.in_values(Artefact.invoice_id, sorted(invoice_ids)), Artefact.archived_at.is_(None)
    )
    with db.reading_by_key() as connection:
        return _INVOICE.all(connection.execute(own)), _ARTEFACT.all(connection.execute(evidence))
