"""Reports of periods to an authority, and the documents of which they are made.

Revision: 0073
Follows: 0072
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0073"
down_revision = "0072"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "collected_documents",
        sa.Column("invoice_id", sa.String(40), nullable=False),
        sa.Column("access_point", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("issue_date", sa.Date(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=True),
        sa.Column("created_at", Moment, nullable=False),
        sa.PrimaryKeyConstraint("invoice_id", "access_point", name="pk_collected_documents"),
    )
    op.create_index(
        "ix_collected_documents_period",
        "collected_documents",
        ["tenant_id", "environment", "access_point", "issue_date", "invoice_id"],
    )
    op.create_table(
        "period_reports",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("access_point", sa.String(40), nullable=False),
        sa.Column("connection_id", sa.String(40), nullable=False),
        sa.Column("account", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("ends_on", sa.Date(), nullable=False),
        sa.Column("due_on", sa.Date(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("corrects", sa.Boolean(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("left_out", sa.JSON(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=True),
        sa.Column("message_id", sa.String(40), nullable=True),
        sa.Column("outcome", sa.String(12), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("again", sa.Boolean(), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("updated_at", Moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_period_reports"),
        sa.UniqueConstraint(
            "tenant_id",
            "environment",
            "access_point",
            "account",
            "kind",
            "starts_on",
            "number",
            name="uq_period_reports_number",
        ),
    )
    op.create_index(
        "ix_period_reports_listed", "period_reports", ["tenant_id", "starts_on", "id"]
    )
    op.create_index("ix_period_reports_due", "period_reports", ["due_on"])


def downgrade() -> None:
    op.drop_table("period_reports")
    op.drop_table("collected_documents")
