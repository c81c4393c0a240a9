"""Holds of all deliveries after a restore of the database.

Revision: 0041
Follows: 0040
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recoveries",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("held_at", Moment(), nullable=False),
        sa.Column("since", Moment(), nullable=True),
        sa.Column("finished_at", Moment(), nullable=True),
        sa.Column("report", sa.JSON, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recoveries")),
    )


def downgrade() -> None:
    op.drop_table("recoveries")
