"""Exports of tenants, imports of such exports, and tenants that move."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import BIG, an_id, ref

_OPEN = sa.text("status IN ('queued', 'running')")


class TenantExport(Base):
    """An export. A tenant has one at a time that is not finished."""

    __tablename__ = "tenant_exports"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    status: Mapped[str] = mapped_column(sa.String(8))  # queued | running | done | failed
    # The subject of a session, or `operator`.
    created_by: Mapped[str] = mapped_column(sa.String(255))
    created_at: Mapped[datetime]
    # When the process that writes it last said so.
    seen_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    # When its file is deleted; NULL: the file is not kept by the service.
    expires_at: Mapped[datetime | None]
    documents: Mapped[int] = mapped_column(sa.BigInteger, default=0)
    documents_total: Mapped[int | None] = mapped_column(sa.BigInteger)
    size: Mapped[int | None] = mapped_column(sa.BigInteger)
    # Of the manifest, which has the digests of all entries.
    sha256: Mapped[str | None] = mapped_column(sa.String(64))
    fault: Mapped[str | None] = mapped_column(sa.String(300))

    __table_args__ = (
        sa.Index(
            "uq_tenant_exports_open",
            "tenant_id",
            unique=True,
            postgresql_where=_OPEN,
            sqlite_where=_OPEN,
        ),
        sa.Index("ix_tenant_exports_listed", "tenant_id", "created_at", "id"),
        sa.Index("ix_tenant_exports_expires_at", "expires_at"),
    )


class TenantImport(Base):
    """An import, and how many entries of its file are stored."""

    __tablename__ = "tenant_imports"

    tenant_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    manifest: Mapped[str] = mapped_column(sa.String(64))
    entries: Mapped[int] = mapped_column(sa.BigInteger, default=0)
    started_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    # The sequences of its events: they are older than those before them (store/webhooks/feed).
    events_from: Mapped[int | None] = mapped_column(sa.BigInteger)
    events_to: Mapped[int | None] = mapped_column(sa.BigInteger)
    # Of a tenant that moves: when all entries of this file were stored, and more files follow.
    received_at: Mapped[datetime | None]


class TenantMove(Base):
    """A tenant that moves to another installation. The row is there until it has moved, or not."""

    __tablename__ = "tenant_moves"

    tenant_id: Mapped[str] = mapped_column(
        sa.String(40), sa.ForeignKey("tenants.id"), primary_key=True
    )
    id: Mapped[str] = mapped_column(sa.String(40))
    begun_at: Mapped[datetime]
    # How many files are written, and the SHA-256 of the manifest of the last one.
    files: Mapped[int] = mapped_column(default=0)
    manifest: Mapped[str | None] = mapped_column(sa.String(64))
    # From then on no row of the tenant's documents can change here (store/tenant_data/watching).
    sealed_at: Mapped[datetime | None]
    # The key of the credentials in the last file, sealed; there once that file is written.
    transport_key: Mapped[bytes | None] = mapped_column(sa.LargeBinary)
    # When the key was given out: from then on the other installation may have opened the tenant.
    released_at: Mapped[datetime | None]


class TenantChange(Base):
    """A row of a moving tenant that was inserted, changed or deleted since the file before.

    Written by the triggers of its move (store/tenant_data/watching), in the transaction of the
    change. `key`: the primary key, a JSON array.
    """

    __tablename__ = "tenant_changes"

    id: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=True)
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    family: Mapped[str] = mapped_column(sa.String(40))
    key: Mapped[str] = mapped_column(sa.String(600))

    __table_args__ = (sa.Index("ix_tenant_changes_tenant", "tenant_id", "id"),)
