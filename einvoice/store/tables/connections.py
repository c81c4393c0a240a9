"""Connections: accounts of tenants at networks, their consents, those that are being given, and the
links by which people open a connection without a login."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id, ref

_NOT_REVOKED = sa.text("state <> 'revoked'")


class Connection(Base):
    """A tenant's account at a network. `version` changes with the two sealed columns."""

    __tablename__ = "connections"
    __table_args__ = (
        sa.Index(
            "uq_connections_account",
            "tenant_id",
            "environment",
            "access_point",
            "account",
            unique=True,
            postgresql_where=_NOT_REVOKED,
            sqlite_where=_NOT_REVOKED,
        ),
        sa.Index("ix_connections_listed", "tenant_id", "created_at", "id"),
        sa.Index("ix_connections_ending", "state", "expires_at"),
        sa.Index("ix_connections_consent", "consent_id"),
    )

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    environment: Mapped[str] = mapped_column(sa.String(4))
    access_point: Mapped[str] = mapped_column(sa.String(40))
    network: Mapped[str] = mapped_column(sa.String(40))
    account: Mapped[str] = mapped_column(sa.String(64))
    name: Mapped[str]
    state: Mapped[str] = mapped_column(sa.String(16))
    reason: Mapped[str | None]
    # Sealed JSON objects (security/sealing); NULL once the connection is revoked.
    credentials: Mapped[bytes | None]
    plugin_state: Mapped[bytes | None]
    version: Mapped[int]
    # Changes with `plugin_state`, also where documents change it; NULL counts as 0.
    state_version: Mapped[int | None]
    # The caller that may call the plugin with these credentials, and until when.
    lease_token: Mapped[str | None] = mapped_column(sa.String(40))
    lease_until: Mapped[datetime | None]
    # The row of `shared_consents` that has its credentials, if its network shares consents.
    consent_id: Mapped[str | None] = mapped_column(sa.String(40))
    consent_by: Mapped[str | None]
    consent_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]
    # Until when it works without being renewed, and when its credentials were last renewed.
    valid_until: Mapped[datetime | None]
    renewed_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    checked_at: Mapped[datetime | None]
    # Until when the network takes nothing from the account (NotSent with `retry_after`).
    throttled_until: Mapped[datetime | None]
    # The account to which bills are booked that come by it and whose supplier has none.
    gl_account_code: Mapped[str | None]


class SharedConsent(Base):
    """A consent of a person that one or more connections of a tenant use.

    `credentials` are NULL until it was given. `ended_at` is set when its last connection was
    revoked: it is withdrawn at the network then, and deleted.
    """

    __tablename__ = "shared_consents"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    environment: Mapped[str] = mapped_column(sa.String(4))
    access_point: Mapped[str] = mapped_column(sa.String(40))
    # A sealed JSON object (security/sealing). `version` changes with it.
    credentials: Mapped[bytes | None]
    version: Mapped[int]
    # The caller that may call the plugin with a connection of this consent, and until when.
    lease_token: Mapped[str | None] = mapped_column(sa.String(40))
    lease_until: Mapped[datetime | None]
    created_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


class ConnectionConsent(Base):
    """A consent that a person gives in the browser. `id`: SHA-256 of the OAuth state."""

    __tablename__ = "connection_consents"
    __table_args__ = (sa.Index("ix_connection_consents_expires_at", "expires_at"),)

    id: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    tenant_id: Mapped[str] = ref("tenants.id")
    connection_id: Mapped[str] = ref("connections.id")
    subject: Mapped[str]
    # The link by which a person without a login began it (`connection_links`).
    link_id: Mapped[str | None] = mapped_column(sa.String(40))
    # SHA-256 of the cookie of the browser in which it began.
    browser: Mapped[str] = mapped_column(sa.String(64))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class ConnectionLink(Base):
    """A link by which a person opens one connection. `digest`: SHA-256 of its token, while it is
    open. `account`: NULL where the person states it; `connection_id`: NULL until there is one."""

    __tablename__ = "connection_links"
    __table_args__ = (
        sa.Index("ix_connection_links_listed", "tenant_id", "created_at", "id"),
        sa.Index("ix_connection_links_connection", "connection_id"),
    )

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    environment: Mapped[str] = mapped_column(sa.String(4))
    access_point: Mapped[str] = mapped_column(sa.String(40))
    network: Mapped[str] = mapped_column(sa.String(40))
    account: Mapped[str | None] = mapped_column(sa.String(64))
    name: Mapped[str]
    connection_id: Mapped[str | None] = mapped_column(
        sa.String(40), sa.ForeignKey("connections.id")
    )
    digest: Mapped[str | None] = mapped_column(sa.String(64), unique=True)
    attempts: Mapped[int]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
