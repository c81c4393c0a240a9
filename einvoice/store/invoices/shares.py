"""Share links: creating and revoking them, and the invoice behind a link."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy import insert, select, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Invoice, ShareLink, Tenant, Transmission


def lock_invoice(connection: Connection, invoice_id: str) -> None:
    """Lock the invoice until the commit, so that concurrent changes of its link are serialised."""
    connection.execute(
        select(Invoice.id).where(Invoice.id == invoice_id).with_for_update(key_share=True)
    )


def shared_since(connection: Connection, invoice_id: str) -> datetime | None:
    """When the valid link was created; None without one."""
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
    """Add a link. The invoice must not have a valid one."""
    connection.execute(
        insert(ShareLink).values(
            id=link_id, tenant_id=tenant_id, invoice_id=invoice_id, digest=digest, created_at=now
        )
    )


def revoke(connection: Connection, invoice_id: str, tenant_id: str, now: datetime) -> bool:
    """Revoke the valid link of an invoice of the tenant; False without one."""
    ended = connection.execute(
        update(ShareLink)
        .where(
            ShareLink.invoice_id == invoice_id,
            ShareLink.tenant_id == tenant_id,
            ShareLink.revoked_at.is_(None),
        )
        .values(digest=None, revoked_at=now)
    )
    return bool(ended.rowcount)


def of_invoice(invoice_id: str, tenant_id: str) -> list[tuple[datetime, datetime | None]]:
    """(created, revoked) of all links of an invoice of the tenant, oldest first."""
    query = (
        select(ShareLink.created_at, ShareLink.revoked_at)
        .where(ShareLink.invoice_id == invoice_id, ShareLink.tenant_id == tenant_id)
        .order_by(ShareLink.created_at, ShareLink.id)
    )
    with db.reading() as connection:
        return [(row.created_at, row.revoked_at) for row in connection.execute(query)]


def is_shared() -> sa.ColumnElement[bool]:
    """Condition: the invoice of the query has a valid link."""
    return (
        select(ShareLink.id)
        .where(ShareLink.invoice_id == Invoice.id, ShareLink.revoked_at.is_(None))
        .correlate(Invoice)
        .exists()
    )


@dataclass(frozen=True, slots=True)
class SharedInvoice:
    """An invoice as shown to its buyer."""

    invoice_id: str
    tenant_id: str
    environment: str
    kind: str
    number: str
    issue_date: date
    due_date: date | None
    currency: str
    payable: Decimal
    amount_paid: Decimal | None
    tax_currency: str | None
    tax_amount_in_tax_currency: Decimal | None
    supplier_name: str
    buyer_country: str | None
    access_point: str
    delivered_means: str | None
    profile: str | None
    status: str
    delivered_at: datetime | None


_SHARED = RecordColumns(
    SharedInvoice,
    Invoice,
    invoice_id=Invoice.id,
    buyer_country=Transmission.receiver_country,
    access_point=Transmission.access_point,
    delivered_means=Transmission.delivered_means,
    profile=Transmission.profile,
    status=Transmission.status,
    delivered_at=Transmission.settled_at,
)


def find_shared(digest: str) -> SharedInvoice | None:
    """The invoice of the link with this digest, unless its tenant is closed."""
    query = (
        _SHARED.select()
        .select_from(ShareLink)
        .join(Invoice, Invoice.id == ShareLink.invoice_id)
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .join(Tenant, Tenant.id == ShareLink.tenant_id)
        .where(ShareLink.digest == digest, Tenant.closed_at.is_(None))
    )
    with db.reading() as connection:
        return _SHARED.one_or_none(connection.execute(query))
