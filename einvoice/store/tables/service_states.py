"""Notes of processes and commands of the installation for others."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base


class ServiceState(Base):
    """The last note of one kind, such as the result of `einvoice doctor` on one machine."""

    __tablename__ = "service_states"

    name: Mapped[str] = mapped_column(sa.String(120), primary_key=True)
    noted_at: Mapped[datetime]
    value: Mapped[Any | None] = mapped_column(sa.JSON)
