"""Notes that processes and commands leave for others.

Revision: 0049
Follows: 0048
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "service_states",
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("noted_at", Moment(), nullable=False),
        sa.Column("value", sa.JSON, nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_service_states")),
    )


def downgrade() -> None:
    op.drop_table("service_states")
