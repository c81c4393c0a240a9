"""The number of the invoice that a credit note credits, and an index of it.

Credit notes of earlier releases have none: the document says it, and no page reads documents.

Revision: 0076
Follows: 0075
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0076"
down_revision = "0075"
branch_labels = None
depends_on = None

NAME = "ix_invoices_credited"
PRESENT = sa.text("credited_number IS NOT NULL")


def upgrade() -> None:
    op.add_column("invoices", sa.Column("credited_number", sa.String(), nullable=True))
    op.create_index(
        NAME,
        "invoices",
        ["tenant_id", "environment", "credited_number"],
        postgresql_where=PRESENT,
        sqlite_where=PRESENT,
    )


def downgrade() -> None:
    op.drop_index(NAME, "invoices")
    op.drop_column("invoices", "credited_number")
