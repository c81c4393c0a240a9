"""The people who use an account with a plan, and when a closed account was purged.

Revision: 0062
Follows: 0061
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None

COLUMNS = ("seats", "purge_begun_at", "purged_at")


def upgrade() -> None:
    with op.batch_alter_table("tenants", schema=None) as batch_op:
        batch_op.add_column(sa.Column("seats", sa.JSON(none_as_null=True), nullable=True))
        batch_op.add_column(sa.Column("purge_begun_at", Moment(), nullable=True))
        batch_op.add_column(sa.Column("purged_at", Moment(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("tenants", schema=None) as batch_op:
        for column in COLUMNS:
            batch_op.drop_column(column)
