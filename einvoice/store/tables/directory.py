"""Customers and suppliers of a tenant: one directory for both environments.

Entries are matched by the `…_key` columns (domain/directory); the filter `q` searches `search`. A
tax id and an externalId are unique in a directory, so concurrent requests create one entry.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id, ref

# Compared by code points, so that the order of pages does not depend on the database's locale.
_PLAIN = sa.String().with_variant(sa.String(collation="C"), "postgresql")


class _Entry:
    """The columns that both directories have."""

    __tablename__: str

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    external_id: Mapped[str | None] = mapped_column(sa.String(200))
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(_PLAIN)
    tax_id: Mapped[str | None] = mapped_column(sa.String(50))
    tax_key: Mapped[str | None] = mapped_column(sa.String(50))
    peppol_id: Mapped[str | None] = mapped_column(sa.String(140))
    peppol_key: Mapped[str | None] = mapped_column(sa.String(140))
    country_code: Mapped[str | None] = mapped_column(sa.String(2))
    email: Mapped[str | None] = mapped_column(sa.String(320))
    phone: Mapped[str | None] = mapped_column(sa.String(50))
    address: Mapped[Any] = mapped_column(sa.JSON(none_as_null=True), nullable=True)
    network_status: Mapped[str] = mapped_column(sa.String(12))
    network_checked_at: Mapped[datetime | None]
    # When the participant id was set or changed; an unavailable directory is queried for a day.
    network_asked_at: Mapped[datetime | None]
    source: Mapped[str] = mapped_column(sa.String(8))  # manual | import | seed
    version: Mapped[int]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    search: Mapped[str]

    @declared_attr.directive
    def __mapper_args__(cls) -> dict[str, Any]:  # noqa: N805 - SQLAlchemy calls it on the class
        return {"version_id_col": cls.version}  # incremented by the session, not by bulk statements

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805 - SQLAlchemy calls it on the class
        name = cls.__tablename__
        return (
            # The two orders of a list; the second one also serves the match by name.
            sa.Index(f"ix_{name}_created", "tenant_id", "created_at", "id"),
            sa.Index(f"ix_{name}_name", "tenant_id", "name_key", "id"),
            sa.Index(f"ix_{name}_peppol", "tenant_id", "peppol_key", "created_at", "id"),
            sa.UniqueConstraint("tenant_id", "tax_key"),
            sa.UniqueConstraint("tenant_id", "external_id"),
        )


class Customer(_Entry, Base):
    """A buyer of the tenant's invoices."""

    __tablename__ = "customers"

    default_currency_code: Mapped[str | None] = mapped_column(sa.String(3))
    default_payment_terms_days: Mapped[int | None]
    buyer_reference: Mapped[str | None] = mapped_column(sa.String(200))


class Supplier(_Entry, Base):
    """A seller that invoices the tenant."""

    __tablename__ = "suppliers"

    default_gl_account_code: Mapped[str | None] = mapped_column(sa.String(100))
