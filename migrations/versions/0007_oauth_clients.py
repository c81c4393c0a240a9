"""create OAuth clients

Revision: 0007
Follows: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from einvoice.store.core.types import Moment

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "oauth_clients",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("environment", sa.String(length=4), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("last4", sa.String(length=4), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("old_digest", sa.String(length=64), nullable=True),
        sa.Column("old_until", Moment(), nullable=True),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("allowed_ips", sa.JSON(), nullable=False),
        sa.Column("allowed_receivers", sa.JSON(), nullable=False),
        sa.Column("get_per_minute", sa.Integer(), nullable=True),
        sa.Column("post_per_minute", sa.Integer(), nullable=True),
        sa.Column("created_by", sa.String(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("revoked_at", Moment(), nullable=True),
        sa.Column("last_used_at", Moment(), nullable=True),
        sa.Column("last_used_ip", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name=op.f("fk_oauth_clients_tenant_id_tenants")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_clients")),
    )
    with op.batch_alter_table("oauth_clients", schema=None) as batch_op:
        batch_op.create_index(
            "ix_oauth_clients_tenant", ["tenant_id", "created_at"], unique=False
        )


def downgrade() -> None:
    with op.batch_alter_table("oauth_clients", schema=None) as batch_op:
        batch_op.drop_index("ix_oauth_clients_tenant")

    op.drop_table("oauth_clients")
