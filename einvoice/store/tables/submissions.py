"""Documents that were submitted as XML, alone or in batches (/v1)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id


class Submission(Base):
    """Columns of an invoice submitted as XML, in addition to its row in `invoices`."""

    __tablename__ = "submissions"

    invoice_id: Mapped[str] = mapped_column(
        sa.String(40), sa.ForeignKey("invoices.id"), primary_key=True
    )
    form: Mapped[str] = mapped_column(sa.String(40))  # such as ubl, as submitted
    network: Mapped[str] = mapped_column(sa.String(40))
    took_ms: Mapped[int]  # duration of the check


class Batch(Base):
    """A request that submitted many documents."""

    __tablename__ = "batches"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    environment: Mapped[str] = mapped_column(sa.String(4))
    total: Mapped[int]
    created_at: Mapped[datetime]

    __table_args__ = (
        sa.Index("ix_batches_created", "created_at"),
        sa.Index("ix_batches_tenant", "tenant_id", "environment", "created_at", "id"),
    )


class BatchItem(Base):
    """One document of a batch: accepted as an invoice, or refused."""

    __tablename__ = "batch_items"

    batch_id: Mapped[str] = mapped_column(
        sa.String(40), sa.ForeignKey("batches.id"), primary_key=True
    )
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    invoice_id: Mapped[str | None] = mapped_column(sa.String(40))
    # The slug and detail of the refusal, and the id of the request that was refused.
    error: Mapped[Any] = mapped_column(sa.JSON, nullable=True)
    # Of the file that a person gave; its first MAX_NAME characters (services/send/batch).
    name: Mapped[str | None] = mapped_column(sa.String(200))
