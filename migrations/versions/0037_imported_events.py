"""The sequences of events that an import has stored.

Revision: 0037
Follows: 0036
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tenant_imports", sa.Column("events_from", sa.BigInteger(), nullable=True))
    op.add_column("tenant_imports", sa.Column("events_to", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("tenant_imports", "events_to")
    op.drop_column("tenant_imports", "events_from")
