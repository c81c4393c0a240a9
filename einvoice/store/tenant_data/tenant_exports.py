"""Exports of tenants: one at a time of each, with its progress."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import TenantExport

QUEUED, RUNNING, DONE, FAILED = "queued", "running", "done", "failed"
OPEN = (QUEUED, RUNNING)


@dataclass(frozen=True, slots=True)
class ExportRecord:
    """An export with its progress."""

    id: str
    tenant_id: str
    status: str
    created_by: str
    created_at: datetime
    seen_at: datetime
    finished_at: datetime | None = None
    expires_at: datetime | None = None
    documents: int = 0
    documents_total: int | None = None
    size: int | None = None
    sha256: str | None = None
    fault: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is not finished."""
        return self.status in OPEN


_RECORD = RecordColumns(ExportRecord, TenantExport)
_TABLE = TenantExport


def add(database: Connection | Session, new: ExportRecord) -> bool:
    """Add an export; False if the tenant has one that is not finished."""
    try:
        with database.begin_nested():
            database.execute(sa.insert(_TABLE).values(**asdict(new)))
    except IntegrityError:
        return False
    return True


def fail_silent(
    database: Connection | Session, tenant_id: str, before: datetime, now: datetime, fault: str
) -> None:
    """End the tenant's running export whose process was last seen before a moment."""
    changed = sa.update(_TABLE).where(
        _TABLE.tenant_id == tenant_id, _TABLE.status == RUNNING, _TABLE.seen_at < before
    )
    database.execute(changed.values(status=FAILED, finished_at=now, fault=fault))


def change(export_id: str, **values: Any) -> bool:
    """Set columns of an export that is not finished; False if it is."""
    with db.writing() as connection:
        return change_in(connection, export_id, **values)


def change_in(connection: Connection, export_id: str, **values: Any) -> bool:
    """`change` in the caller's transaction."""
    changed = sa.update(_TABLE).where(_TABLE.id == export_id, _TABLE.status.in_(OPEN))
    return connection.execute(changed.values(**values)).rowcount > 0


def find(tenant_id: str, export_id: str) -> ExportRecord | None:
    """An export of the tenant."""
    query = _RECORD.select().where(_TABLE.tenant_id == tenant_id, _TABLE.id == export_id)
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def newest(tenant_id: str, limit: int) -> list[ExportRecord]:
    """The newest exports of the tenant, newest first."""
    query = (
        _RECORD.select()
        .where(_TABLE.tenant_id == tenant_id)
        .order_by(_TABLE.created_at.desc(), _TABLE.id.desc())
        .limit(limit)
    )
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query))


def of_manifest(tenant_id: str, sha256: str) -> ExportRecord | None:
    """The newest finished export of the tenant with this manifest."""
    query = (
        _RECORD.select()
        .where(_TABLE.tenant_id == tenant_id, _TABLE.sha256 == sha256, _TABLE.status == DONE)
        .order_by(_TABLE.created_at.desc())
        .limit(1)
    )
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def of_job(export_id: str) -> ExportRecord | None:
    """An export of any tenant, for the worker that writes it."""
    with db.reading() as connection:
        found = connection.execute(_RECORD.select().where(_TABLE.id == export_id))
        return _RECORD.one_or_none(found)
