"""Seals of the audit log.

Revision: 0032
Follows: 0031
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_UNSEALED = sa.text("seal IS NULL")


def upgrade() -> None:
    op.add_column("audit_entries", sa.Column("seal", sa.BigInteger(), nullable=True))
    op.add_column("audit_entries", sa.Column("salts", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("audit_entries", sa.Column("erased", sa.JSON(none_as_null=True), nullable=True))
    op.create_index(
        "ix_audit_entries_unsealed",
        "audit_entries",
        ["tenant_id", "sequence"],
        postgresql_where=_UNSEALED,
        sqlite_where=_UNSEALED,
    )
    op.create_table(
        "audit_seals",
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("sealed_at", Moment, nullable=False),
        sa.Column("entries", sa.JSON, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "number", name="pk_audit_seals"),
    )
    op.create_table(
        "audit_heads",
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("seals", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("mac", sa.String(100), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", name="pk_audit_heads"),
    )


def downgrade() -> None:
    op.drop_table("audit_heads")
    op.drop_table("audit_seals")
    op.drop_index("ix_audit_entries_unsealed", "audit_entries")
    op.drop_column("audit_entries", "erased")
    op.drop_column("audit_entries", "salts")
    op.drop_column("audit_entries", "seal")
