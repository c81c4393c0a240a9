"""Platforms, and the tenants that they own.

Revision: 0056
Follows: 0055
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None

TABLE = "tenants"
OF_PLATFORM = sa.text("platform_id IS NOT NULL")
COLUMNS = ("platform_id", "external_id", "sandbox_only", "suspended_at", "suspension_reason",
           "get_per_minute", "post_per_minute", "plan")  # fmt: skip


def upgrade() -> None:
    op.add_column(TABLE, sa.Column("platform_id", sa.String(40), nullable=True))
    op.add_column(TABLE, sa.Column("external_id", sa.String(100), nullable=True))
    flag = sa.Column("sandbox_only", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column(TABLE, flag)
    op.add_column(TABLE, sa.Column("suspended_at", Moment(), nullable=True))
    op.add_column(TABLE, sa.Column("suspension_reason", sa.String(), nullable=True))
    op.add_column(TABLE, sa.Column("get_per_minute", sa.Integer(), nullable=True))
    op.add_column(TABLE, sa.Column("post_per_minute", sa.Integer(), nullable=True))
    op.add_column(TABLE, sa.Column("plan", sa.JSON(none_as_null=True), nullable=True))
    op.create_index(
        "uq_tenants_external_id",
        TABLE,
        ["platform_id", "external_id"],
        unique=True,
        postgresql_where=OF_PLATFORM,
        sqlite_where=OF_PLATFORM,
    )
    op.create_index(
        "ix_tenants_platform",
        TABLE,
        ["platform_id", "created_at", "id"],
        postgresql_where=OF_PLATFORM,
        sqlite_where=OF_PLATFORM,
    )
    op.create_table(
        "platforms",
        sa.Column("id", sa.String(40), sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("verifies_numbers", sa.Boolean(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("platforms")
    op.drop_index("ix_tenants_platform", table_name=TABLE)
    op.drop_index("uq_tenants_external_id", table_name=TABLE)
    with op.batch_alter_table(TABLE) as batch_op:
        for name in reversed(COLUMNS):
            batch_op.drop_column(name)
