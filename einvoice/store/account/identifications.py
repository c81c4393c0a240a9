"""Identifications of tenants, and their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Identification, IdentificationFile, Tenant


@dataclass(frozen=True, slots=True)
class IdentificationRecord:
    """An identification of a tenant by its platform."""

    id: str
    tenant_id: str
    platform_id: str
    method: str
    document_kind: str | None
    numbers: Sequence[str]
    identified_at: datetime
    identified_by: str
    status: str
    decided_at: datetime | None
    decided_by: str | None
    reason: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file of an identification, without its content."""

    id: str
    identification_id: str
    name: str
    content_type: str
    sha256: str
    size: int
    keep_until: datetime


@dataclass(frozen=True, slots=True)
class PendingIdentification:
    """One that waits for the operator, with the name of its tenant."""

    record: IdentificationRecord
    tenant: str


_RECORD = RecordColumns(IdentificationRecord, Identification)
_FILE = RecordColumns(FileRecord, IdentificationFile)


def record(model: Identification) -> IdentificationRecord:
    """The model as a record."""
    return _RECORD.of(model)


def of_tenant(tenant_id: str) -> list[IdentificationRecord]:
    """The identifications of a tenant, the oldest first."""
    query = _RECORD.select().where(Identification.tenant_id == tenant_id)
    with db.reading() as connection:
        ordered = query.order_by(Identification.created_at, Identification.id)
        return _RECORD.all(connection.execute(ordered))


def files_of(tenant_id: str) -> list[FileRecord]:
    """The files of a tenant's identifications."""
    query = _FILE.select().where(IdentificationFile.tenant_id == tenant_id)
    with db.reading() as connection:
        return _FILE.all(connection.execute(query.order_by(IdentificationFile.created_at)))


def count(session: Session, tenant_id: str) -> int:
    """How many a tenant has."""
    query = select(func.count()).where(Identification.tenant_id == tenant_id)
    return session.execute(query).scalar_one()


def same(session: Session, wanted: Identification) -> Identification | None:
    """One of the tenant that says the same and was not rejected."""
    query = select(Identification).where(
        Identification.tenant_id == wanted.tenant_id,
        Identification.method == wanted.method,
        Identification.identified_at == wanted.identified_at,
        Identification.status != "rejected",
    )
    found = (each for each in session.scalars(query) if each.numbers == wanted.numbers)
    return next(found, None)


def pending(limit: int) -> list[PendingIdentification]:
    """The identifications of all tenants that wait for a decision, the oldest first."""
    query = (
        select(Identification, Tenant.name)
        .join(Tenant, Tenant.id == Identification.tenant_id)
        .where(Identification.status == "pending", Tenant.closed_at.is_(None))
        .order_by(Identification.created_at, Identification.id)
        .limit(limit)
    )
    with db.reading_session() as session:
        return [PendingIdentification(record(row), name) for row, name in session.execute(query)]


def find(identification_id: str) -> IdentificationRecord | None:
    """The identification of any tenant."""
    query = _RECORD.select().where(Identification.id == identification_id)
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def lock(session: Session, identification_id: str) -> Identification | None:
    """The identification, locked until the end of the transaction."""
    query = select(Identification).where(Identification.id == identification_id)
    return session.scalar(query.with_for_update())


def content(file_id: str) -> tuple[FileRecord, bytes] | None:
    """A file with its content."""
    query = select(IdentificationFile).where(IdentificationFile.id == file_id)
    with db.reading_session() as session:
        found = session.scalar(query)
        return None if found is None else (_FILE.of(found), found.content)


def delete_files(now: datetime, limit: int) -> int:
    """Delete files that are past their retention; how many."""
    ids = (
        select(IdentificationFile.id)
        .where(IdentificationFile.keep_until < now)
        .order_by(IdentificationFile.keep_until)
        .limit(limit)
    )
    with db.writing() as connection:
        found = list(connection.execute(ids).scalars())
        if found:
            connection.execute(delete(IdentificationFile).where(IdentificationFile.id.in_(found)))
        return len(found)
