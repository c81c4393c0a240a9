"""Recoveries: what was done after a restore of the database to an earlier moment."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id


class Recovery(Base):
    """A hold of all deliveries. While one is not finished, no relay hands work out."""

    __tablename__ = "recoveries"

    id: Mapped[str] = an_id()
    held_at: Mapped[datetime]
    # The moment to which the database was restored; NULL until `einvoice recover --since`.
    since: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    # Counts, for the report.
    report: Mapped[Any | None] = mapped_column(sa.JSON)
