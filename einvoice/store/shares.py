"""Links for buyers: creating and revoking them, and the invoice that a link shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy import insert, select, update
from sqlalchemy.engine import Connection

from einvoice.store import db
from einvoice.store.records import RecordColumns
from einvoice.store.tables import Invoice, ShareLink, Transmission


def lock_invoice(connection: Connection, invoice_id: str) -> None:
    """Hold the invoice until the commit: of several who share it at once, each waits its turn."""
    connection.execute(
        select(Invoice.id).where(Invoice.id == invoice_id).with_for_update(key_share=True)
    )


def shared_since(connection: Connection, invoice_id: str) -> datetime | None:
    """When the link that works was made."""
    query = select(ShareLink.created_at).where(
        ShareLink.invoice_id == invoice_id, ShareLink.revoked_at.is_(None)
    )
    found: datetime | None = connection.execute(query).scalar()
    return found


def add(
    connection: Connection,
    *,
    link_id: str,
    tenant_id: str,
    invoice_id: str,
    digest: str,
    now: datetime,
) -> None:
    """A link that works from the commit on; there must be no other."""
    connection.execute(
        insert(ShareLink).values(
            id=link_id, tenant_id=tenant_id, invoice_id=invoice_id, digest=digest, created_at=now
        )
    )


def revoke(connection: Connection, invoice_id: str, now: datetime) -> bool:
    """End the link that works; False where there is none."""
    ended = connection.execute(
        update(ShareLink)
        .where(ShareLink.invoice_id == invoice_id, ShareLink.revoked_at.is_(None))
        .values(digest=None, revoked_at=now)
    )
    return bool(ended.rowcount)


def of_invoice(invoice_id: str) -> list[tuple[datetime, datetime | None]]:
    """(made, revoked) of every link there was, oldest first. The caller checked whose it is."""
    query = (
        select(ShareLink.created_at, ShareLink.revoked_at)
        .where(ShareLink.invoice_id == invoice_id)
        .order_by(ShareLink.created_at, ShareLink.id)
    )
    with db.reading() as connection:
        return [(row.created_at, row.revoked_at) for row in connection.execute(query)]


def is_shared() -> sa.ColumnElement[bool]:
    """Whether an invoice of a query has a link that works."""
    return (
        select(ShareLink.id)
        .where(ShareLink.invoice_id == Invoice.id, ShareLink.revoked_at.is_(None))
        .correlate(Invoice)
        .exists()
    )


@dataclass(frozen=True, slots=True)
class SharedInvoice:
    """An invoice as its buyer sees it through a link."""

    invoice_id: str
    tenant_id: str
    environment: str
    kind: str
    number: str
    issue_date: date
    due_date: date | None
    currency: str
    payable: Decimal
    supplier_name: str
    buyer_country: str | None
    status: str
    delivered_at: datetime


_SHARED = RecordColumns(
    SharedInvoice,
    Invoice,
    invoice_id=Invoice.id,
    buyer_country=Transmission.receiver_country,
    status=Transmission.status,
    delivered_at=Transmission.settled_at,
)


def find_shared(digest: str) -> SharedInvoice | None:
    """What the link of this digest opens. One index is asked, whatever the answer."""
    query = (
        _SHARED.select()
        .select_from(ShareLink)
        .join(Invoice, Invoice.id == ShareLink.invoice_id)
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .where(ShareLink.digest == digest)
    )
    with db.reading() as connection:
        return _SHARED.one_or_none(connection.execute(query))
