"""Mailboxes of connections: how far each has been fetched.

Revision: 0027
Follows: 0026
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "mailboxes",
        sa.Column("connection_id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("access_point", sa.String(40), nullable=False),
        sa.Column("cursor", sa.String, nullable=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("every_seconds", sa.Float, nullable=False),
        sa.Column("not_before", Moment, nullable=True),
        sa.Column("fetched_at", Moment, nullable=True),
        sa.Column("changed_at", Moment, nullable=True),
        sa.Column("documents", sa.Integer, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("fault", sa.String(300), nullable=True),
        sa.Column("created_at", Moment, nullable=False),
        sa.PrimaryKeyConstraint("connection_id", name="pk_mailboxes"),
    )


def downgrade() -> None:
    op.drop_table("mailboxes")
