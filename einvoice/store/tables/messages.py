"""Messages without an invoice, and the calls with which their access points are notified."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import BIG, an_id

IS_REPORT = sa.text("reports_to IS NOT NULL")


class Message(Base):
    """The content of a transmission without an invoice, which a plugin sends.

    The columns of its delivery are those by which the release before delivers: triggers keep them
    equal to those of the transmission with this id (migration 0055), and nothing reads them.
    """

    __tablename__ = "messages"

    id: Mapped[str] = an_id()  # msg_…
    access_point: Mapped[str] = mapped_column(sa.String(40))
    key: Mapped[str] = mapped_column(sa.String(200))  # of the plugin
    environment: Mapped[str] = mapped_column(sa.String(4))
    # Of the document that it answers or reports; NULL: it answers none.
    tenant_id: Mapped[str | None] = mapped_column(sa.String(40))
    invoice_id: Mapped[str | None] = mapped_column(sa.String(40))
    # By which it is sent; NULL: its network needs none.
    connection_id: Mapped[str | None] = mapped_column(sa.String(40))
    # The kind of artefact that it becomes.
    kind: Mapped[str] = mapped_column(sa.String(40))
    content_type: Mapped[str]
    file_name: Mapped[str]
    sender: Mapped[str] = mapped_column(sa.String(140))
    receiver: Mapped[str] = mapped_column(sa.String(140))
    document_type: Mapped[str]  # scheme::value
    process: Mapped[str]  # scheme::value
    sender_country: Mapped[str | None] = mapped_column(sa.String(2))
    receiver_country: Mapped[str | None] = mapped_column(sa.String(2))
    document: Mapped[bytes]
    # The country of the authority to which it reports the document, and when that has to have it;
    # NULL: it is no report.
    reports_to: Mapped[str | None] = mapped_column(sa.String(2))
    due_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    # Of its delivery.
    status: Mapped[str] = mapped_column(sa.String(12))
    phase: Mapped[str] = mapped_column(sa.String(12))
    attempts: Mapped[int] = mapped_column(default=0)
    fence: Mapped[int] = mapped_column(default=0)
    retry_until: Mapped[datetime]
    message_id: Mapped[str | None]
    prepared: Mapped[bytes | None]
    prepared_state: Mapped[Any] = mapped_column(sa.JSON, nullable=True)
    pending: Mapped[Any] = mapped_column(sa.JSON, nullable=True)
    attention: Mapped[bool] = mapped_column(default=False)
    reason: Mapped[str | None]
    error_code: Mapped[str | None]
    settled_at: Mapped[datetime | None]

    __table_args__ = (
        sa.UniqueConstraint("access_point", "key"),
        sa.Index("ix_messages_settled", "settled_at"),
        sa.Index(
            "ix_messages_attention",
            "created_at",
            postgresql_where=sa.text("attention"),
            sqlite_where=sa.text("attention"),
        ),
        sa.Index(
            "ix_messages_reports",
            "invoice_id",
            postgresql_where=IS_REPORT,
            sqlite_where=IS_REPORT,
        ),
    )


class Notice(Base):
    """A call of an access point that is still to be made: about a document, message or payment."""

    __tablename__ = "notices"

    id: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=True)
    subject_id: Mapped[str] = mapped_column(sa.String(40))  # of an invoice, a message or a payment
    step: Mapped[str] = mapped_column(sa.String(12))  # of Step, or settled, sent, refused, paid
    attempts: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]

    __table_args__ = (sa.UniqueConstraint("subject_id", "step"),)
