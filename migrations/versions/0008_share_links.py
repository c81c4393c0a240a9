"""create share links

Revision: 0008
Follows: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from einvoice.store.core.types import Moment

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "share_links",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("invoice_id", sa.String(length=40), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("revoked_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(
            ["invoice_id"], ["invoices.id"], name=op.f("fk_share_links_invoice_id_invoices")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_share_links")),
        sa.UniqueConstraint("digest", name=op.f("uq_share_links_digest")),
    )
    with op.batch_alter_table("share_links", schema=None) as batch_op:
        batch_op.create_index("ix_share_links_invoice", ["invoice_id", "created_at"], unique=False)
        batch_op.create_index(
            "uq_share_links_live",
            ["invoice_id"],
            unique=True,
            postgresql_where=sa.text("revoked_at IS NULL"),
            sqlite_where=sa.text("revoked_at IS NULL"),
        )


def downgrade() -> None:
    op.drop_table("share_links")
