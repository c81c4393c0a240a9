"""Counts of blocks of documents, for totals.

Revision: 0035
Follows: 0034
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "invoice_blocks",
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("since", Moment(), nullable=False),
        sa.Column("until", Moment(), nullable=False),
        sa.Column("delivered", sa.Integer(), nullable=True),
        sa.Column("failed", sa.Integer(), nullable=True),
        sa.Column("received", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint(
            "tenant_id", "environment", "since", name=op.f("pk_invoice_blocks")
        ),
    )


def downgrade() -> None:
    op.drop_table("invoice_blocks")
