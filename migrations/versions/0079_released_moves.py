"""When the key of a moving tenant was given out.

Revision: 0079
Follows: 0078
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0079"
down_revision = "0078"
branch_labels = None
depends_on = None

TABLE = "tenant_moves"


def upgrade() -> None:
    op.add_column(TABLE, sa.Column("transport_key", sa.LargeBinary(), nullable=True))
    op.add_column(TABLE, sa.Column("released_at", Moment(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table(TABLE) as batch_op:
        batch_op.drop_column("released_at")
        batch_op.drop_column("transport_key")
