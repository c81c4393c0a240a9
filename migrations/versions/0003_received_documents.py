"""create the tables of received documents

Revision: 0003
Follows: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from einvoice.store.core.types import Moment

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_INDEXES = {
    "ix_received_open": sa.text("processed_at IS NULL"),
    "ix_received_processed": sa.text("processed_at IS NOT NULL"),
}


def upgrade() -> None:
    op.create_table(
        "received",
        sa.Column("invoice_id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("environment", sa.String(length=4), nullable=False),
        sa.Column("access_point", sa.String(length=40), nullable=False),
        sa.Column("sender", sa.String(length=140), nullable=False),
        sa.Column("receiver", sa.String(length=140), nullable=False),
        sa.Column("instance_id", sa.String(length=255), nullable=False),
        sa.Column("document_type", sa.String(), nullable=False),
        sa.Column("process", sa.String(), nullable=False),
        sa.Column("syntax", sa.String(length=3), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("receipt", sa.LargeBinary(), nullable=True),
        sa.Column("supplier_id", sa.String(length=40), nullable=True),
        sa.Column("gl_account_code", sa.String(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("processed_at", Moment(), nullable=True),
        sa.Column("processed_by", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["invoice_id"],
            ["invoices.id"],
            name=op.f("fk_received_invoice_id_invoices"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("invoice_id", name=op.f("pk_received")),
        sa.UniqueConstraint(
            "access_point",
            "instance_id",
            "sender",
            "receiver",
            name=op.f("uq_received_access_point_instance_id_sender_receiver"),
        ),
    )
    with op.batch_alter_table("received", schema=None) as batch_op:
        for name, condition in _INDEXES.items():
            batch_op.create_index(
                name,
                ["tenant_id", "environment", "created_at", "invoice_id"],
                unique=False,
                postgresql_where=condition,
                sqlite_where=condition,
            )


def downgrade() -> None:
    op.drop_table("received")
