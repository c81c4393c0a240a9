"""VAT of an invoice in its accounting currency. NULL for documents without one, and for older rows.

Revision: 0015
Follows: 0014
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Money

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("invoices", sa.Column("tax_currency", sa.String(3), nullable=True))
    op.add_column("invoices", sa.Column("tax_amount_in_tax_currency", Money(), nullable=True))


def downgrade() -> None:
    op.drop_column("invoices", "tax_amount_in_tax_currency")
    op.drop_column("invoices", "tax_currency")
