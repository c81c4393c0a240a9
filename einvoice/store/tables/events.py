"""Events, and the webhooks that report them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import BIG, an_id, ref

_HAS_INVOICE = sa.text("invoice_id IS NOT NULL")
_SELDOM = sa.text("type <> 'transaction.sent'")


class Event(Base):
    """An event of a tenant: the source of webhooks and `GET /api/events`."""

    __tablename__ = "events"

    sequence: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(sa.String(40), unique=True)
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    environment: Mapped[str] = mapped_column(sa.String(4))
    type: Mapped[str] = mapped_column(sa.String(40))
    invoice_id: Mapped[str | None] = mapped_column(sa.String(40))
    payload: Mapped[Any] = mapped_column(sa.JSON)
    created_at: Mapped[datetime]

    __table_args__ = (
        sa.Index("ix_events_tenant", "tenant_id", "environment", "sequence"),
        # Ids of invoices are ordered by time, so this index grows at its end: 108 bytes of WAL an
        # event, where one that begins with the tenant has 246.
        sa.Index(
            "ix_events_invoice",
            "invoice_id",
            postgresql_where=_HAS_INVOICE,
            sqlite_where=_HAS_INVOICE,
        ),
        # Without the event of every send, which is dense in the index above.
        sa.Index(
            "ix_events_type",
            "tenant_id",
            "environment",
            "type",
            "sequence",
            postgresql_where=_SELDOM,
            sqlite_where=_SELDOM,
        ),
    )


class WebhookEndpoint(Base):
    """A URL to which a tenant's events are posted. Secrets are sealed (security/sealing)."""

    __tablename__ = "webhook_endpoints"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    environment: Mapped[str] = mapped_column(sa.String(4))
    url: Mapped[str]
    description: Mapped[str | None]
    event_types: Mapped[Any] = mapped_column(sa.JSON)
    status: Mapped[str] = mapped_column(sa.String(8))  # active | disabled
    disabled_reason: Mapped[str | None]
    secret: Mapped[bytes]
    signing_secret: Mapped[bytes]
    old_signing_secret: Mapped[bytes | None]
    old_signing_until: Mapped[datetime | None]
    # The secret before that one, which signed still at the last rotation.
    older_signing_secret: Mapped[bytes | None]
    older_signing_until: Mapped[datetime | None]
    failing_since: Mapped[datetime | None]
    # Whether it answered its last request soon; NULL before the first.
    responsive: Mapped[bool | None]
    timeouts: Mapped[int | None]  # in a row
    backoff_until: Mapped[datetime | None]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]

    __table_args__ = (sa.Index("ix_webhook_endpoints_tenant", "tenant_id", "environment"),)


class WebhookDelivery(Base):
    """The delivery of an event to an endpoint, with its last attempt (decisions 4, log record)."""

    __tablename__ = "webhook_deliveries"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    endpoint_id: Mapped[str] = ref("webhook_endpoints.id")
    event_id: Mapped[str] = mapped_column(sa.String(40))
    event_type: Mapped[str] = mapped_column(sa.String(40))
    status: Mapped[str] = mapped_column(sa.String(10))  # pending | delivered | failed
    trigger: Mapped[str] = mapped_column(sa.String(10))  # schedule | manual | test
    attempts: Mapped[int] = mapped_column(default=0)
    status_code: Mapped[int | None]
    last_error: Mapped[str | None]
    duration_ms: Mapped[int | None]
    response_excerpt: Mapped[str | None]
    next_retry_at: Mapped[datetime | None]
    delivered_at: Mapped[datetime | None]
    created_at: Mapped[datetime]

    __table_args__ = (
        sa.Index("ix_webhook_deliveries_endpoint", "endpoint_id", "created_at"),
        sa.Index("ix_webhook_deliveries_created", "created_at"),
        sa.Index("ix_webhook_deliveries_event", "event_id", "endpoint_id"),
    )
