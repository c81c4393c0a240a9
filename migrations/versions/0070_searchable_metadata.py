"""The metadata of invoices by which their tenants search, with an index on PostgreSQL.

Revision: 0070
Follows: 0069
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "invoices", sa.Column("searchable", sa.JSON(none_as_null=True), nullable=True)
    )
    if op.get_bind().dialect.name == "postgresql":
        op.create_index(
            "ix_invoices_searchable",
            "invoices",
            [sa.text("(CAST(searchable AS jsonb)) jsonb_path_ops")],
            postgresql_using="gin",
            postgresql_where=sa.text("searchable IS NOT NULL"),
        )


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.drop_index("ix_invoices_searchable", "invoices")
    op.drop_column("invoices", "searchable")
