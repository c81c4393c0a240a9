"""Content that is not in its row: where it lies, and reading it.

`content_of` is the only function that reads the archive; the records of invoices, transmissions and
artefacts call it when their bytes are asked for, so no caller knows where they lie.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.archive.objects import (
    ObjectDamaged,
    ObjectMissing,
    ObjectName,
    StoreFault,
    digest,
    unpack,
)
from einvoice.domain.errors import ArchiveDamaged, ArchiveUnavailable, DocumentDropped
from einvoice.observability import logging, metrics
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.resources import resources
from einvoice.store.core.types import Moment
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import ArchiveLater, ArchiveObject, ArchivePart, Invoice

log = logging.get(__name__)


class Part(StrEnum):
    """A column of bytes that may be archived: three of an invoice, one of an artefact."""

    ORIGINAL = "original"
    DOCUMENT = "document"
    NETWORK_DOCUMENT = "network_document"
    CONTENT = "content"


class ObjectState(StrEnum):
    """State of an object; only a stored one is pointed to.

    writing   it may be in the store or not
    stored    it was written, read back and compared
    removing  it is being deleted, so nothing may point to it
    """

    WRITING = "writing"
    STORED = "stored"
    REMOVING = "removing"


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """Where a part lies; of a dropped one when and why it was dropped. `store` and `encoding` are
    None if it never was in an object."""

    owner_id: str
    part: str
    tenant_id: str
    invoice_id: str
    kind: str
    sha256: str
    size: int
    dropped_at: datetime | None
    dropped_rule: str | None
    store: str | None
    encoding: str | None

    @property
    def name(self) -> ObjectName:
        return ObjectName(self.tenant_id, self.sha256, self.encoding or "")


_PLACED = RecordColumns(
    PlacedPart, ArchivePart, store=ArchiveObject.store, encoding=ArchiveObject.encoding
)
_SELECT = _PLACED.select().outerjoin(
    ArchiveObject,
    sa.and_(
        ArchiveObject.tenant_id == ArchivePart.tenant_id,
        ArchiveObject.sha256 == ArchivePart.sha256,
    ),
)


def placed(owner_ids: Collection[str]) -> dict[tuple[str, str], PlacedPart]:
    """The parts of invoices and artefacts that are not in their rows, by owner and part."""
    if not owner_ids:
        return {}
    query = _SELECT.where(rows.in_values(ArchivePart.owner_id, sorted(owner_ids)))
    with db.reading_by_key() as connection:
        found = _PLACED.all(connection.execute(query))
    return {(each.owner_id, each.part): each for each in found}


def content_of(part: PlacedPart) -> bytes:
    """The content, compared with its SHA-256.

    Raises DocumentDropped, ArchiveUnavailable and ArchiveDamaged.
    """
    if part.dropped_at is not None:
        at = clock.timestamp(part.dropped_at)
        raise DocumentDropped(part.kind, part.sha256, at, part.dropped_rule or "", part.size)
    try:
        return _read(part)
    except StoreFault as fault:
        _report("unavailable", part, fault)
        message = f"The {part.kind} is in the archive, which does not answer at the moment."
        raise ArchiveUnavailable(message) from fault
    except ObjectMissing as fault:
        _report("missing", part, fault)
        raise ArchiveDamaged(part.kind, part.sha256) from fault
    except ObjectDamaged as fault:
        _report("damaged", part, fault)
        raise ArchiveDamaged(part.kind, part.sha256) from fault


def _read(part: PlacedPart) -> bytes:
    stores = resources().archive
    store = stores.named(part.store or "")
    began = clock.monotonic()
    with stores.waiting():
        packed = store.get(part.name.key)
    metrics.archive_read(part.store or "", clock.monotonic() - began)
    return unpack(packed, part.name, part.size)


def _report(fault: str, part: PlacedPart, reason: Exception) -> None:
    metrics.archive_fault(fault)
    log.error(
        "archive not readable",
        fault=fault,
        reason=str(reason),
        invoice=part.invoice_id,
        kind=part.kind,
        sha256=part.sha256,
    )


def move_late(connection: Connection, invoice_ids: Collection[str], due_at: datetime) -> None:
    """Mark invoices that are in the archive to be looked at again: they got an artefact."""
    if resources().archive.written is None:
        return
    due = sa.literal(due_at, Moment())
    moved = sa.select(Invoice.id, due).where(
        rows.in_values(Invoice.id, sorted(invoice_ids)), Invoice.archived_at.is_not(None)
    )
    connection.execute(
        upsert(connection, ArchiveLater)
        .from_select(["invoice_id", "due_at"], moved)
        .on_conflict_do_nothing()
    )


@dataclass(slots=True)
class LazyContent:
    """Bytes of a row or of the archive, read when they are asked for."""

    _content: bytes | None
    _placed: PlacedPart | None = field(default=None)

    def read(self) -> bytes:
        """The bytes. Raises DocumentDropped, ArchiveUnavailable and ArchiveDamaged."""
        if self._content is None:
            assert self._placed is not None  # noqa: S101 - one of both is given
            self._content = content_of(self._placed)
        return self._content

    @property
    def size(self) -> int:
        """Its bytes; known without reading the archive."""
        return len(self.read()) if self._placed is None else self._placed.size

    @property
    def sha256(self) -> str:
        """Its SHA-256; known without reading the archive."""
        return digest(self.read()) if self._placed is None else self._placed.sha256


def parts_of_row(own: Mapping[Part, bytes | None]) -> dict[str, LazyContent]:
    """The parts of an invoice whose bytes are in its row; empty ones do not exist."""
    return {name: LazyContent(each) for name, each in own.items() if each}


def parts_of_invoice(invoice_id: str) -> dict[str, LazyContent]:
    """The parts of an invoice whose bytes are not in its row."""
    found = placed([invoice_id])
    return {part: LazyContent(None, where) for (_, part), where in found.items()}
