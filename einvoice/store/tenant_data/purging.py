"""Deleting all rows of one tenant but its own and its audit log, in steps.

Documents leave with what belongs to them, by the indexes on their invoice, in the order of their
list and each page from the place of the one before: what it costs grows with the tenant's documents
only. Then each table is emptied by its tenant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from einvoice.domain.environments import Environment
from einvoice.store import outbox, tables
from einvoice.store.archive import archive_objects
from einvoice.store.archive.archive_objects import RegisteredObject
from einvoice.store.archive.archived import ObjectState
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.invoices import ended
from einvoice.store.tenant_data import tenant_data
from einvoice.store.tenant_data.erasure import DocumentGroup

MAX_ROWS = 500  # of one transaction
MAX_DOCUMENTS = 500  # of one transaction, with what belongs to them

# Rows that stay: the proof of what the tenant did, objects of the archive, which are deleted with
# their bytes, and sessions of people, who may have other accounts.
_STAY = frozenset(
    {"audit_entries", "audit_heads", "audit_seals", "archive_objects", "web_sessions"}
)
# A table without the tenant → its column with the id of a row of another table that has it.
_BELONGS = {
    "attempts": ("transmission_id", "transmissions"),
    "batch_items": ("batch_id", "batches"),
    "submissions": ("invoice_id", "invoices"),
    "archive_later": ("invoice_id", "invoices"),
    "notices": ("subject_id", "invoices"),
}
_UNDONE = (outbox.TRANSMISSION, outbox.MESSAGE, outbox.ENTRY, outbox.CONSENT, outbox.LEAVE)


def purged() -> list[sa.Table]:
    """The tables whose rows of a tenant are deleted, each before those that it refers to."""
    known = db.Base.metadata.tables
    belonging = [known[name] for name in _BELONGS]
    own = [
        table
        for table in reversed(db.Base.metadata.sorted_tables)
        if "tenant_id" in table.c and table.name not in _STAY
    ]
    return belonging + own


def _leave_with_documents(table: sa.Table) -> bool:
    """Whether each of its rows belongs to an invoice, with which it is deleted."""
    column = table.c.get("invoice_id")
    return column is not None and not column.nullable and table.name not in ended.STAY


def beside_documents(without: frozenset[str] = frozenset()) -> list[sa.Table]:
    """The tables that may have rows of a tenant when its documents are deleted."""
    return [
        table
        for table in purged()
        if table is not tables.Invoice.__table__
        and not _leave_with_documents(table)
        and table.name not in without
    ]


def is_left(tenant_id: str, without: frozenset[str] = frozenset()) -> bool:
    """Whether a row is left that is to be deleted, documents aside."""
    with db.reading() as connection:
        return any(
            connection.execute(sa.select(sa.exists().where(_of(table, tenant_id)))).scalar_one()
            for table in beside_documents(without)
        )


def count(tenant_id: str) -> dict[str, int]:
    """The rows to delete, by table, of tables that have any."""
    with db.reading() as connection:
        found = {
            table.name: connection.execute(
                sa.select(sa.func.count()).select_from(table).where(_of(table, tenant_id))
            ).scalar_one()
            for table in purged()
        }
    return {name: number for name, number in sorted(found.items()) if number}


def delete_some(connection: Connection, table: sa.Table, tenant_id: str) -> int:
    """Delete at most MAX_ROWS rows of the tenant; how many."""
    key = list(table.primary_key.columns)
    some = sa.select(*key).where(_of(table, tenant_id)).limit(MAX_ROWS)
    place = key[0] if len(key) == 1 else sa.tuple_(*key)
    return connection.execute(sa.delete(table).where(place.in_(some))).rowcount


@dataclass(frozen=True, slots=True)
class Place:
    """How far the documents of an environment are deleted, in the order of their list."""

    environment: str
    created_at: datetime | None = None
    invoice_id: str = ""


def delete_documents(connection: Connection, tenant_id: str, place: Place) -> Place | None:
    """Delete at most MAX_DOCUMENTS documents behind a place, with all that belongs to them.

    Returns the place of the last one; None if there is none behind it.
    """
    one = tables.Invoice
    query = sa.select(one.created_at, one.id).where(
        one.tenant_id == tenant_id, one.environment == place.environment
    )
    if place.created_at is not None:
        # Rows that are deleted stay in the index until it is cleaned: it is entered behind them.
        behind = (place.created_at, place.invoice_id)
        query = query.where(sa.tuple_(one.created_at, one.id) > behind)
    found = connection.execute(query.order_by(one.created_at, one.id).limit(MAX_DOCUMENTS)).all()
    if not found:
        return None
    ids = sorted(row.id for row in found)
    connection.execute(
        sa.delete(tables.Notice).where(rows.in_values(tables.Notice.subject_id, ids))
    )
    ended.delete_rows(connection, ids)
    return Place(place.environment, *found[-1])


def _of(table: sa.Table, tenant_id: str) -> sa.ColumnElement[bool]:
    if _leave_with_documents(table):  # by an index that all of them have
        column, owner = "invoice_id", "invoices"
    elif table.name in _BELONGS:
        column, owner = _BELONGS[table.name]
    else:
        return table.c.tenant_id == tenant_id
    parent = db.Base.metadata.tables[owner]
    return table.c[column].in_(sa.select(parent.c.id).where(parent.c.tenant_id == tenant_id))


@dataclass(frozen=True, slots=True)
class Listed:
    """A document of the tenant, for what a purge proves."""

    id: str
    environment: str
    created_at: datetime


_LISTED = RecordColumns(Listed, tables.Invoice)


def documents(tenant_id: str) -> Iterator[Listed]:
    """All documents of the tenant in the order of their ids, which is sorted once."""
    query = _LISTED.select().where(tables.Invoice.tenant_id == tenant_id)
    query = query.order_by(tables.Invoice.id).execution_options(stream_results=True)
    with tenant_data.snapshot() as connection:
        for some in connection.execute(query).partitions(MAX_ROWS):
            yield from map(_LISTED.of_values, some)


def delete_log(connection: Connection, tenant_id: str) -> None:
    """Delete the audit log and the row of a tenant of which nothing else is left."""
    for table in (tables.AuditEntry, tables.AuditSeal, tables.AuditHead):
        connection.execute(sa.delete(table).where(table.tenant_id == tenant_id))
    connection.execute(sa.delete(tables.Tenant).where(tables.Tenant.id == tenant_id))


# -- what stands in the way ------------------------------------------------------------------------

_EVIDENCE = RecordColumns(
    DocumentGroup,
    tables.Invoice,
    documents=sa.func.count(),
    created_at=sa.func.max(tables.Invoice.created_at),
    issue_date=sa.func.max(tables.Invoice.issue_date),
)


def evidence_groups(tenant_id: str) -> list[tuple[int | None, DocumentGroup]]:
    """Evidence that its network has kept for years, by these and what else decides it."""
    invoice, artefact = tables.Invoice, tables.Artefact
    found: list[tuple[int | None, DocumentGroup]] = []
    with db.reading() as connection:
        years = sa.select(artefact.retention_years).where(
            artefact.tenant_id == tenant_id, artefact.retention_years.is_not(None)
        )
        for each in connection.execute(years.distinct()).scalars().all():
            query = (
                _EVIDENCE.select()
                .join(artefact, artefact.invoice_id == invoice.id)
                .where(artefact.tenant_id == tenant_id, artefact.retention_years == each)
                .group_by(
                    invoice.environment,
                    invoice.direction,
                    invoice.kind,
                    invoice.supplier_country,
                    invoice.buyer_country,
                )
            )
            found += [(each, one) for one in _EVIDENCE.all(connection.execute(query))]
    return found


def undone(connection: Connection, tenant_id: str) -> int:
    """Documents that are not settled, entries and consents that are being withdrawn, and networks
    that are being left."""
    query = sa.select(sa.func.count()).where(
        tables.Outbox.tenant_id == tenant_id, tables.Outbox.kind.in_(_UNDONE)
    )
    listed = sa.select(sa.func.count()).where(
        tables.ParticipantEntry.tenant_id == tenant_id,
        tables.ParticipantEntry.access_point.is_not(None),
    )
    return max(connection.execute(query).scalar_one(), connection.execute(listed).scalar_one())


def kept_files(connection: Connection, tenant_id: str, now: datetime) -> datetime | None:
    """Until when files of identifications are kept; None if there are none."""
    file = tables.IdentificationFile
    query = sa.select(sa.func.max(file.keep_until, type_=file.keep_until.type)).where(
        file.tenant_id == tenant_id, file.keep_until >= now
    )
    found: datetime | None = connection.execute(query).scalar()
    return found


def is_live(group: DocumentGroup) -> bool:
    """Whether a law is about these documents: no law is about the sandbox."""
    return group.environment == Environment.LIVE


# -- the archive -----------------------------------------------------------------------------------


def begin_removals(connection: Connection, tenant_id: str, now: datetime) -> list[RegisteredObject]:
    """Mark some objects of the tenant, to which no part points any more, as to be deleted."""
    one = tables.ArchiveObject
    some = (
        sa.select(one.sha256)
        .where(one.tenant_id == tenant_id, one.state == ObjectState.STORED.value)
        .limit(MAX_ROWS)
    )
    changed = (
        sa.update(one)
        .where(one.tenant_id == tenant_id, one.sha256.in_(some), ~archive_objects.POINTED_TO)
        .values(state=ObjectState.REMOVING.value, changed_at=now)
    )
    found = connection.execute(changed.returning(*archive_objects.REGISTERED.returning()))
    return archive_objects.REGISTERED.all(found)


def begun(limit: int) -> list[str]:
    """Tenants whose deletion has begun and not ended."""
    query = sa.select(tables.Tenant.id).where(
        tables.Tenant.purge_begun_at.is_not(None), tables.Tenant.purged_at.is_(None)
    )
    with db.reading() as connection:
        return list(connection.execute(query.order_by(tables.Tenant.id).limit(limit)).scalars())
