"""The audit log: who changed what, when and from which address; and its seals."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import BIG

_UNSEALED = sa.text("seal IS NULL")
_OF_OPERATORS = sa.text("actor_kind = 'operator'")


class AuditEntry(Base):
    """One management action, written in the transaction of the change.

    A sweep sets `seal` and `salts` once. Erasing a person replaces the values of a part, moves its
    digest from `salts` to `erased`, and changes nothing else (security/audit_chain).
    """

    __tablename__ = "audit_entries"

    sequence: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=True)
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    at: Mapped[datetime]
    # The subject of a session, the id of an API key, or `operator`.
    actor: Mapped[str] = mapped_column(sa.String(255))
    actor_kind: Mapped[str] = mapped_column(sa.String(8))  # person | key | operator
    email: Mapped[str | None] = mapped_column(sa.String(255))
    address: Mapped[str | None] = mapped_column(sa.String(64))
    action: Mapped[str] = mapped_column(sa.String(64))
    target: Mapped[str] = mapped_column(sa.String(255))
    detail: Mapped[Any] = mapped_column(sa.JSON)
    # The number of the seal that contains it; NULL until then.
    seal: Mapped[int | None] = mapped_column(sa.BigInteger)
    # Part → salt of its digest, and part → digest of what was erased.
    salts: Mapped[Any | None] = mapped_column(sa.JSON(none_as_null=True))
    erased: Mapped[Any | None] = mapped_column(sa.JSON(none_as_null=True))

    __table_args__ = (
        sa.Index("ix_audit_entries_tenant", "tenant_id", "sequence"),
        sa.Index(
            "ix_audit_entries_unsealed",
            "tenant_id",
            "sequence",
            postgresql_where=_UNSEALED,
            sqlite_where=_UNSEALED,
        ),
        sa.Index(
            "ix_audit_entries_operators",
            "sequence",
            postgresql_where=_OF_OPERATORS,
            sqlite_where=_OF_OPERATORS,
        ),
    )


class AuditSeal(Base):
    """A link of a tenant's chain: the digests of some entries and of the seal before."""

    __tablename__ = "audit_seals"

    tenant_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    number: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    sealed_at: Mapped[datetime]
    # Sequence and digest of each entry, in the order of their sequences.
    entries: Mapped[Any] = mapped_column(sa.JSON)
    digest: Mapped[str] = mapped_column(sa.String(64))


class AuditHead(Base):
    """The end of a tenant's chain: how many seals it has, and the digest of the last one."""

    __tablename__ = "audit_heads"

    tenant_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    seals: Mapped[int] = mapped_column(sa.BigInteger)
    digest: Mapped[str] = mapped_column(sa.String(64))
    # Key id and HMAC of the three columns, by a key that is not in the database.
    mac: Mapped[str] = mapped_column(sa.String(100))
