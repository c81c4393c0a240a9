"""Payments of sent invoices, and how much of each is paid.

Revision: 0071
Follows: 0070
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment, Money

revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("invoices", sa.Column("amount_paid", Money(), nullable=True))
    op.create_table(
        "payments",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("invoice_id", sa.String(40), nullable=False),
        sa.Column("amount", Money(), nullable=False),
        sa.Column("paid_on", sa.Date(), nullable=False),
        sa.Column("reference", sa.String(), nullable=True),
        sa.Column("message_id", sa.String(40), nullable=True),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.ForeignKeyConstraint(
            ["invoice_id"], ["invoices.id"], name="fk_payments_invoice_id_invoices"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_payments"),
    )
    op.create_index("ix_payments_invoice", "payments", ["invoice_id", "created_at", "id"])


def downgrade() -> None:
    op.drop_table("payments")
    op.drop_column("invoices", "amount_paid")
