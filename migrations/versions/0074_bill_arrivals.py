"""Bills that arrive a second time by another network, and the bank accounts of suppliers.

Revision: 0074
Follows: 0073
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0074"
down_revision = "0073"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bill_arrivals",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("invoice_id", sa.String(40), nullable=False),
        sa.Column("replaced_id", sa.String(40), nullable=True),
        sa.Column("access_point", sa.String(40), nullable=False),
        sa.Column("sender", sa.String(140), nullable=False),
        sa.Column("receiver", sa.String(140), nullable=False),
        sa.Column("instance_id", sa.String(255), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.ForeignKeyConstraint(
            ["invoice_id"], ["invoices.id"], name="fk_bill_arrivals_invoice_id_invoices"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_bill_arrivals"),
        sa.UniqueConstraint(
            "access_point", "instance_id", "sender", "receiver", name="uq_bill_arrivals_message"
        ),
    )
    op.create_index("ix_bill_arrivals_invoice", "bill_arrivals", ["invoice_id", "created_at"])
    op.create_table(
        "supplier_accounts",
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("supplier_key", sa.String(200), nullable=False),
        sa.Column("account", sa.String(64), nullable=False),
        sa.Column("invoice_id", sa.String(40), nullable=False),
        sa.Column("doubted", sa.Boolean(), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.PrimaryKeyConstraint(
            "tenant_id", "environment", "supplier_key", "account", name="pk_supplier_accounts"
        ),
    )
    op.create_index(
        "ix_supplier_accounts_account", "supplier_accounts", ["tenant_id", "environment", "account"]
    )
    op.create_index(
        "ix_supplier_accounts_doubted",
        "supplier_accounts",
        ["invoice_id"],
        postgresql_where=sa.text("doubted"),
        sqlite_where=sa.text("doubted"),
    )


def downgrade() -> None:
    op.drop_table("supplier_accounts")
    op.drop_table("bill_arrivals")
