"""Reports of companies for a period, and the documents of which they are made."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id


class CollectedDocument(Base):
    """The data that a report needs of a document, kept from the first day on. Written once.

    `access_point` is the one that reports; the document went another way.
    """

    __tablename__ = "collected_documents"

    invoice_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    access_point: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    environment: Mapped[str] = mapped_column(sa.String(4))
    issue_date: Mapped[date]
    # NULL: the document could not be read.
    content: Mapped[Any | None] = mapped_column(sa.JSON(none_as_null=True))
    created_at: Mapped[datetime]

    __table_args__ = (
        sa.Index(
            "ix_collected_documents_period",
            "tenant_id", "environment", "access_point", "issue_date", "invoice_id",
        ),
    )  # fmt: skip


class PeriodReport(Base):
    """A report of a period, or what would be in it now while the period is open.

    `number` counts the reports of a period; each but the first corrects one.
    """

    __tablename__ = "period_reports"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    environment: Mapped[str] = mapped_column(sa.String(4))
    access_point: Mapped[str] = mapped_column(sa.String(40))
    connection_id: Mapped[str] = mapped_column(sa.String(40))
    account: Mapped[str] = mapped_column(sa.String(64))
    kind: Mapped[str] = mapped_column(sa.String(20))
    starts_on: Mapped[date]
    ends_on: Mapped[date]
    due_on: Mapped[date]
    number: Mapped[int]
    corrects: Mapped[bool]
    sha256: Mapped[str] = mapped_column(sa.String(64))
    documents: Mapped[int]
    left_out: Mapped[Any] = mapped_column(sa.JSON)
    # The report as it was sent, and the message that sends it; NULL while it is open.
    document: Mapped[bytes | None]
    message_id: Mapped[str | None] = mapped_column(sa.String(40))
    # The final outcome of the message, which is deleted before the report is; NULL before.
    outcome: Mapped[str | None] = mapped_column(sa.String(12))
    reason: Mapped[str | None]
    # Whether a person has asked for a refused report to be sent again.
    again: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]

    __table_args__ = (
        sa.UniqueConstraint(
            "tenant_id", "environment", "access_point", "account", "kind", "starts_on", "number",
            name="uq_period_reports_number",
        ),
        sa.Index("ix_period_reports_listed", "tenant_id", "starts_on", "id"),
        sa.Index("ix_period_reports_due", "due_on"),
    )  # fmt: skip
