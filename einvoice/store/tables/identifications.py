"""Identifications of tenants by their platforms, and the files that prove them (decisions 21.2)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id, ref

_PENDING = sa.text("status = 'pending'")


class Identification(Base):
    """How a platform has identified a tenant: what it says, and what became of it."""

    __tablename__ = "identifications"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    platform_id: Mapped[str] = mapped_column(sa.String(40))
    method: Mapped[str] = mapped_column(sa.String(40))
    document_kind: Mapped[str | None] = mapped_column(sa.String(40))
    # Register and VAT numbers in their normal form (domain/claims.verified_number).
    numbers: Mapped[Any] = mapped_column(sa.JSON)
    identified_at: Mapped[datetime]
    identified_by: Mapped[str] = mapped_column(sa.String(200))
    # pending | verified | rejected, by `platform` or `operator`
    status: Mapped[str] = mapped_column(sa.String(8))
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str | None] = mapped_column(sa.String(8))
    reason: Mapped[str | None]
    created_at: Mapped[datetime]

    __table_args__ = (
        sa.Index("ix_identifications_tenant", "tenant_id", "created_at", "id"),
        sa.Index(
            "ix_identifications_pending",
            "created_at",
            "id",
            postgresql_where=_PENDING,
            sqlite_where=_PENDING,
        ),
    )


class IdentificationFile(Base):
    """A file that proves an identification; a sweep deletes it after `keep_until`."""

    __tablename__ = "identification_files"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    identification_id: Mapped[str] = ref("identifications.id")
    name: Mapped[str] = mapped_column(sa.String(200))
    content_type: Mapped[str] = mapped_column(sa.String(100))
    sha256: Mapped[str] = mapped_column(sa.String(64))
    size: Mapped[int]
    content: Mapped[bytes]
    keep_until: Mapped[datetime]
    created_at: Mapped[datetime]

    __table_args__ = (
        sa.Index("ix_identification_files_identification", "identification_id"),
        sa.Index("ix_identification_files_keep_until", "keep_until"),
    )
