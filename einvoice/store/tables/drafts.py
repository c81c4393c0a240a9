"""Drafts of invoices, and the files that will be attached to them."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id, ref


class InvoiceDraft(Base):
    """The input of a person for an invoice that is not sent yet; sending it deletes the row."""

    __tablename__ = "invoice_drafts"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    environment: Mapped[str] = mapped_column(sa.String(4))
    number: Mapped[str | None] = mapped_column(sa.String(100))
    buyer_name: Mapped[str | None] = mapped_column(sa.String(200))
    file_count: Mapped[int]
    # Bytes of content and files.
    size: Mapped[int] = mapped_column(sa.BigInteger)
    version: Mapped[int]
    # The page that has written this version: its next change needs no other proof of being newer.
    page: Mapped[str | None] = mapped_column(sa.String(40))
    created_by: Mapped[str | None] = mapped_column(sa.String(255))
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    # JSON: the members of the body of a send, without attachments. The last column: SQLite reads
    # the pages of a long value to get at what is behind it.
    content: Mapped[str] = mapped_column(sa.Text)

    __table_args__ = (
        sa.Index("ix_invoice_drafts_listed", "tenant_id", "created_at", "id"),
        sa.Index("ix_invoice_drafts_updated_at", "updated_at"),
    )


class DraftFile(Base):
    """A file of a draft."""

    __tablename__ = "draft_files"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    draft_id: Mapped[str] = ref("invoice_drafts.id")
    name: Mapped[str] = mapped_column(sa.String(255))
    media_type: Mapped[str] = mapped_column(sa.String(100))
    description: Mapped[str | None] = mapped_column(sa.String(512))
    size: Mapped[int] = mapped_column(sa.BigInteger)
    file: Mapped[bytes]

    __table_args__ = (
        sa.Index("ix_draft_files_draft_id", "draft_id", "id"),
        sa.Index("ix_draft_files_tenant_id", "tenant_id", "id"),
    )
