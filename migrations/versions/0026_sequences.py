"""Documents of one key of a connection, which are sent one after the other.

Revision: 0026
Follows: 0025
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

WAITING = sa.text("waits_for IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "sequences",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("access_point", sa.String(40), nullable=False),
        sa.Column("connection_id", sa.String(40), nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("holder", sa.String(40), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sequences"),
        sa.UniqueConstraint(
            "connection_id", "access_point", "key", name="uq_sequences_connection_id_access_point_key"
        ),
    )
    op.create_index("ix_sequences_holder", "sequences", ["holder"])
    op.add_column("transmissions", sa.Column("sequence_key", sa.String(200), nullable=True))
    op.add_column("outbox", sa.Column("waits_for", sa.String(40), nullable=True))
    op.add_column("connections", sa.Column("state_version", sa.Integer(), nullable=True))
    op.create_index(
        "ix_outbox_waits",
        "outbox",
        ["waits_for", "id"],
        postgresql_where=WAITING,
        sqlite_where=WAITING,
    )


def downgrade() -> None:
    op.drop_index("ix_outbox_waits", "outbox")
    op.drop_column("connections", "state_version")
    op.drop_column("outbox", "waits_for")
    op.drop_column("transmissions", "sequence_key")
    op.drop_table("sequences")
