"""responses of receivers to sent invoices

Revision: 0051
Follows: 0050
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

RESPONDED = sa.text("response_status IS NOT NULL")
NEEDS_PERSON = sa.text("attention OR response_attention")
LISTED, AWAITING = "ix_transmissions_responded", "ix_transmissions_needs_person"


def upgrade() -> None:
    op.create_table(
        "receiver_responses",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("invoice_id", sa.String(40), nullable=False),
        sa.Column("transmission_id", sa.String(40), nullable=False),
        sa.Column("status", sa.String(24), nullable=False),
        sa.Column("at", Moment, nullable=False),
        sa.Column("by", sa.String, nullable=True),
        sa.Column("reasons", sa.JSON, nullable=False),
        sa.Column("text", sa.String, nullable=True),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("done_at", Moment, nullable=True),
        sa.Column("done_by", sa.String, nullable=True),
        sa.ForeignKeyConstraint(
            ["invoice_id"], ["invoices.id"], name="fk_receiver_responses_invoice_id_invoices"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_receiver_responses"),
    )
    op.create_index(
        "ix_receiver_responses_invoice", "receiver_responses", ["invoice_id", "created_at", "id"]
    )
    op.add_column("transmissions", sa.Column("response_id", sa.String(40), nullable=True))
    op.add_column("transmissions", sa.Column("response_status", sa.String(24), nullable=True))
    op.add_column("transmissions", sa.Column("response_attention", sa.Boolean, nullable=True))
    op.create_index(
        LISTED,
        "transmissions",
        ["tenant_id", "environment", "response_status", "listed_at", "invoice_id"],
        postgresql_where=RESPONDED,
        sqlite_where=RESPONDED,
    )
    op.create_index(
        AWAITING,
        "transmissions",
        ["tenant_id", "environment", "listed_at", "invoice_id"],
        postgresql_where=NEEDS_PERSON,
        sqlite_where=NEEDS_PERSON,
    )


def downgrade() -> None:
    op.drop_index(AWAITING, table_name="transmissions")
    op.drop_index(LISTED, table_name="transmissions")
    for column in ("response_attention", "response_status", "response_id"):
        op.drop_column("transmissions", column)
    op.drop_table("receiver_responses")
