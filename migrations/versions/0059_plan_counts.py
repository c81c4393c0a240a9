"""Documents of a month, of tenants with a plan.

Revision: 0059
Follows: 0058
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "plan_counts",
        sa.Column("tenant_id", sa.String(40), primary_key=True),
        sa.Column("environment", sa.String(4), primary_key=True),
        sa.Column("month", sa.String(7), primary_key=True),
        sa.Column("documents", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("plan_counts")
