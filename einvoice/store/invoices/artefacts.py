"""Artefacts: evidence from the network, stored once however often it arrives."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, CursorResult

from einvoice.store.archive import archived
from einvoice.store.archive.archived import Part
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import Artefact, Invoice, Transmission


@dataclass(frozen=True, slots=True)
class NewArtefact:
    """One artefact to store; the columns of the table."""

    id: str
    tenant_id: str
    invoice_id: str
    transmission_id: str | None
    kind: str
    name: str
    content_type: str
    sha256: str
    size: int
    authority_reference: str | None
    legal_original: bool
    retention_years: int | None
    created_at: datetime
    content: bytes


def add_missing(connection: Connection, found: Sequence[NewArtefact]) -> set[str]:
    """Store the artefacts that are not stored yet; returns the digests of the new ones."""
    if not found:
        return set()
    new = set(_insert(connection, found).scalars())
    late = [item for item in found if item.sha256 in new]
    if late:
        owners = {item.invoice_id for item in late}
        archived.move_late(connection, owners, late[0].created_at + LATE)
    return new


LATE = timedelta(days=1)  # after which an artefact of an archived invoice is moved, too
# As many bytes as a hundred receipts; larger sets are inserted one by one.
MAX_JSON_BYTES = 200_000


def _insert(connection: Connection, found: Sequence[NewArtefact]) -> CursorResult[Any]:
    values = [{name: getattr(item, name) for name in NewArtefact.__slots__} for item in found]
    if _may_be_packed(found):
        for row, item in zip(values, found, strict=True):
            row["content"] = b64encode(item.content).decode()
        return rows.execute(connection, _PACKED, _COLUMNS, values)
    missing = upsert(connection, Artefact).on_conflict_do_nothing().returning(Artefact.sha256)
    return connection.execute(missing, values)


def _may_be_packed(found: Sequence[NewArtefact]) -> bool:
    """Not on SQLite: 3.40 has no function that decodes text into bytes."""
    packed = db.is_postgresql() and db.optimisations().packed_artefacts
    return packed and sum(item.size for item in found) <= MAX_JSON_BYTES


_PACKED = """
INSERT INTO artefacts (id, tenant_id, invoice_id, transmission_id, kind, name, content_type, sha256,
    size, authority_reference, legal_original, retention_years, created_at, content)
SELECT x.id, x.tenant_id, x.invoice_id, x.transmission_id, x.kind, x.name, x.content_type, x.sha256,
    x.size, x.authority_reference, x.legal_original, x.retention_years, x.created_at,
    decode(x.content, 'base64') FROM {rows}
