"""Rows of invoices end with their retention; their number by month stays.

Revision: 0066
Follows: 0065
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ended_counts",
        sa.Column("tenant_id", sa.String(40), primary_key=True),
        sa.Column("environment", sa.String(4), primary_key=True),
        sa.Column("month", sa.String(7), primary_key=True),
        sa.Column("access_point", sa.String(64), primary_key=True),
        sa.Column("status", sa.String(12), primary_key=True),
        sa.Column("documents", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("ended_counts")
