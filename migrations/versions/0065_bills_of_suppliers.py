"""An index of the bills of a supplier, for lists by supplierId.

Revision: 0065
Follows: 0064
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None

HAS_SUPPLIER = sa.text("supplier_id IS NOT NULL")


def upgrade() -> None:
    op.create_index(
        "ix_received_supplier",
        "received",
        ["tenant_id", "environment", "supplier_id", "created_at", "invoice_id"],
        postgresql_where=HAS_SUPPLIER,
        sqlite_where=HAS_SUPPLIER,
    )


def downgrade() -> None:
    op.drop_index("ix_received_supplier", "received")
