"""Second arrivals of bills, and the bank accounts that suppliers have named."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id, ref


class BillArrival(Base):
    """A message with a document that has come by another network before: one bill, two arrivals.

    `replaced_id` is the bill by which it came before, where this one took its place in lists.
    """

    __tablename__ = "bill_arrivals"
    __table_args__ = (
        sa.UniqueConstraint(
            "access_point", "instance_id", "sender", "receiver", name="uq_bill_arrivals_message"
        ),
        sa.Index("ix_bill_arrivals_invoice", "invoice_id", "created_at"),
    )

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    environment: Mapped[str] = mapped_column(sa.String(4))
    invoice_id: Mapped[str] = ref("invoices.id")
    replaced_id: Mapped[str | None] = mapped_column(sa.String(40))
    access_point: Mapped[str] = mapped_column(sa.String(40))
    # The message, as in `received`.
    sender: Mapped[str] = mapped_column(sa.String(140))
    receiver: Mapped[str] = mapped_column(sa.String(140))
    instance_id: Mapped[str] = mapped_column(sa.String(255))
    sha256: Mapped[str] = mapped_column(sa.String(64))
    created_at: Mapped[datetime]


class SupplierAccount(Base):
    """A bank account that bills of a supplier have named. `supplier_key`: its tax id, or its name.

    `doubted`: it differed from those before, and no bill with it is processed yet. `invoice_id` is
    the first bill with it.
    """

    __tablename__ = "supplier_accounts"
    __table_args__ = (
        sa.Index(
            "ix_supplier_accounts_doubted",
            "invoice_id",
            postgresql_where=sa.text("doubted"),
            sqlite_where=sa.text("doubted"),
        ),
    )

    tenant_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    environment: Mapped[str] = mapped_column(sa.String(4), primary_key=True)
    supplier_key: Mapped[str] = mapped_column(sa.String(200), primary_key=True)
    account: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    invoice_id: Mapped[str] = mapped_column(sa.String(40))
    doubted: Mapped[bool]
    created_at: Mapped[datetime]
