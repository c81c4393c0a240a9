"""OAuth 2.0 clients (decisions 11)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.db import Base
from einvoice.store.tables.columns import ref


class OAuthClient(Base):
    """A client of the client credentials grant. Only the SHA-256 of its secret is stored."""

    __tablename__ = "oauth_clients"

    id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    tenant_id: Mapped[str] = ref("tenants.id")
    environment: Mapped[str] = mapped_column(sa.String(4))
    name: Mapped[str]
    last4: Mapped[str] = mapped_column(sa.String(4))
    digest: Mapped[str] = mapped_column(sa.String(64))
    # The secret before the last rotation, and until when it is valid.
    old_digest: Mapped[str | None] = mapped_column(sa.String(64))
    old_until: Mapped[datetime | None]
    scopes: Mapped[Any] = mapped_column(sa.JSON)
    allowed_ips: Mapped[Any] = mapped_column(sa.JSON, default=list)
    allowed_receivers: Mapped[Any] = mapped_column(sa.JSON, default=list)
    get_per_minute: Mapped[int | None]
    post_per_minute: Mapped[int | None]
    created_by: Mapped[str | None]
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    last_used_ip: Mapped[str | None]

    __table_args__ = (sa.Index("ix_oauth_clients_tenant", "tenant_id", "created_at"),)
