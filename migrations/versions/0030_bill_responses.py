"""Responses of tenants to bills.

Revision: 0030
Follows: 0029
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bill_responses",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("invoice_id", sa.String(40), nullable=False),
        sa.Column("message_id", sa.String(40), nullable=False),
        sa.Column("code", sa.String(8), nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("reason", sa.String, nullable=True),
        sa.Column("created_by", sa.String, nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("settled_at", Moment, nullable=True),
        sa.ForeignKeyConstraint(
            ["invoice_id"], ["invoices.id"], name="fk_bill_responses_invoice_id_invoices"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_bill_responses"),
    )
    op.create_index(
        "ix_bill_responses_invoice", "bill_responses", ["invoice_id", "created_at", "id"]
    )
    op.create_index("ix_bill_responses_message", "bill_responses", ["message_id"], unique=True)


def downgrade() -> None:
    op.drop_table("bill_responses")
