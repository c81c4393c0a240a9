"""drafts of invoices with their files

Revision: 0045
Follows: 0044
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "invoice_drafts",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("number", sa.String(100), nullable=True),
        sa.Column("buyer_name", sa.String(200), nullable=True),
        sa.Column("file_count", sa.Integer, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("page", sa.String(40), nullable=True),
        sa.Column("created_by", sa.String(255), nullable=True),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("updated_at", Moment, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_invoice_drafts"),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name="fk_invoice_drafts_tenant_id_tenants"
        ),
    )
    op.create_index(
        "ix_invoice_drafts_listed", "invoice_drafts", ["tenant_id", "created_at", "id"]
    )
    op.create_index("ix_invoice_drafts_updated_at", "invoice_drafts", ["updated_at"])
    op.create_table(
        "draft_files",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("draft_id", sa.String(40), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("media_type", sa.String(100), nullable=False),
        sa.Column("description", sa.String(512), nullable=True),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("file", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_draft_files"),
        sa.ForeignKeyConstraint(
            ["draft_id"], ["invoice_drafts.id"], name="fk_draft_files_draft_id_invoice_drafts"
        ),
    )
    op.create_index("ix_draft_files_draft_id", "draft_files", ["draft_id", "id"])
    op.create_index("ix_draft_files_tenant_id", "draft_files", ["tenant_id", "id"])


def downgrade() -> None:
    op.drop_table("draft_files")
    op.drop_table("invoice_drafts")
