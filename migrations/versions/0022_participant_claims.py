"""Claims of participant ids: status and decision, and the verified numbers of tenants.

Existing participant ids are verified. Only verified ones are unique over tenants.

Revision: 0022
Follows: 0021
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

VERIFIED, PENDING = sa.text("status = 'verified'"), sa.text("status = 'pending'")


def upgrade() -> None:
    with op.batch_alter_table("participants", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("status", sa.String(length=8), nullable=False, server_default="verified")
        )
        batch_op.add_column(sa.Column("decided_at", Moment(), nullable=True))
        batch_op.add_column(sa.Column("decided_by", sa.String(length=8), nullable=True))
        batch_op.add_column(sa.Column("reason", sa.String(), nullable=True))
        batch_op.drop_constraint("uq_participants_environment_participant", type_="unique")
    op.drop_index("ix_participants_tenant", "participants")
    op.drop_index("ix_participants_listed", "participants")
    op.create_index(
        "uq_participants_verified",
        "participants",
        ["environment", "participant"],
        unique=True,
        postgresql_where=VERIFIED,
        sqlite_where=VERIFIED,
    )
    op.create_index(
        "uq_participants_claimed",
        "participants",
        ["tenant_id", "environment", "participant"],
        unique=True,
    )
    op.create_index(
        "ix_participants_pending",
        "participants",
        ["created_at", "id"],
        postgresql_where=PENDING,
        sqlite_where=PENDING,
    )
    op.create_index("ix_participants_rivals", "participants", ["environment", "participant"])
    with op.batch_alter_table("tenants", schema=None) as batch_op:
        batch_op.add_column(sa.Column("verified_numbers", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("tenants", schema=None) as batch_op:
        batch_op.drop_column("verified_numbers")
    # An id has one owner again: claims that were not verified have none.
    op.execute("DELETE FROM participants WHERE status <> 'verified'")
    for name in ("rivals", "pending"):
        op.drop_index(f"ix_participants_{name}", "participants")
    for name in ("claimed", "verified"):
        op.drop_index(f"uq_participants_{name}", "participants")
    with op.batch_alter_table("participants", schema=None) as batch_op:
        for column in ("reason", "decided_by", "decided_at", "status"):
            batch_op.drop_column(column)
        batch_op.create_unique_constraint(
            "uq_participants_environment_participant", ["environment", "participant"]
        )
    op.create_index("ix_participants_tenant", "participants", ["tenant_id", "environment"])
    op.create_index(
        "ix_participants_listed", "participants", ["tenant_id", "environment", "participant"]
    )
