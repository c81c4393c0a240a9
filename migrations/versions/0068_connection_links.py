"""Links by which a person of a tenant opens a connection without a login.

Revision: 0068
Follows: 0067
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0068"
down_revision = "0067"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "connection_links",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("tenant_id", sa.String(40), sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("access_point", sa.String(40), nullable=False),
        sa.Column("network", sa.String(40), nullable=False),
        sa.Column("account", sa.String(64), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("connection_id", sa.String(40), sa.ForeignKey("connections.id"), nullable=True),
        sa.Column("digest", sa.String(64), nullable=True, unique=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.Column("used_at", Moment(), nullable=True),
        sa.Column("revoked_at", Moment(), nullable=True),
    )
    op.create_index(
        "ix_connection_links_listed", "connection_links", ["tenant_id", "created_at", "id"]
    )
    op.create_index("ix_connection_links_connection", "connection_links", ["connection_id"])
    with op.batch_alter_table("connection_consents", schema=None) as batch_op:
        batch_op.add_column(sa.Column("link_id", sa.String(40), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("connection_consents", schema=None) as batch_op:
        batch_op.drop_column("link_id")
    op.drop_table("connection_links")
