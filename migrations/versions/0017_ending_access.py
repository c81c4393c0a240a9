"""When a tenant was closed, and before when its tokens are refused.

Revision: 0017
Follows: 0016
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("tenants", schema=None) as batch_op:
        batch_op.add_column(sa.Column("closed_at", Moment(), nullable=True))
        batch_op.add_column(sa.Column("session_ends", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("tenants", schema=None) as batch_op:
        batch_op.drop_column("session_ends")
        batch_op.drop_column("closed_at")
