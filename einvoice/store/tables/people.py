"""Sessions of people who logged in to the pages, and the keys of operators."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id


class WebSession(Base):
    """A login. The cookie's token is stored as its digest, which is the id.

    `roles` has the role in each tenant of the person, by the tenant's id; `tenant_id` is the one
    that they chose. `secrets` are the tokens of the identity provider, sealed. A session of an
    operator (`is_operator`) is one of the console only, and has neither roles nor tenant.
    """

    __tablename__ = "web_sessions"

    id: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    issuer: Mapped[str] = mapped_column(sa.String(255))
    subject: Mapped[str] = mapped_column(sa.String(255))
    email: Mapped[str | None] = mapped_column(sa.String(255))
    name: Mapped[str | None] = mapped_column(sa.String(255))
    roles: Mapped[Any] = mapped_column(sa.JSON)
    tenant_id: Mapped[str | None] = mapped_column(sa.String(40))
    environment: Mapped[str] = mapped_column(sa.String(4))
    language: Mapped[str | None] = mapped_column(sa.String(2))
    secrets: Mapped[bytes | None] = mapped_column(sa.LargeBinary)
    issued_at: Mapped[float]  # of the provider's token, in Unix seconds
    created_at: Mapped[datetime]
    seen_at: Mapped[datetime]
    refreshed_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    is_operator: Mapped[bool] = mapped_column(default=False, server_default=sa.false())

    __table_args__ = (
        sa.Index("ix_web_sessions_subject", "issuer", "subject", "created_at"),
        sa.Index("ix_web_sessions_expires", "expires_at"),
    )


class OperatorKey(Base):
    """A key of an operator's program, found by its digest. It belongs to no tenant."""

    __tablename__ = "operator_keys"

    id: Mapped[str] = an_id()
    name: Mapped[str]
    prefix: Mapped[str] = mapped_column(sa.String(24))
    last4: Mapped[str] = mapped_column(sa.String(4))
    digest: Mapped[str] = mapped_column(sa.String(64), unique=True)
    scopes: Mapped[Any] = mapped_column(sa.JSON)
    created_by: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    last_used_ip: Mapped[str | None]
