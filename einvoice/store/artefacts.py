"""Artefacts: evidence from the network, kept once however often it arrives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from einvoice.store import db
from einvoice.store.tables import Artefact


@dataclass(frozen=True, slots=True)
class New:
    """One artefact to keep; the columns of the table."""

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


def keep(connection: Connection, found: Sequence[New]) -> None:
    """Keep what is not there yet."""
    if found:
        connection.execute(_insert(connection), [_values(item) for item in found])


def keep_and_tell(connection: Connection, found: Sequence[New]) -> set[str]:
    """Keep what is not there yet; the digests of those that were new."""
    if not found:
        return set()
    statement = _insert(connection).returning(Artefact.sha256)
    return set(connection.execute(statement, [_values(item) for item in found]).scalars())


def _values(item: New) -> dict[str, object]:
    return {name: getattr(item, name) for name in New.__slots__}


def _insert(connection: Connection) -> sa.Insert:
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    return insert(Artefact).on_conflict_do_nothing()


@dataclass(frozen=True, slots=True)
class Kept:
    """An artefact as it is listed."""

    id: str
    kind: str
    name: str
    content_type: str
    size: int
    sha256: str
    created_at: datetime


def of_invoice(invoice_id: str) -> list[Kept]:
    """The evidence of one invoice, oldest first. The caller has checked whose it is."""
    query = (
        select(
            Artefact.id,
            Artefact.kind,
            Artefact.name,
            Artefact.content_type,
            Artefact.size,
            Artefact.sha256,
            Artefact.created_at,
        )
        .where(Artefact.invoice_id == invoice_id)
        .order_by(Artefact.created_at, Artefact.id)
    )
    with db.reading() as connection:
        return [Kept(*row) for row in connection.execute(query)]


def content(invoice_id: str, artefact_id: str) -> tuple[bytes, str, str] | None:
    """(content, content type, name) of one artefact of the invoice."""
    query = select(Artefact.content, Artefact.content_type, Artefact.name).where(
        Artefact.invoice_id == invoice_id, Artefact.id == artefact_id
    )
    with db.reading() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else (row[0], row[1], row[2])


_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def safe_name(number: str) -> str:
    """An invoice number as part of a file name on any system."""
    return _UNSAFE.sub("-", number)[:80].strip("-.") or "invoice"
