"""The data of plugins: values by key, records by time, and when their duties ran."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import BIG

_PLUGIN = sa.String(100)  # the name of its entry point


class PluginValue(Base):
    """The value of a key of a plugin. Text is stored as UTF-8."""

    __tablename__ = "plugin_values"

    plugin: Mapped[str] = mapped_column(_PLUGIN, primary_key=True)
    key: Mapped[str] = mapped_column(sa.String(200), primary_key=True)
    value: Mapped[bytes]
    is_text: Mapped[bool]
    changed_at: Mapped[datetime]


class PluginRecord(Base):
    """A record of a series of a plugin; never changed, deleted after its retention."""

    __tablename__ = "plugin_records"

    id: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=True)
    plugin: Mapped[str] = mapped_column(_PLUGIN)
    series: Mapped[str] = mapped_column(sa.String(200))
    at: Mapped[datetime]
    value: Mapped[bytes]
    is_text: Mapped[bool]

    __table_args__ = (
        sa.Index("ix_plugin_records_series", "plugin", "series", "at", "id"),
        sa.Index("ix_plugin_records_at", "at"),
    )


class PluginDuty(Base):
    """A duty of a plugin. Its id is the subject of its outbox row; both exist or neither does."""

    __tablename__ = "plugin_duties"

    id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    plugin: Mapped[str] = mapped_column(_PLUGIN)
    name: Mapped[str] = mapped_column(sa.String(40))
    every_seconds: Mapped[float]
    failures: Mapped[int] = mapped_column(default=0)  # since it last succeeded
    ended_at: Mapped[datetime | None]
    fault: Mapped[str | None] = mapped_column(sa.String(300))  # of the last run
