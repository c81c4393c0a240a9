"""Mailboxes of connections: how far each has been fetched."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base


class MailboxCursor(Base):
    """The mailbox of a connection. `version` changes with the cursor."""

    __tablename__ = "mailboxes"

    connection_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    access_point: Mapped[str] = mapped_column(sa.String(40))
    cursor: Mapped[str | None]
    version: Mapped[int] = mapped_column(default=0)
    every_seconds: Mapped[float]
    # No fetch begins before; also after a crash.
    not_before: Mapped[datetime | None]
    fetched_at: Mapped[datetime | None]  # the last fetch that succeeded
    changed_at: Mapped[datetime | None]  # when the cursor changed
    documents: Mapped[int] = mapped_column(default=0)  # stored since the beginning
    failures: Mapped[int] = mapped_column(default=0)  # since the last success
    fault: Mapped[str | None] = mapped_column(sa.String(300))
    created_at: Mapped[datetime]
