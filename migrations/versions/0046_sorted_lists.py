"""Indexes of lists in the order of issue date and amount.

Revision: 0046
Follows: 0045
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

INCOMPLETE = sa.text("(number IS NULL OR issue_date IS NULL OR grand_total IS NULL)")
VALUES = {"ix_invoices_issued": "issue_date", "ix_invoices_total": "grand_total"}


def upgrade() -> None:
    for name, value in VALUES.items():
        op.create_index(name, "invoices", ["tenant_id", "environment", value, "id"])
    op.create_index(
        "ix_invoices_incomplete",
        "invoices",
        ["tenant_id", "environment", "created_at", "id"],
        postgresql_where=INCOMPLETE,
        sqlite_where=INCOMPLETE,
    )


def downgrade() -> None:
    for name in ("ix_invoices_incomplete", *VALUES):
        op.drop_index(name, table_name="invoices")
