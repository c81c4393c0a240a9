"""Payments of sent invoices: storing and reading them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy import select, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Invoice, Payment


@dataclass(frozen=True, slots=True)
class PaymentRecord:
    """A payment, in the currency of its invoice."""

    id: str
    tenant_id: str
    environment: str
    invoice_id: str
    amount: Decimal
    paid_on: date
    reference: str | None
    message_id: str | None
    created_by: str
    created_at: datetime


_RECORD = RecordColumns(PaymentRecord, Payment)


def lock_invoice(connection: Connection, invoice_id: str, tenant_id: str) -> tuple[Decimal, int]:
    """Lock a sent invoice until the commit: what was paid of it, in how many payments."""
    locked = select(Invoice.amount_paid).where(
        Invoice.id == invoice_id, Invoice.tenant_id == tenant_id
    )
    paid = connection.execute(locked.with_for_update()).scalar_one()
    counted = select(sa.func.count()).where(
        Payment.invoice_id == invoice_id, Payment.tenant_id == tenant_id
    )
    return paid or Decimal(0), int(connection.execute(counted).scalar_one())


def add(connection: Connection, payment: PaymentRecord, amount_paid: Decimal) -> None:
    """Store a payment, and how much is paid of its invoice then, in the caller's transaction."""
    values = {field.name: getattr(payment, field.name) for field in fields(PaymentRecord)}
    connection.execute(sa.insert(Payment).values(values))
    paid = update(Invoice).where(
        Invoice.id == payment.invoice_id, Invoice.tenant_id == payment.tenant_id
    )
    connection.execute(paid.values(amount_paid=amount_paid))


def of_invoice(tenant_id: str, invoice_id: str) -> list[PaymentRecord]:
    """The payments of an invoice, oldest first."""
    query = _RECORD.select().where(Payment.invoice_id == invoice_id, Payment.tenant_id == tenant_id)
    ordered = query.order_by(Payment.created_at, Payment.id)
    with db.reading_by_key() as connection:
        return _RECORD.all(connection.execute(ordered))
