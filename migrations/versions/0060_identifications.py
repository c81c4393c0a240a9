"""Identifications of tenants by their platforms, with files.

Revision: 0060
Follows: 0059
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None

TABLE, FILES = "identifications", "identification_files"
PENDING = sa.text("status = 'pending'")


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("tenant_id", sa.String(40), sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("platform_id", sa.String(40), nullable=False),
        sa.Column("method", sa.String(40), nullable=False),
        sa.Column("document_kind", sa.String(40), nullable=True),
        sa.Column("numbers", sa.JSON(), nullable=False),
        sa.Column("identified_at", Moment(), nullable=False),
        sa.Column("identified_by", sa.String(200), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("decided_at", Moment(), nullable=True),
        sa.Column("decided_by", sa.String(8), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
    )
    op.create_index("ix_identifications_tenant", TABLE, ["tenant_id", "created_at", "id"])
    op.create_index(
        "ix_identifications_pending",
        TABLE,
        ["created_at", "id"],
        postgresql_where=PENDING,
        sqlite_where=PENDING,
    )
    op.create_table(
        FILES,
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("tenant_id", sa.String(40), sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column(
            "identification_id", sa.String(40), sa.ForeignKey("identifications.id"), nullable=False
        ),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("content_type", sa.String(100), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("keep_until", Moment(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
    )
    op.create_index("ix_identification_files_identification", FILES, ["identification_id"])
    op.create_index("ix_identification_files_keep_until", FILES, ["keep_until"])


def downgrade() -> None:
    op.drop_table(FILES)
    op.drop_table(TABLE)
