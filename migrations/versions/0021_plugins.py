"""What plugins keep: values by key, records by time, and when their duties ran.

Revision: 0021
Follows: 0020
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "plugin_values",
        sa.Column("plugin", sa.String(100), nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.Column("is_text", sa.Boolean, nullable=False),
        sa.Column("changed_at", Moment, nullable=False),
        sa.PrimaryKeyConstraint("plugin", "key", name="pk_plugin_values"),
    )
    op.create_table(
        "plugin_records",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("plugin", sa.String(100), nullable=False),
        sa.Column("series", sa.String(200), nullable=False),
        sa.Column("at", Moment, nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.Column("is_text", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_plugin_records"),
    )
    op.create_index("ix_plugin_records_series", "plugin_records", ["plugin", "series", "at", "id"])
    op.create_index("ix_plugin_records_at", "plugin_records", ["at"])
    op.create_table(
        "plugin_duties",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("plugin", sa.String(100), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("every_seconds", sa.Float, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("ended_at", Moment, nullable=True),
        sa.Column("fault", sa.String(300), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_plugin_duties"),
    )


def downgrade() -> None:
    for table in ("plugin_duties", "plugin_records", "plugin_values"):
        op.drop_table(table)
