"""Documents that are sent by a connection, and wait where it cannot be used.

Revision: 0025
Follows: 0024
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

SENT_BY_CONNECTION = sa.text("connection_id IS NOT NULL")
PARKED = sa.text("parked_by IS NOT NULL")


def upgrade() -> None:
    op.add_column("transmissions", sa.Column("connection_id", sa.String(40), nullable=True))
    op.add_column("outbox", sa.Column("connection_id", sa.String(40), nullable=True))
    op.add_column("outbox", sa.Column("parked_by", sa.String(40), nullable=True))
    op.add_column("outbox", sa.Column("paused_at", Moment(), nullable=True))
    op.add_column("connections", sa.Column("throttled_until", Moment(), nullable=True))
    op.create_index(
        "ix_outbox_connection",
        "outbox",
        ["connection_id"],
        postgresql_where=SENT_BY_CONNECTION,
        sqlite_where=SENT_BY_CONNECTION,
    )
    op.create_index(
        "ix_outbox_parked", "outbox", ["parked_by"], postgresql_where=PARKED, sqlite_where=PARKED
    )


def downgrade() -> None:
    op.drop_index("ix_outbox_parked", "outbox")
    op.drop_index("ix_outbox_connection", "outbox")
    op.drop_column("connections", "throttled_until")
    for column in ("paused_at", "parked_by", "connection_id"):
        op.drop_column("outbox", column)
    op.drop_column("transmissions", "connection_id")
