"""Sessions of people at the pages of the dashboard.

Revision: 0036
Follows: 0035
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "web_sessions",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("issuer", sa.String(255), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("email", sa.String(255), nullable=True),
        sa.Column("name", sa.String(255), nullable=True),
        sa.Column("roles", sa.JSON, nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=True),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("language", sa.String(2), nullable=True),
        sa.Column("secrets", sa.LargeBinary, nullable=True),
        sa.Column("issued_at", sa.Float, nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("seen_at", Moment, nullable=False),
        sa.Column("refreshed_at", Moment, nullable=False),
        sa.Column("expires_at", Moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_web_sessions"),
    )
    op.create_index(
        "ix_web_sessions_subject", "web_sessions", ["issuer", "subject", "created_at"]
    )
    op.create_index("ix_web_sessions_expires", "web_sessions", ["expires_at"])


def downgrade() -> None:
    op.drop_table("web_sessions")
