"""The sender's id of a received document whose id was that of another document before.

Revision: 0052
Follows: 0051
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("received", sa.Column("reused_id", sa.String(255)))


def downgrade() -> None:
    op.drop_column("received", "reused_id")
