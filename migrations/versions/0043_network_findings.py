"""Errors that networks name for their refusals.

Revision: 0043
Follows: 0042
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "network_findings",
        sa.Column("transmission_id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("invoice_id", sa.String(40), nullable=False),
        sa.Column("findings", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("transmission_id", name=op.f("pk_network_findings")),
    )
    op.create_index("ix_network_findings_invoice_id", "network_findings", ["invoice_id"])


def downgrade() -> None:
    op.drop_table("network_findings")
