"""Sessions of people who logged in to the pages, their preferences, letters to them, and the keys
of operators."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import BIG, an_id


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
    dates: Mapped[str | None] = mapped_column(sa.String(10))
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


class Preferences(Base):
    """The preferences of a person in an account, and when they get letters (domain/letters).

    `email`, `role` and `seen_at` are those of the last login. `paused` is set when their access
    is ended, until they log in again. Letters are about events after the sequence `told`, and about
    webhooks that went down after `looked_at`; the next one is due at `next_at`.
    """

    __tablename__ = "preferences"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    subject: Mapped[str] = mapped_column(sa.String(255))
    email: Mapped[str | None] = mapped_column(sa.String(255))
    role: Mapped[str] = mapped_column(sa.String(10))
    seen_at: Mapped[datetime]
    paused: Mapped[bool]
    language: Mapped[str | None] = mapped_column(sa.String(2))
    dates: Mapped[str | None] = mapped_column(sa.String(10))
    letters: Mapped[str] = mapped_column(sa.String(10))
    topics: Mapped[Any] = mapped_column(sa.JSON)
    sandbox: Mapped[bool]
    told: Mapped[int] = mapped_column(BIG)
    looked_at: Mapped[datetime]
    next_at: Mapped[datetime | None]

    __table_args__ = (
        sa.UniqueConstraint("tenant_id", "subject", name="uq_preferences_person"),
        sa.Index("ix_preferences_next", "next_at"),
    )


class Letter(Base):
    """An e-mail to a person. The token of its link, which stops letters, is stored as a digest."""

    __tablename__ = "letters"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    preferences_id: Mapped[str] = mapped_column(sa.String(40))
    digest: Mapped[str | None] = mapped_column(sa.String(64), unique=True)
    state: Mapped[str] = mapped_column(sa.String(8))
    after: Mapped[int] = mapped_column(BIG)
    until: Mapped[int] = mapped_column(BIG)
    down_after: Mapped[datetime]
    down_until: Mapped[datetime]
    attempts: Mapped[int]
    reason: Mapped[str | None]
    created_at: Mapped[datetime]
    settled_at: Mapped[datetime | None]

    __table_args__ = (
        sa.Index("ix_letters_preferences", "preferences_id", "created_at"),
        sa.Index("ix_letters_created", "created_at"),
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
