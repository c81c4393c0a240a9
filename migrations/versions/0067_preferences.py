"""Preferences of people, letters to them, and the format of dates of a session.

Revision: 0067
Follows: 0066
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0067"
down_revision = "0066"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("web_sessions", sa.Column("dates", sa.String(10), nullable=True))
    op.create_table(
        "preferences",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("email", sa.String(255), nullable=True),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("seen_at", Moment(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("language", sa.String(2), nullable=True),
        sa.Column("dates", sa.String(10), nullable=True),
        sa.Column("letters", sa.String(10), nullable=False),
        sa.Column("topics", sa.JSON(), nullable=False),
        sa.Column("sandbox", sa.Boolean(), nullable=False),
        sa.Column("told", BIG, nullable=False),
        sa.Column("looked_at", Moment(), nullable=False),
        sa.Column("next_at", Moment(), nullable=True),
        sa.UniqueConstraint("tenant_id", "subject", name="uq_preferences_person"),
    )
    op.create_index("ix_preferences_next", "preferences", ["next_at"])
    op.create_table(
        "letters",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("preferences_id", sa.String(40), nullable=False),
        sa.Column("digest", sa.String(64), nullable=True, unique=True),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("after", BIG, nullable=False),
        sa.Column("until", BIG, nullable=False),
        sa.Column("down_after", Moment(), nullable=False),
        sa.Column("down_until", Moment(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("settled_at", Moment(), nullable=True),
    )
    op.create_index("ix_letters_preferences", "letters", ["preferences_id", "created_at"])
    op.create_index("ix_letters_created", "letters", ["created_at"])


def downgrade() -> None:
    op.drop_table("letters")
    op.drop_table("preferences")
    op.drop_column("web_sessions", "dates")
