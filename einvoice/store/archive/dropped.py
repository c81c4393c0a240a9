"""Dropping bytes at the end of their retention, with the proof of what they were."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy import select, update
from sqlalchemy.engine import Connection

from einvoice.store.archive import archive_objects
from einvoice.store.archive.archive_objects import NewPart, RegisteredObject
from einvoice.store.archive.archived import ObjectState, Part
from einvoice.store.core import rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import (
    ArchiveObject,
    ArchivePart,
    Artefact,
    Invoice,
    Received,
    Transmission,
)


@dataclass(frozen=True, slots=True)
class KeptInvoice:
    """The facts that decide the retention of an invoice, and whether its bytes are in its row."""

    id: str
    tenant_id: str
    environment: str
    direction: str
    kind: str
    supplier_country: str | None
    buyer_country: str | None
    issue_date: date | None
    created_at: datetime
    archived_at: datetime | None


@dataclass(frozen=True, slots=True)
class KeptArtefact:
    """The facts that decide the retention of an artefact, and whether its bytes are in its row."""

    id: str
    tenant_id: str
    invoice_id: str
    kind: str
    sha256: str
    size: int
    retention_years: int | None
    archived_at: datetime | None

    @property
    def part(self) -> NewPart:
        return NewPart(
            self.id, Part.CONTENT, self.tenant_id, self.invoice_id, self.kind, self.sha256,
            self.size,
        )  # fmt: skip


_INVOICE, _ARTEFACT = RecordColumns(KeptInvoice, Invoice), RecordColumns(KeptArtefact, Artefact)


def lock(
    connection: Connection, invoice_ids: Collection[str]
) -> tuple[list[KeptInvoice], list[KeptArtefact]]:
    """The invoices and their artefacts, locked until the commit."""
    given = sorted(invoice_ids)
    own = _INVOICE.select().where(rows.in_values(Invoice.id, given)).order_by(Invoice.id)
    found = _INVOICE.all(connection.execute(own.with_for_update()))
    evidence = _ARTEFACT.select().where(rows.in_values(Artefact.invoice_id, given))
    ordered = evidence.order_by(Artefact.id).with_for_update()
    return found, _ARTEFACT.all(connection.execute(ordered))


def bytes_of(connection: Connection, invoice_id: str) -> dict[Part, bytes | None]:
    """The bytes in the row of an invoice."""
    query = select(Invoice.original, Invoice.document, Invoice.network_document)
    original, document, other = connection.execute(query.where(Invoice.id == invoice_id)).one()
    return {Part.ORIGINAL: original, Part.DOCUMENT: document, Part.NETWORK_DOCUMENT: other}


def drop_in_rows(
    connection: Connection, parts: Sequence[tuple[NewPart, str]], now: datetime
) -> None:
    """Empty the rows of these parts, and store what they were and the rule of each."""
    if not parts:
        return
    owners = {part.owner_id for part, _ in parts}
    archive_objects.clear_invoices(connection, owners, now)
    archive_objects.clear_artefacts(connection, owners, now)
    values = [
        {name: getattr(part, name) for name in NewPart.__slots__}
        | {"moved_at": None, "dropped_at": now, "dropped_rule": rule}
        for part, rule in parts
    ]
    connection.execute(sa.insert(ArchivePart), values)


def drop_in_objects(connection: Connection, owners: Mapping[str, str], now: datetime) -> int:
    """Mark the parts of these owners, each with its rule, as dropped; how many."""
    count = 0
    for owner_id, rule in sorted(owners.items()):
        dropped = connection.execute(
            update(ArchivePart)
            .where(ArchivePart.owner_id == owner_id, ArchivePart.dropped_at.is_(None))
            .values(dropped_at=now, dropped_rule=rule)
        )
        count += dropped.rowcount
    return count


def begin_removals(
    connection: Connection, owners: Collection[str], now: datetime
) -> list[RegisteredObject]:
    """Keep anything from pointing to objects of these owners that no part points to any more."""
    pointed = select(ArchivePart.tenant_id, ArchivePart.sha256).where(
        rows.in_values(ArchivePart.owner_id, sorted(owners))
    )
    objects = sorted({(row.tenant_id, row.sha256) for row in connection.execute(pointed)})
    if not objects:
        return []
    unused = connection.execute(
        update(ArchiveObject)
        .where(
            sa.tuple_(ArchiveObject.tenant_id, ArchiveObject.sha256).in_(objects),
            ArchiveObject.state == ObjectState.STORED.value,
            ~archive_objects.POINTED_TO,
        )
        .values(state=ObjectState.REMOVING.value, changed_at=now)
        .returning(*archive_objects.REGISTERED.returning())
    )
    return archive_objects.REGISTERED.all(unused)


def clear_copies(connection: Connection, invoice_ids: Collection[str]) -> None:
    """Empty the other columns that have bytes of these invoices."""
    given = sorted(invoice_ids)
    connection.execute(
        update(Transmission)
        .where(rows.in_values(Transmission.invoice_id, given), Transmission.prepared.is_not(None))
        .values(prepared=None)
    )
    connection.execute(
        update(Received)
        .where(rows.in_values(Received.invoice_id, given), Received.receipt.is_not(None))
        .values(receipt=None)
    )
