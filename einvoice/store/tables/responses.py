"""Responses of tenants to invoices that they received, and of receivers to those they sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id, ref


class BillResponse(Base):
    """A response. Its status follows the status of its message, which is deleted earlier."""

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


class ReceiverResponse(Base):
    """The response of the receiver to a sent invoice; written once, except `done_…`."""

    __tablename__ = "receiver_responses"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    environment: Mapped[str] = mapped_column(sa.String(4))
    invoice_id: Mapped[str] = ref("invoices.id")
    transmission_id: Mapped[str] = mapped_column(sa.String(40))
    status: Mapped[str] = mapped_column(sa.String(24))
    at: Mapped[datetime]
    by: Mapped[str | None]
    reasons: Mapped[Any] = mapped_column(sa.JSON)
    text: Mapped[str | None]
    created_at: Mapped[datetime]
    # Who has said, and when, that nothing is left to do about it.
    done_at: Mapped[datetime | None]
    done_by: Mapped[str | None]

    __table_args__ = (sa.Index("ix_receiver_responses_invoice", "invoice_id", "created_at", "id"),)
