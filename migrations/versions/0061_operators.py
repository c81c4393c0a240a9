"""Operators: keys of their programs, sessions of people, and the order of what they did.

Revision: 0061
Follows: 0060
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None

OF_OPERATORS = sa.text("actor_kind = 'operator'")


def upgrade() -> None:
    op.create_table(
        "operator_keys",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("prefix", sa.String(24), nullable=False),
        sa.Column("last4", sa.String(4), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=True),
        sa.Column("revoked_at", Moment(), nullable=True),
        sa.Column("last_used_at", Moment(), nullable=True),
        sa.Column("last_used_ip", sa.String(), nullable=True),
    )
    op.add_column(
        "web_sessions",
        sa.Column("is_operator", sa.Boolean(), server_default=sa.false(), nullable=False),
    )
    op.create_index(
        "ix_audit_entries_operators",
        "audit_entries",
        ["sequence"],
        postgresql_where=OF_OPERATORS,
        sqlite_where=OF_OPERATORS,
    )


def downgrade() -> None:
    op.drop_index("ix_audit_entries_operators", "audit_entries")
    with op.batch_alter_table("web_sessions") as batch_op:
        batch_op.drop_column("is_operator")
    op.drop_table("operator_keys")
