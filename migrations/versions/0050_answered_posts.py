"""idempotency keys of POSTs that are no sends, with their first answers

Revision: 0050
Follows: 0049
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "answered_posts",
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("target", sa.String(64), nullable=False),
        sa.Column("key", sa.String(128), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=True),
        sa.Column("status", sa.Integer, nullable=True),
        sa.Column("body", sa.LargeBinary, nullable=True),
        sa.Column("headers", sa.JSON, nullable=True),
        sa.Column("created_at", Moment, nullable=False),
        sa.PrimaryKeyConstraint(
            "tenant_id", "environment", "target", "key", name="pk_answered_posts"
        ),
    )
    op.create_index("ix_answered_posts_created_at", "answered_posts", ["created_at"])


def downgrade() -> None:
    op.drop_table("answered_posts")
