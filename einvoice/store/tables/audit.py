"""The audit log: who changed what at the dashboard, when and from which address."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.db import Base
from einvoice.store.tables.columns import BIG


class AuditEntry(Base):
    """One management action, written in the transaction of the change; never updated."""

    __tablename__ = "audit_entries"

    sequence: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=True)
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    at: Mapped[datetime]
    # The subject of a session, or the id of an API key.
    actor: Mapped[str] = mapped_column(sa.String(255))
    actor_kind: Mapped[str] = mapped_column(sa.String(8))  # person | key
    email: Mapped[str | None] = mapped_column(sa.String(255))
    address: Mapped[str | None] = mapped_column(sa.String(64))
    action: Mapped[str] = mapped_column(sa.String(64))
    target: Mapped[str] = mapped_column(sa.String(255))
    detail: Mapped[Any] = mapped_column(sa.JSON)

    __table_args__ = (sa.Index("ix_audit_entries_tenant", "tenant_id", "sequence"),)
