"""Share links: at most one valid link per invoice, and the revoked ones."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id, ref


class ShareLink(Base):
    """A share link. Revoking it deletes the digest, so its token is not found any more."""

    __tablename__ = "share_links"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    invoice_id: Mapped[str] = ref("invoices.id")
    digest: Mapped[str | None] = mapped_column(sa.String(64), unique=True)
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]

    __table_args__ = (
        sa.Index("ix_share_links_invoice", "invoice_id", "created_at"),
        # One valid link per invoice (decisions 19.14).
        sa.Index(
            "uq_share_links_live",
            "invoice_id",
            unique=True,
            postgresql_where=sa.text("revoked_at IS NULL"),
            sqlite_where=sa.text("revoked_at IS NULL"),
        ),
    )
