"""Payments of invoices that a tenant has sold: storing and reading them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy import select, update
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import IS_SOLD, Invoice, Payment, Transmission


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


@dataclass(frozen=True, slots=True)
class LockedInvoice:
    """What is paid of an invoice in how many payments, and its network status."""

    amount_paid: Decimal
    payments: int
    status: str


def lock_invoice(connection: Connection, invoice_id: str, tenant_id: str) -> LockedInvoice:
    """Lock an invoice and its newest transmission until the commit."""
    query = (
        select(Invoice.amount_paid, Transmission.status)
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .where(Invoice.id == invoice_id, Invoice.tenant_id == tenant_id)
    )
    paid, status = connection.execute(query.with_for_update()).one()
    counted = select(sa.func.count()).where(
        Payment.invoice_id == invoice_id, Payment.tenant_id == tenant_id
    )
    count = int(connection.execute(counted).scalar_one())
    return LockedInvoice(paid or Decimal(0), count, status)


def add(connection: Connection, payment: PaymentRecord, amount_paid: Decimal) -> None:
    """Store a payment, and how much is paid of its invoice then, in the caller's transaction."""
    values = {field.name: getattr(payment, field.name) for field in fields(PaymentRecord)}
    connection.execute(sa.insert(Payment).values(values))
    paid = update(Invoice).where(
        Invoice.id == payment.invoice_id, Invoice.tenant_id == payment.tenant_id
    )
    connection.execute(paid.values(amount_paid=amount_paid))


def find(payment_id: str) -> PaymentRecord | None:
    """A payment of any tenant, for workers."""
    with db.reading_by_key() as connection:
        return _RECORD.one_or_none(
            connection.execute(_RECORD.select().where(Payment.id == payment_id))
        )


def untold(connection: Connection, invoice_ids: Collection[str]) -> list[PaymentRecord]:
    """The payments of these invoices without a message, of any tenants."""
    query = _RECORD.select().where(
        rows.in_values(Payment.invoice_id, sorted(invoice_ids)), Payment.message_id.is_(None)
    )
    return _RECORD.all(connection.execute(query))


def set_message(connection: Connection, payment_id: str, message_id: str) -> None:
    """Note the message that tells the network of a payment."""
    connection.execute(
        update(Payment).where(Payment.id == payment_id).values(message_id=message_id)
    )


def locked(connection: Connection, tenant_id: str, invoice_id: str) -> list[PaymentRecord]:
    """The payments of an invoice that the caller has locked, oldest first."""
    return _RECORD.all(connection.execute(_of(tenant_id, [invoice_id])))


def of_invoices(tenant_id: str, invoice_ids: Collection[str]) -> list[PaymentRecord]:
    """The payments of these invoices, oldest first."""
    if not invoice_ids:
        return []
    with db.reading_by_key() as connection:
        return _RECORD.all(connection.execute(_of(tenant_id, invoice_ids)))


def _of(tenant_id: str, invoice_ids: Collection[str]) -> sa.Select[tuple[object, ...]]:
    query = _RECORD.select().where(
        rows.in_values(Payment.invoice_id, sorted(invoice_ids)), Payment.tenant_id == tenant_id
    )
    return query.order_by(Payment.created_at, Payment.id)


def sold_with(
    tenant_id: str, environment: str, numbers: Collection[str], most: int
) -> list[tuple[str, str, bool]]:
    """Number, id, and whether it has failed, of what the tenant has sold with these numbers.

    most  of all of them, newest first
    """
    failed = Transmission.status == NetworkStatus.FAILED.value
    query = (
        select(Invoice.number, Invoice.id, failed)
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .where(
            Invoice.tenant_id == tenant_id,
            Invoice.environment == environment,
            IS_SOLD,
            rows.in_values(Invoice.number, sorted(numbers)),
        )
        .order_by(Invoice.created_at.desc(), Invoice.id.desc())
        .limit(most)
    )
    with db.reading_by_key() as connection:
        return [(number or "", each, bool(of)) for number, each, of in connection.execute(query)]


def of_invoice(tenant_id: str, invoice_id: str) -> list[PaymentRecord]:
    """The payments of an invoice, oldest first."""
    return of_invoices(tenant_id, [invoice_id])
