"""Responses of tenants to invoices that they received."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.db import Base
from einvoice.store.tables.columns import an_id, ref


class BillResponse(Base):
    """A response. Its status follows that of its message, which is deleted earlier."""

    __tablename__ = "bill_responses"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    environment: Mapped[str] = mapped_column(sa.String(4))
    invoice_id: Mapped[str] = ref("invoices.id")
    message_id: Mapped[str] = mapped_column(sa.String(40))
    code: Mapped[str] = mapped_column(sa.String(8))
    # Reasons, actions, note and effective date, as the request had them.
    content: Mapped[Any] = mapped_column(sa.JSON)
    status: Mapped[str] = mapped_column(sa.String(12))
    reason: Mapped[str | None]
    created_by: Mapped[str]
    created_at: Mapped[datetime]
    settled_at: Mapped[datetime | None]

    __table_args__ = (
        sa.Index("ix_bill_responses_invoice", "invoice_id", "created_at", "id"),
        sa.Index("ix_bill_responses_message", "message_id", unique=True),
    )
