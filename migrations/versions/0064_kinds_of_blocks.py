"""The documents of a block by access point and status, for the usage of many tenants.

Revision: 0064
Follows: 0063
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("invoice_blocks", schema=None) as batch_op:
        batch_op.add_column(sa.Column("kinds", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("invoice_blocks", schema=None) as batch_op:
        batch_op.drop_column("kinds")
