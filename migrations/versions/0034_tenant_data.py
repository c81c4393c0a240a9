"""Exports and imports of tenants.

Revision: 0034
Follows: 0033
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_OPEN = sa.text("status IN ('queued', 'running')")


def upgrade() -> None:
    op.create_table(
        "tenant_exports",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("created_by", sa.String(255), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("seen_at", Moment, nullable=False),
        sa.Column("finished_at", Moment, nullable=True),
        sa.Column("expires_at", Moment, nullable=True),
        sa.Column("documents", sa.BigInteger(), nullable=False),
        sa.Column("documents_total", sa.BigInteger(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("sha256", sa.String(64), nullable=True),
        sa.Column("fault", sa.String(300), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name="fk_tenant_exports_tenant_id_tenants"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_tenant_exports"),
    )
    op.create_index(
        "uq_tenant_exports_open",
        "tenant_exports",
        ["tenant_id"],
        unique=True,
        postgresql_where=_OPEN,
        sqlite_where=_OPEN,
    )
    op.create_index("ix_tenant_exports_listed", "tenant_exports", ["tenant_id", "created_at", "id"])
    op.create_index("ix_tenant_exports_expires_at", "tenant_exports", ["expires_at"])
    op.create_table(
        "tenant_imports",
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("manifest", sa.String(64), nullable=False),
        sa.Column("entries", sa.BigInteger(), nullable=False),
        sa.Column("started_at", Moment, nullable=False),
        sa.Column("finished_at", Moment, nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", name="pk_tenant_imports"),
    )


def downgrade() -> None:
    op.drop_table("tenant_imports")
    op.drop_table("tenant_exports")
