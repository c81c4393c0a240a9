"""Who placed and released a legal hold.

Revision: 0040
Follows: 0039
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("archive_holds", sa.Column("placed_by", sa.String(255), nullable=True))
    op.add_column("archive_holds", sa.Column("released_by", sa.String(255), nullable=True))


def downgrade() -> None:
    op.drop_column("archive_holds", "released_by")
    op.drop_column("archive_holds", "placed_by")
