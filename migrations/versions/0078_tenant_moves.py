"""Tenants that move to another installation.

Revision: 0078
Follows: 0077
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0078"
down_revision = "0077"
branch_labels = None
depends_on = None

CHANGES = "tenant_changes"
BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("tenants", sa.Column("held_at", Moment(), nullable=True))
    op.add_column("tenants", sa.Column("moved_to", sa.String(200), nullable=True))
    op.add_column("tenant_imports", sa.Column("received_at", Moment(), nullable=True))
    op.create_table(
        "tenant_moves",
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("begun_at", Moment(), nullable=False),
        sa.Column("files", sa.Integer(), nullable=False),
        sa.Column("manifest", sa.String(64), nullable=True),
        sa.Column("sealed_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name="fk_tenant_moves_tenant_id_tenants"
        ),
        sa.PrimaryKeyConstraint("tenant_id", name="pk_tenant_moves"),
    )
    op.create_table(
        CHANGES,
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("family", sa.String(40), nullable=False),
        sa.Column("key", sa.String(600), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tenant_changes"),
    )
    op.create_index("ix_tenant_changes_tenant", CHANGES, ["tenant_id", "id"])


def downgrade() -> None:
    op.drop_table(CHANGES)
    op.drop_table("tenant_moves")
    with op.batch_alter_table("tenant_imports") as batch_op:
        batch_op.drop_column("received_at")
    with op.batch_alter_table("tenants") as batch_op:
        batch_op.drop_column("moved_to")
        batch_op.drop_column("held_at")
