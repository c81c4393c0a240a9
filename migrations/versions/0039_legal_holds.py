"""Legal holds, which keep documents from being dropped.

Revision: 0039
Follows: 0038
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "archive_holds",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("invoice_id", sa.String(40), nullable=True),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("placed_at", Moment(), nullable=False),
        sa.Column("released_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name=op.f("fk_archive_holds_tenant_id_tenants")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_archive_holds")),
    )
    op.create_index("ix_archive_holds_tenant", "archive_holds", ["tenant_id", "placed_at", "id"])


def downgrade() -> None:
    op.drop_table("archive_holds")
