"""Index of buyers' tax ids, by which the lists of a customer's invoices find them.

Revision: 0047
Follows: 0046
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

# As the directory compares them: without blanks, dots, hyphens and slashes, in capitals.
KEY = sa.text(
    "replace(replace(replace(replace(upper(buyer_tax_id), ' ', ''), '.', ''), '-', ''), '/', '')"
)


def upgrade() -> None:
    op.create_index("ix_invoices_buyer_tax", "invoices", ["tenant_id", "environment", KEY])


def downgrade() -> None:
    op.drop_index("ix_invoices_buyer_tax", table_name="invoices")
