"""Receivers without a participant id, the numbers of buyers, and the profile of a document.

Revision: 0024
Follows: 0023
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("transmissions", sa.Column("profile", sa.String(40), nullable=True))
    with op.batch_alter_table("invoices") as invoices:
        invoices.add_column(sa.Column("buyer_ids", sa.JSON(none_as_null=True), nullable=True))
        invoices.alter_column("receiver", existing_type=sa.String(140), nullable=True)


def downgrade() -> None:
    """A receiver without a participant id becomes an empty text, which earlier releases show."""
    op.execute("UPDATE invoices SET receiver = '' WHERE receiver IS NULL")
    with op.batch_alter_table("invoices") as invoices:
        invoices.alter_column("receiver", existing_type=sa.String(140), nullable=False)
        invoices.drop_column("buyer_ids")
    op.drop_column("transmissions", "profile")
