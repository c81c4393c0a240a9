"""Payments that tenants say they have got for invoices they sent."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id, ref


class Payment(Base):
    """A payment of what a tenant has sold, in the currency of the invoice; written once, but for
    its message. A correction is negative."""

    __tablename__ = "payments"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    environment: Mapped[str] = mapped_column(sa.String(4))
    invoice_id: Mapped[str] = ref("invoices.id")
    amount: Mapped[Decimal]
    paid_on: Mapped[date]
    reference: Mapped[str | None]
    # The message that tells the network; NULL where it is not told, or not yet.
    message_id: Mapped[str | None] = mapped_column(sa.String(40))
    created_by: Mapped[str]
    created_at: Mapped[datetime]

    __table_args__ = (sa.Index("ix_payments_invoice", "invoice_id", "created_at", "id"),)
