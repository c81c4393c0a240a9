"""Counts of documents that do not change any more, by which totals do not read every document."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base


class InvoiceBlock(Base):
    """The documents of one tenant and environment created in [since, until), about 10,000.

    The blocks of a tenant follow each other without gaps. The counts, by the status of the newest
    transmission, are NULL while one of the documents is Processing. `kinds` has the same by access
    point: {access point: {status: documents}}; NULL in blocks that an earlier release has counted.
    """

    __tablename__ = "invoice_blocks"

    tenant_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    environment: Mapped[str] = mapped_column(sa.String(4), primary_key=True)
    since: Mapped[datetime] = mapped_column(primary_key=True)
    until: Mapped[datetime]
    delivered: Mapped[int | None]
    failed: Mapped[int | None]
    received: Mapped[int | None]
    kinds: Mapped[Any | None] = mapped_column(sa.JSON(none_as_null=True))


class PlanCount(Base):
    """The documents that a tenant with a plan sent in a month (UTC), in one environment."""

    __tablename__ = "plan_counts"

    tenant_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    environment: Mapped[str] = mapped_column(sa.String(4), primary_key=True)
    month: Mapped[str] = mapped_column(sa.String(7), primary_key=True)
    documents: Mapped[int] = mapped_column(sa.BigInteger)
