"""What this service publishes of participant ids in the directories of networks.

Revision: 0057
Follows: 0056
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None

TABLE = "participant_entries"
REFUSED, LATE = sa.text("state = 'refused'"), sa.text("failures > 0")


def upgrade() -> None:
    op.add_column("participants", sa.Column("publication_text", sa.String(500), nullable=True))
    op.create_table(
        TABLE,
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("participant", sa.String(140), nullable=False),
        sa.Column("access_point", sa.String(40), nullable=True),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("form", sa.String(64), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("fault", sa.String(500), nullable=True),
        sa.Column("failing_since", Moment(), nullable=True),
        sa.Column("changed_at", Moment(), nullable=False),
        sa.Column("lease_token", sa.String(36), nullable=True),
        sa.Column("lease_until", Moment(), nullable=True),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    key = ["environment", "participant"]
    op.create_index("uq_participant_entries", TABLE, key, unique=True)
    op.create_index("ix_participant_entries_tenant", TABLE, ["tenant_id"])
    op.create_index(
        "ix_participant_entries_form", TABLE, ["access_point", "state", "form", "id"]
    )
    op.create_index(
        "ix_participant_entries_refused", TABLE, ["changed_at"],
        postgresql_where=REFUSED, sqlite_where=REFUSED,
    )  # fmt: skip
    op.create_index(
        "ix_participant_entries_late", TABLE, ["failing_since"],
        postgresql_where=LATE, sqlite_where=LATE,
    )  # fmt: skip


def downgrade() -> None:
    op.drop_table(TABLE)
    with op.batch_alter_table("participants") as batch_op:
        batch_op.drop_column("publication_text")
