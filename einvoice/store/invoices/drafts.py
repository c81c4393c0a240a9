"""Drafts of invoices with their files: read, written, deleted when they are sent or too old."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, func, insert, select, tuple_, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import DraftFile, InvoiceDraft, Tenant


@dataclass(frozen=True, slots=True)
class DraftMark:
    """A draft as a page has it.

    version  that the page has read or written; 0: the draft is not stored yet
    page     the id of the page, which may follow its own changes without their version
    """

    draft_id: str
    version: int
    page: str | None = None

    def is_of(self, draft: DraftRecord) -> bool:
        """Whether the page has seen the last change of the draft, or made it."""
        return draft.version == self.version or (self.page is not None and self.page == draft.page)


@dataclass(frozen=True, slots=True)
class DraftRecord:
    """A draft without its content.

    file_count  how many files it has
    size        bytes of content and files
    """

    id: str
    tenant_id: str
    environment: str
    number: str | None
    buyer_name: str | None
    file_count: int
    size: int
    version: int
    page: str | None
    created_by: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file of a draft without its bytes."""

    id: str
    name: str
    media_type: str
    description: str | None
    size: int


@dataclass(frozen=True, slots=True)
class DraftUsage:
    """How many drafts a tenant has in an environment, and the bytes of all its drafts."""

    drafts: int
    size: int


_DRAFT = RecordColumns(DraftRecord, InvoiceDraft)
_FILE = RecordColumns(FileRecord, DraftFile)


# -- reading ---------------------------------------------------------------------------------------


def find(
    connection: Connection, tenant_id: str, draft_id: str, *, locked: bool = False
) -> DraftRecord | None:
    """A draft of the tenant; `locked` until the end of the transaction."""
    query = _DRAFT.select().where(InvoiceDraft.id == draft_id, InvoiceDraft.tenant_id == tenant_id)
    return _DRAFT.one_or_none(connection.execute(query.with_for_update() if locked else query))


def content_of(connection: Connection, tenant_id: str, draft_id: str) -> str:
    """The content of a draft of the tenant, which the caller has found."""
    own = InvoiceDraft.id == draft_id, InvoiceDraft.tenant_id == tenant_id
    return connection.execute(select(InvoiceDraft.content).where(*own)).scalar_one()


def files_of(connection: Connection, tenant_id: str, draft_id: str) -> list[FileRecord]:
    """The files of a draft of the tenant, in the order in which they were added."""
    query = _FILE.select().where(*_of_draft(tenant_id, draft_id)).order_by(DraftFile.id)
    return _FILE.all(connection.execute(query))


def _of_draft(tenant_id: str, draft_id: str) -> Sequence[sa.ColumnElement[bool]]:
    return DraftFile.draft_id == draft_id, DraftFile.tenant_id == tenant_id


def bytes_of(connection: Connection, tenant_id: str, draft_id: str) -> dict[str, bytes]:
    """The bytes of the files of a draft of the tenant, by the ids of the files."""
    query = select(DraftFile.id, DraftFile.file).where(*_of_draft(tenant_id, draft_id))
    return {row.id: row.file for row in connection.execute(query)}


def page(
    tenant_id: str,
    environments: Collection[str],
    after: tuple[datetime, str] | None,
    limit: int,
) -> list[DraftRecord]:
    """Drafts of the tenant, newest first, after a position (created_at, id)."""
    query = (
        _DRAFT.select()
        .where(InvoiceDraft.tenant_id == tenant_id, InvoiceDraft.environment.in_(environments))
        .order_by(InvoiceDraft.created_at.desc(), InvoiceDraft.id.desc())
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(InvoiceDraft.created_at, InvoiceDraft.id) < after)
    with db.reading() as connection:
        return _DRAFT.all(connection.execute(query))


def usage(connection: Connection, tenant_id: str, environment: str) -> DraftUsage:
    """The number and size of the tenant's drafts."""
    in_environment = func.sum(sa.case((InvoiceDraft.environment == environment, 1), else_=0))
    query = select(func.coalesce(in_environment, 0), func.coalesce(func.sum(InvoiceDraft.size), 0))
    drafts, size = connection.execute(query.where(InvoiceDraft.tenant_id == tenant_id)).one()
    return DraftUsage(int(drafts), int(size))


