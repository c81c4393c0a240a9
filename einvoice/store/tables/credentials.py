"""API keys and OAuth clients. Of their secrets only the SHA-256 is stored (decisions 9 and 11)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id, ref


class _Credential:
    """The columns of both."""

    __tablename__: str

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    environment: Mapped[str] = mapped_column(sa.String(4))
    name: Mapped[str]
    last4: Mapped[str] = mapped_column(sa.String(4))
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

    # The columns of the index of those that are not revoked.
    active_by: tuple[str, ...] = ("tenant_id", "environment")

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805 - SQLAlchemy calls it on the class
        table, not_revoked = cls.__tablename__, sa.text("revoked_at IS NULL")
        return (
            sa.Index(f"ix_{table}_tenant", "tenant_id", "created_at"),
            sa.Index(f"ix_{table}_listed", "tenant_id", "environment", "created_at", "id"),
            sa.Index(
                f"ix_{table}_active",
                *cls.active_by,
                postgresql_where=not_revoked,
                sqlite_where=not_revoked,
            ),
        )

    @classmethod
    def is_active(cls, now: datetime | sa.BindParameter[datetime]) -> sa.ColumnElement[bool]:
        """The condition that it is neither revoked nor expired; `now` may be a parameter."""
        return cls.revoked_at.is_(None)


class ApiKey(_Credential, Base):
    """An API key, found by its digest. `prefix` is how lists show it."""

    __tablename__ = "api_keys"
    active_by = ("tenant_id", "environment", "expires_at")

    prefix: Mapped[str] = mapped_column(sa.String(24))
    digest: Mapped[str] = mapped_column(sa.String(64), unique=True)
    expires_at: Mapped[datetime | None]

    @classmethod
    def is_active(cls, now: datetime | sa.BindParameter[datetime]) -> sa.ColumnElement[bool]:
        return super().is_active(now) & (cls.expires_at.is_(None) | (cls.expires_at > now))


class OAuthClient(_Credential, Base):
    """A client of the client credentials grant."""

    __tablename__ = "oauth_clients"

    digest: Mapped[str] = mapped_column(sa.String(64))
    # The secret before the last rotation, and until when it is accepted.
    old_digest: Mapped[str | None] = mapped_column(sa.String(64))
    old_until: Mapped[datetime | None]
    # The secret before that one, whose grace period had not ended at the last rotation.
    older_digest: Mapped[str | None] = mapped_column(sa.String(64))
    older_until: Mapped[datetime | None]
