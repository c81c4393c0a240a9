"""API keys and OAuth clients. Of their secrets only the SHA-256 is stored (decisions 9 and 11)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from einvoice.store.db import Base
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

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805 - SQLAlchemy calls it on the class
        return (sa.Index(f"ix_{cls.__tablename__}_tenant", "tenant_id", "created_at"),)

    @classmethod
    def is_active(cls, now: datetime | sa.BindParameter[datetime]) -> sa.ColumnElement[bool]:
        """The condition that it is neither revoked nor expired; `now` may be a parameter."""
        return cls.revoked_at.is_(None)


class ApiKey(_Credential, Base):
    """An API key, found by its digest. `prefix` is how lists show it."""

    __tablename__ = "api_keys"

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
