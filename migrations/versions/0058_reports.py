"""Reports of documents to authorities: messages that say to whom, and until when.

Revision: 0058
Follows: 0057
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None

INDEX, IS_REPORT = "ix_messages_reports", sa.text("reports_to IS NOT NULL")


def upgrade() -> None:
    op.add_column("transmissions", sa.Column("delivered_means", sa.String(10), nullable=True))
    op.add_column("messages", sa.Column("reports_to", sa.String(2), nullable=True))
    op.add_column("messages", sa.Column("due_at", Moment(), nullable=True))
    op.create_index(
        INDEX,
        "messages",
        ["invoice_id"],
        postgresql_where=IS_REPORT,
        sqlite_where=IS_REPORT,
    )


def downgrade() -> None:
    op.drop_index(INDEX, table_name="messages")
    op.drop_column("messages", "due_at")
    op.drop_column("messages", "reports_to")
    op.drop_column("transmissions", "delivered_means")