ON CONFLICT DO NOTHING RETURNING artefacts.sha256
"""
_COLUMNS = {
    "id": rows.TEXT, "tenant_id": rows.TEXT, "invoice_id": rows.TEXT, "transmission_id": rows.TEXT,
    "kind": rows.TEXT, "name": rows.TEXT, "content_type": rows.TEXT, "sha256": rows.TEXT,
    "size": rows.INT, "authority_reference": rows.TEXT, "legal_original": rows.BOOL,
    "retention_years": rows.INT, "created_at": rows.MOMENT, "content": rows.TEXT,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ArtefactSummary:
    """An artefact in a list.

    authority_reference  the number that an authority gave it
    legal_original       whether it is what is legally the invoice
    retention_years      for how long it must be kept; None: as the law of the tenant says
    """

    id: str
    kind: str
    name: str
    content_type: str
    size: int
    sha256: str
    created_at: datetime
    authority_reference: str | None = None
    legal_original: bool = False
    retention_years: int | None = None


_SUMMARY = RecordColumns(ArtefactSummary, Artefact)


def of_invoice(invoice_id: str, tenant_id: str) -> list[ArtefactSummary]:
    """The evidence of an invoice of the tenant, oldest first."""
    query = (
        _SUMMARY.select()
        .where(Artefact.invoice_id == invoice_id, Artefact.tenant_id == tenant_id)
        .order_by(Artefact.created_at, Artefact.id)
    )
    with db.reading() as connection:
        return _SUMMARY.all(connection.execute(query))


@dataclass(frozen=True, slots=True)
class ArtefactContent:
    """An artefact with its bytes."""

    content: bytes
    content_type: str
    name: str


@dataclass(frozen=True, slots=True)
class _Row:
    id: str
    kind: str
    content: bytes
    content_type: str
    name: str
    authority_reference: str | None
    archived_at: datetime | None
    transmission_id: str | None


_ROW = RecordColumns(_Row, Artefact)


def content(invoice_id: str, artefact_id: str, tenant_id: str) -> ArtefactContent | None:
    """One artefact of an invoice of the tenant.

    Raises DocumentDropped, ArchiveUnavailable and ArchiveDamaged.
    """
    query = _ROW.select().where(
        Artefact.invoice_id == invoice_id,
        Artefact.id == artefact_id,
        Artefact.tenant_id == tenant_id,
    )
    with db.reading() as connection:
        row = _ROW.one_or_none(connection.execute(query))
    if row is None:
        return None
    return ArtefactContent(_contents([row])[row.id], row.content_type, row.name)


def _contents(found: Sequence[_Row]) -> dict[str, bytes]:
    """The bytes of artefacts by id, read from the archive where they are not in the row."""
    away = archived.placed([row.id for row in found if row.archived_at is not None])
    return {
        row.id: row.content
        if row.archived_at is None
        else archived.content_of(away[row.id, Part.CONTENT])
        for row in found
    }


@dataclass(frozen=True, slots=True)
class KeptEvidence:
    """Evidence of a transmission, with its bytes."""

    kind: str
    content: bytes
    authority_reference: str | None


MAX_EVIDENCE = 100  # that is read at once


def of_transmission(transmission_id: str, invoice_id: str, tenant_id: str) -> list[KeptEvidence]:
    """The evidence of a transmission of the tenant, oldest first.

    Of more than MAX_EVIDENCE the newest ones.

    Raises DocumentDropped, ArchiveUnavailable and ArchiveDamaged.
    """
    query = (
        _ROW.select()
        .where(
            Artefact.invoice_id == invoice_id,
            Artefact.transmission_id == transmission_id,
            Artefact.tenant_id == tenant_id,
        )
        .order_by(Artefact.created_at.desc(), Artefact.id.desc())
        .limit(MAX_EVIDENCE)
    )
    with db.reading() as connection:
        found = _ROW.all(connection.execute(query))[::-1]
    contents = _contents(found)
    return [KeptEvidence(row.kind, contents[row.id], row.authority_reference) for row in found]


@dataclass(frozen=True, slots=True)
class KeptOfConnection:
    """Evidence of a document that was sent by a connection, with the number of its invoice."""

    number: str
    kind: str
    content: bytes


MAX_DOCUMENTS_READ = 50


def of_connection(
    connection_id: str, tenant_id: str, kinds: Sequence[str], after: str
) -> tuple[list[KeptOfConnection], str | None]:
    """The evidence of the next documents of a connection, and the place after them.

    after  the place of the page before; "" for the first. The place returned is None at the end

    Goes by the ids of transmissions, which are ordered by time: an audit reads them all anyway, and
    sends need no index for it. Raises DocumentDropped, ArchiveUnavailable and ArchiveDamaged.
    """
    sent = (
        sa.select(Transmission.id, Transmission.invoice_id, Invoice.number)
        .join(Invoice, Invoice.id == Transmission.invoice_id)
        .where(
            Transmission.tenant_id == tenant_id,
            Transmission.connection_id == connection_id,
            Transmission.id > after,
        )
        .order_by(Transmission.id)
        .limit(MAX_DOCUMENTS_READ)
    )
    with db.reading() as connection:
        page = connection.execute(sent).all()
        numbers: dict[str | None, str | None] = {txn: number for txn, _, number in page}
        query = _ROW.select().where(
            rows.in_values(Artefact.invoice_id, [invoice_id for _, invoice_id, _ in page]),
            rows.in_values(Artefact.transmission_id, list(numbers)),
            Artefact.tenant_id == tenant_id,
            Artefact.kind.in_(kinds),
        )
        ordered = query.order_by(Artefact.transmission_id, Artefact.created_at, Artefact.id)
        kept = _ROW.all(connection.execute(ordered))
    contents = _contents(kept)
    found = [
        KeptOfConnection(numbers[row.transmission_id] or "", row.kind, contents[row.id])
        for row in kept
    ]
    return found, page[-1].id if len(page) == MAX_DOCUMENTS_READ else None
