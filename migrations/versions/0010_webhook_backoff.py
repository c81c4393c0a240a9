"""queue webhooks by endpoint, and keep the backoff of an endpoint

Revision: 0010
Follows: 0009
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

OPEN = sa.text("endpoint_id IS NOT NULL AND token IS NULL")
# Written by a version that does not know the column.
UNASSIGNED = sa.text("lane = 'webhooks' AND endpoint_id IS NULL AND token IS NULL")


def upgrade() -> None:
    with op.batch_alter_table("webhook_endpoints", schema=None) as batch_op:
        batch_op.add_column(sa.Column("responsive", sa.Boolean(), nullable=True))
        batch_op.add_column(sa.Column("timeouts", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("backoff_until", Moment(), nullable=True))
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.add_column(sa.Column("endpoint_id", sa.String(length=40), nullable=True))
    op.create_index(
        "ix_outbox_endpoint",
        "outbox",
        ["endpoint_id", "due_at"],
        postgresql_where=OPEN,
        sqlite_where=OPEN,
    )
    op.create_index(
        "ix_outbox_unassigned",
        "outbox",
        ["id"],
        postgresql_where=UNASSIGNED,
        sqlite_where=UNASSIGNED,
    )


def downgrade() -> None:
    op.drop_index("ix_outbox_unassigned", table_name="outbox")
    op.drop_index("ix_outbox_endpoint", table_name="outbox")
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.drop_column("endpoint_id")
    with op.batch_alter_table("webhook_endpoints", schema=None) as batch_op:
        for column in ("backoff_until", "timeouts", "responsive"):
            batch_op.drop_column(column)
