"""Indexes of batches by age, participants by tenant, and webhook deliveries by event.

Revision: 0011
Follows: 0010
"""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_batches_created", "batches", ["created_at"])
    op.create_index("ix_participants_tenant", "participants", ["tenant_id", "environment"])
    op.create_index("ix_webhook_deliveries_event", "webhook_deliveries", ["event_id", "endpoint_id"])


def downgrade() -> None:
    op.drop_index("ix_webhook_deliveries_event", "webhook_deliveries")
    op.drop_index("ix_participants_tenant", "participants")
    op.drop_index("ix_batches_created", "batches")
