"""Whether the network still names this service for a participant id.

Revision: 0054
Follows: 0053
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None

TABLE = "participants"
VERIFIED, MOVED = sa.text("status = 'verified'"), sa.text("publication = 'moved'")
MOMENTS = ("since", "checked_at", "doubted_at", "due_at")


def upgrade() -> None:
    status = sa.Column("publication", sa.String(9), nullable=False, server_default="none")
    op.add_column(TABLE, status)
    op.add_column(TABLE, sa.Column("publication_reason", sa.String(16), nullable=True))
    for name in MOMENTS:
        op.add_column(TABLE, sa.Column(f"publication_{name}", Moment(), nullable=True))
    op.create_index(
        "ix_participants_publication_due",
        TABLE,
        ["publication_due_at"],
        postgresql_where=VERIFIED,
        sqlite_where=VERIFIED,
    )
    op.create_index(
        "ix_participants_moved",
        TABLE,
        ["publication_since", "id"],
        postgresql_where=MOVED,
        sqlite_where=MOVED,
    )


def downgrade() -> None:
    op.drop_index("ix_participants_moved", table_name=TABLE)
    op.drop_index("ix_participants_publication_due", table_name=TABLE)
    with op.batch_alter_table(TABLE) as batch_op:
        for name in reversed(MOMENTS):
            batch_op.drop_column(f"publication_{name}")
        batch_op.drop_column("publication_reason")
        batch_op.drop_column("publication")
