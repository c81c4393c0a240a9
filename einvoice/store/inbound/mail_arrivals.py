"""The newest documents of mailboxes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Invoice, Received

MAX_EXAMINED = 2_000  # bills of the tenant, the newest first


@dataclass(frozen=True, slots=True)
class FetchedDocument:
    """A document that was fetched from a mailbox. `syntax`: None if it could not be read."""

    invoice_id: str
    connection_id: str
    number: str | None
    supplier_name: str | None
    syntax: str | None
    warnings: Sequence[dict[str, Any]]
    created_at: datetime
    processed_at: datetime | None


_FETCHED = RecordColumns(
    FetchedDocument,
    Received,
    number=Invoice.number,
    supplier_name=Invoice.supplier_name,
    warnings=Invoice.warnings,
)


def newest(
    tenant_id: str, environment: str, connection_ids: Collection[str], most: int
) -> list[FetchedDocument]:
    """The newest documents of these connections, among the newest bills of the tenant."""
    if not connection_ids:
        return []
    examined = (
        select(Received.invoice_id)
        .where(Received.tenant_id == tenant_id, Received.environment == environment)
        .order_by(Received.created_at.desc())
        .limit(MAX_EXAMINED)
        .subquery()
    )
    query = (
        _FETCHED.select()
        .join(Invoice, Invoice.id == Received.invoice_id)
        .where(
            Received.invoice_id.in_(select(examined.c.invoice_id)),
            Received.tenant_id == tenant_id,
            Received.connection_id.in_(list(connection_ids)),
        )
        .order_by(Received.created_at.desc(), Received.invoice_id.desc())
        .limit(most)
    )
    with db.reading() as connection:
        return _FETCHED.all(connection.execute(query))
