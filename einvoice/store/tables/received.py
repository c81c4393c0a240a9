"""Received documents: the message, its receipt, and how the tenant processed it.

The content of the document is its row in `invoices`; docs/states.md describes both.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base


class Received(Base):
    """One received message. Its id is the invoice's id."""

    __tablename__ = "received"

    # Written before the invoice: decides which of two concurrent deliveries is the first.
    invoice_id: Mapped[str] = mapped_column(
        sa.String(40),
        sa.ForeignKey("invoices.id", deferrable=True, initially="DEFERRED"),
        primary_key=True,
    )
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    environment: Mapped[str] = mapped_column(sa.String(4))
    access_point: Mapped[str] = mapped_column(sa.String(40))
    # Both in canonical spelling. Message ids are unique per sender.
    sender: Mapped[str] = mapped_column(sa.String(140))
    receiver: Mapped[str] = mapped_column(sa.String(140))
    # Of a document whose sender had used its id for another one: made of id and bytes.
    instance_id: Mapped[str] = mapped_column(sa.String(255))
    # The sender's id of such a document; NULL: `instance_id` is the sender's.
    reused_id: Mapped[str | None] = mapped_column(sa.String(255))
    document_type: Mapped[str]  # scheme::value
    process: Mapped[str]  # scheme::value
    syntax: Mapped[str | None] = mapped_column(sa.String(40))  # such as ubl; NULL: unknown
    sha256: Mapped[str] = mapped_column(sa.String(64))
    # The receipt returned to the network, replayed for a duplicate.
    receipt: Mapped[bytes | None]
    # From the directory of suppliers, when the document arrived.
    supplier_id: Mapped[str | None] = mapped_column(sa.String(40))
    gl_account_code: Mapped[str | None]
    # From the directory of customers: who sent a self-billed invoice.
    customer_id: Mapped[str | None] = mapped_column(sa.String(40))
    # What the access point handed over for its own use; NULL: it does not follow the document.
    inbound_state: Mapped[Any | None] = mapped_column(sa.JSON(none_as_null=True))
    # Of the mailbox that it was fetched from.
    connection_id: Mapped[str | None] = mapped_column(sa.String(40))
    # When a webhook about it was first answered; of documents that are followed.
    forwarded_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    processed_at: Mapped[datetime | None]
    processed_by: Mapped[str | None]

    __table_args__ = (
        # Bills of a supplier, in the order of a list.
        sa.Index(
            "ix_received_supplier",
            "tenant_id",
            "environment",
            "supplier_id",
            "created_at",
            "invoice_id",
            postgresql_where=sa.text("supplier_id IS NOT NULL"),
            sqlite_where=sa.text("supplier_id IS NOT NULL"),
        ),
        sa.UniqueConstraint("access_point", "instance_id", "sender", "receiver"),
        # Open and processed bills of a tenant, each in the order of a list (store/invoices/lists).
        sa.Index(
            "ix_received_open",
            "tenant_id",
            "environment",
            "created_at",
            "invoice_id",
            postgresql_where=sa.text("processed_at IS NULL"),
            sqlite_where=sa.text("processed_at IS NULL"),
        ),
        sa.Index(
            "ix_received_processed",
            "tenant_id",
            "environment",
            "created_at",
            "invoice_id",
            postgresql_where=sa.text("processed_at IS NOT NULL"),
            sqlite_where=sa.text("processed_at IS NOT NULL"),
        ),
    )


# The id that the sender has given to a document.
SENDERS_ID = sa.func.coalesce(Received.reused_id, Received.instance_id)
