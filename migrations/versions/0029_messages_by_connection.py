"""Messages by the connection of a tenant, and when a received document was forwarded.

Revision: 0029
Follows: 0028
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("messages", sa.Column("connection_id", sa.String(40), nullable=True))
    # Of the mailbox that it was fetched from.
    op.add_column("received", sa.Column("connection_id", sa.String(40), nullable=True))
    op.add_column("received", sa.Column("forwarded_at", Moment, nullable=True))


def downgrade() -> None:
    op.drop_column("received", "forwarded_at")
    op.drop_column("received", "connection_id")
    op.drop_column("messages", "connection_id")
