"""The sender's id of a received document whose id was that of another document before.

Revision: 0051
Follows: 0050
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("received", sa.Column("reused_id", sa.String(255)))


def downgrade() -> None:
    op.drop_column("received", "reused_id")
