"""Indexes of the lists of credentials and participant ids, page by page.

Revision: 0018
Follows: 0017
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

NOT_REVOKED = sa.text("revoked_at IS NULL")
ACTIVE = {
    "api_keys": ["tenant_id", "environment", "expires_at"],
    "oauth_clients": ["tenant_id", "environment"],
}


def upgrade() -> None:
    for table, columns in ACTIVE.items():
        op.create_index(
            f"ix_{table}_listed", table, ["tenant_id", "environment", "created_at", "id"]
        )
        op.create_index(
            f"ix_{table}_active",
            table,
            columns,
            postgresql_where=NOT_REVOKED,
            sqlite_where=NOT_REVOKED,
        )
    op.create_index(
        "ix_participants_listed", "participants", ["tenant_id", "environment", "participant"]
    )


def downgrade() -> None:
    op.drop_index("ix_participants_listed", table_name="participants")
    for table in ACTIVE:
        op.drop_index(f"ix_{table}_active", table_name=table)
        op.drop_index(f"ix_{table}_listed", table_name=table)
