"""Index of waiting transmissions by the reference that their network gave them.

Revision: 0019
Follows: 0018
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

PENDING = sa.text("pending IS NOT NULL")


def upgrade() -> None:
    op.create_index(
        "ix_transmissions_reference",
        "transmissions",
        ["access_point", sa.text("(pending ->> 'reference')")],
        postgresql_where=PENDING,
        sqlite_where=PENDING,
    )


def downgrade() -> None:
    op.drop_index("ix_transmissions_reference", "transmissions")
