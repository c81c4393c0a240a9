"""Indexes of events by invoice and by type.

Revision: 0012
Follows: 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

HAS_INVOICE = sa.text("invoice_id IS NOT NULL")
SELDOM = sa.text("type <> 'transaction.sent'")


def upgrade() -> None:
    op.create_index(
        "ix_events_invoice",
        "events",
        ["invoice_id"],
        postgresql_where=HAS_INVOICE,
        sqlite_where=HAS_INVOICE,
    )
    op.create_index(
        "ix_events_type",
        "events",
        ["tenant_id", "environment", "type", "sequence"],
        postgresql_where=SELDOM,
        sqlite_where=SELDOM,
    )


def downgrade() -> None:
    op.drop_index("ix_events_type", table_name="events")
    op.drop_index("ix_events_invoice", table_name="events")
