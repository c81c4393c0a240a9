"""The archive: what lies in an object store, and what was dropped at the end of its retention."""

from __future__ import annotations

from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import BIG, an_id, ref


class ArchiveObject(Base):
    """One object: content of a tenant, by its SHA-256. Its row is committed before it is written,
    so an object without a row is not one of this database."""

    __tablename__ = "archive_objects"

    tenant_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    sha256: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    store: Mapped[str] = mapped_column(sa.String(12))  # directory | s3
    encoding: Mapped[str] = mapped_column(sa.String(8))  # gzip | plain
    size: Mapped[int] = mapped_column(BIG)
    stored_size: Mapped[int] = mapped_column(BIG)
    state: Mapped[str] = mapped_column(sa.String(8))  # store/archive/archived.ObjectState
    changed_at: Mapped[datetime]
    # Until when the store refuses to delete it, where it can.
    retain_until: Mapped[date | None]

    __table_args__ = (
        sa.Index(
            "ix_archive_objects_unfinished",
            "changed_at",
            postgresql_where=sa.text("state <> 'stored'"),
            sqlite_where=sa.text("state <> 'stored'"),
        ),
    )


class ArchivePart(Base):
    """Content of an invoice or artefact that is not in its row: moved to an object, or dropped."""

    __tablename__ = "archive_parts"

    owner_id: Mapped[str] = an_id()  # of the invoice or artefact
    part: Mapped[str] = mapped_column(
        sa.String(16), primary_key=True
    )  # store/archive/archived.Part
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    invoice_id: Mapped[str] = mapped_column(sa.String(40))
    kind: Mapped[str] = mapped_column(sa.String(32))  # of the artefact
    sha256: Mapped[str] = mapped_column(sa.String(64))
    size: Mapped[int] = mapped_column(BIG)
    moved_at: Mapped[datetime | None]
    # When its retention ended, and under which rule; the content is gone.
    dropped_at: Mapped[datetime | None]
    dropped_rule: Mapped[str | None] = mapped_column(sa.String(200))

    __table_args__ = (
        sa.Index("ix_archive_parts_object", "tenant_id", "sha256"),
        sa.Index("ix_archive_parts_invoice", "invoice_id"),
    )


class EndedCount(Base):
    """The documents whose rows were deleted at the end of their retention, by the month (UTC) in
    which they were created, their access point and the status of their newest transmission."""

    __tablename__ = "ended_counts"

    tenant_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    environment: Mapped[str] = mapped_column(sa.String(4), primary_key=True)
    month: Mapped[str] = mapped_column(sa.String(7), primary_key=True)
    access_point: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    status: Mapped[str] = mapped_column(sa.String(12), primary_key=True)
    documents: Mapped[int] = mapped_column(sa.BigInteger)


class ArchiveWalk(Base):
    """How far a walk over all invoices, in the order of their ids, has come."""

    __tablename__ = "archive_walks"

    name: Mapped[str] = mapped_column(sa.String(16), primary_key=True)
    position: Mapped[str] = mapped_column(sa.String(40))
    # One process walks at a time.
    token: Mapped[str | None] = mapped_column(sa.String(32))
    lease_until: Mapped[datetime | None]


class ArchiveLater(Base):
    """An invoice before the position of a walk that has to be looked at again."""

    __tablename__ = "archive_later"

    invoice_id: Mapped[str] = an_id()
    due_at: Mapped[datetime]

    __table_args__ = (sa.Index("ix_archive_later_due", "due_at"),)


class ArchiveHold(Base):
    """A legal hold: nothing of the tenant, or of one of its invoices, is dropped while it lasts."""

    __tablename__ = "archive_holds"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    invoice_id: Mapped[str | None] = mapped_column(sa.String(40))
    reason: Mapped[str]
    placed_at: Mapped[datetime]
    released_at: Mapped[datetime | None]
    # The subject of a session; NULL: the operator.
    placed_by: Mapped[str | None] = mapped_column(sa.String(255))
    released_by: Mapped[str | None] = mapped_column(sa.String(255))

    __table_args__ = (sa.Index("ix_archive_holds_tenant", "tenant_id", "placed_at", "id"),)