# -- writing ---------------------------------------------------------------------------------------


def lock_tenant(connection: Connection, tenant_id: str) -> None:
    """Serialise changes of the tenant's drafts until the commit; sends do not wait for it."""
    query = select(Tenant.id).where(Tenant.id == tenant_id)
    connection.execute(query.with_for_update(key_share=True))


def add(connection: Connection, draft: DraftRecord, content: str) -> None:
    """Store a draft without files. Raises IntegrityError if another tenant has its id."""
    values = {name: getattr(draft, name) for name in DraftRecord.__slots__}
    connection.execute(insert(InvoiceDraft).values(**values, content=content))


def change(
    connection: Connection, tenant_id: str, draft_id: str, values: Mapping[str, Any]
) -> DraftRecord:
    """Set columns of a draft of the tenant that the caller has locked, and make it the next
    version."""
    changed = connection.execute(
        update(InvoiceDraft)
        .where(InvoiceDraft.id == draft_id, InvoiceDraft.tenant_id == tenant_id)
        .values(version=InvoiceDraft.version + 1, **values)
        .returning(*_DRAFT.returning())
    )
    return _DRAFT.one(changed)


def add_files(
    connection: Connection,
    tenant_id: str,
    draft_id: str,
    files: Iterable[tuple[FileRecord, bytes]],
) -> None:
    """Store files of a draft that the caller has locked."""
    given = [
        {name: getattr(record, name) for name in FileRecord.__slots__}
        | {"tenant_id": tenant_id, "draft_id": draft_id, "file": content}
        for record, content in files
    ]
    if given:
        connection.execute(insert(DraftFile), given)


def remove_files(
    connection: Connection, tenant_id: str, draft_id: str, file_id: str | None = None
) -> None:
    """Delete the files of a draft of the tenant that the caller has locked, or one of them."""
    statement = delete(DraftFile).where(*_of_draft(tenant_id, draft_id))
    if file_id is not None:
        statement = statement.where(DraftFile.id == file_id)
    connection.execute(statement)


def remove(connection: Connection, tenant_id: str, draft_ids: Sequence[str]) -> None:
    """Delete the drafts that are the tenant's, with their files."""
    files = rows.in_values(DraftFile.draft_id, draft_ids), DraftFile.tenant_id == tenant_id
    connection.execute(delete(DraftFile).where(*files))
    drafts = rows.in_values(InvoiceDraft.id, draft_ids), InvoiceDraft.tenant_id == tenant_id
    connection.execute(delete(InvoiceDraft).where(*drafts))


def delete_before(connection: Connection, moment: datetime, limit: int) -> int:
    """Delete up to `limit` drafts that were last changed before the moment."""
    old = (
        select(InvoiceDraft.id)
        .where(InvoiceDraft.updated_at < moment)
        .order_by(InvoiceDraft.updated_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    ids = list(connection.execute(old).scalars())
    connection.execute(delete(DraftFile).where(rows.in_values(DraftFile.draft_id, ids)))
    connection.execute(delete(InvoiceDraft).where(rows.in_values(InvoiceDraft.id, ids)))
    return len(ids)


def naming(connection: Connection, tenant_id: str, name: str) -> list[str]:
    """Ids of the tenant's drafts whose content has this text, in small letters."""
    query = select(InvoiceDraft.id).where(
        InvoiceDraft.tenant_id == tenant_id,
        func.lower(InvoiceDraft.content).contains(name, autoescape=True),
    )
    return list(connection.execute(query).scalars())


# -- sending ---------------------------------------------------------------------------------------


def superseded(connection: Connection, tenant_id: str, environment: str, mark: DraftMark) -> bool:
    """Whether a draft that is sent was changed or deleted since, or is of the other environment; it
    is locked otherwise.

    A draft that is not stored yet is not superseded.
    """
    found = find(connection, tenant_id, mark.draft_id, locked=True)
    if found is None:
        return mark.version > 0
    return found.environment != environment or not mark.is_of(found)
